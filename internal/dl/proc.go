package dl

import (
	"sync/atomic"
)

// Proc is one symbol of a library, looked up at its first use. Declare it as a package variable
// with constant fields, so that it costs no initialization and the linker drops it with the
// function that uses it.
type Proc struct {
	Lib    *Library
	Symbol string // the exported C name
	// Since is the API version that introduced it: "12.8", "11.8 or earlier", or "after 5.7.1, by
	// 6.4.3" if headers between were not read.
	Since string
	// Layout is that of a struct which the function takes, if versions of the library differ there.
	Layout *Layout

	addr     uintptr // atomic
	missing  error   // why the symbol has no address; guarded by Lib.mu
	failures atomic.Pointer[failure]
}

// Addr returns the address of the C function, or 0 and a [LibraryError], [SymbolError] or
// [LayoutError]. It is small enough to be inlined into its callers.
func (p *Proc) Addr() (addr uintptr, err error) {
	addr = atomic.LoadUintptr(&p.addr)
	if addr == 0 {
		addr, err = p.resolve()
	}
	return
}

func (p *Proc) resolve() (uintptr, error) {
	l := p.Lib
	l.mu.Lock()
	defer l.mu.Unlock()
	if a := atomic.LoadUintptr(&p.addr); a != 0 {
		return a, nil
	}
	if p.missing != nil {
		return 0, p.missing
	}
	if err := l.ready(); err != nil {
		return 0, err
	}
	l.procs = append(l.procs, p)
	if a := l.table(p.Symbol); a != 0 {
		if p.Layout != nil {
			if p.missing = p.Layout.check(l, p.Symbol); p.missing != nil {
				return 0, p.missing
			}
		}
		atomic.StoreUintptr(&p.addr, a)
		return a, nil
	}
	p.missing = l.symbolError(p)
	return 0, p.missing
}
