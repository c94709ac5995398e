package dl

// failure is the error of a call that ended with a code.
type failure struct {
	code int32
	err  error
	next *failure
}

// Failure returns the error of a call of p that ended with the code: what describe makes of it. It
// is made once for each code and kept for the life of the process, so that a call which fails again
// and again allocates nothing. Pass only codes of which there are few.
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
