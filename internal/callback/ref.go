package callback

// Ref is a registration that its owner releases. The zero value means no callback: both words are
// 0.
type Ref struct {
	t   *Trampoline
	key uintptr
}

// NewRef registers fn until [Ref.Release].
func NewRef(t *Trampoline, fn any) Ref { return Ref{t, Add(fn, Held)} }

// Fn returns the C function pointer.
func (r *Ref) Fn() uintptr {
	if r.t == nil {
		return 0
	}
	return r.t.Addr()
}

// UserData returns the word that C passes as user data.
func (r *Ref) UserData() uintptr { return r.key }

// Release ends the registration. It may be called again.
func (r *Ref) Release() { Release(r.key) }
