package dl

// failure is the error of a call that returned a code.
type failure struct {
	code int32
	err  error
	next *failure
}

// Failure returns the error of a call of p that returned the code, made by describe. It is made
// once for each code and kept for the life of the process, so that repeated failures allocate
// nothing. Use it only for a small set of codes.
func (p *Proc) Failure(code int32, describe func(symbol string, code int32) error) error {
	if err := p.failures.Load().find(code); err != nil {
		return err
	}
	f := &failure{code: code, err: describe(p.Symbol, code)}
	for {
		f.next = p.failures.Load()
		if err := f.next.find(code); err != nil {
			return err // another call was first
		}
		if p.failures.CompareAndSwap(f.next, f) {
			return f.err
		}
	}
}

// find returns the error of the code in a list, nil if it is not there.
func (f *failure) find(code int32) error {
	for ; f != nil; f = f.next {
		if f.code == code {
			return f.err
		}
	}
	return nil
}
