package sim

import (
	"sync"
	"sync/atomic"

	"github.com/ebitengine/purego"
)

// api is one vendor's interface: its C functions, made once per process, and the face that serves them at present.
type api struct {
	name    string
	hip     bool
	fill    func(*api) // defines the functions
	once    sync.Once
	byName  map[string]*function
	all     []*function
	current atomic.Pointer[face]
}

// function is one exported C function.
type function struct {
	api    *api
	index  int
	name   string
	since  string // the version that brought it
	traits trait
	impl   any // the Go function behind it

	once sync.Once
	at   uintptr
}

// trait is what the drivers do before a function's own work.
type trait uint8

const (
	early       trait = 1 << iota // works before initialization and without a device
	wantsThread                   // CUDA, StrictContext: needs a current context
	destroys                      // an injected asynchronous failure does not keep it from its work
	keepsError                    // HIP: leaves the last error alone
	mayCallBack                   // allowed in a host function of a stream
)

func (a *api) functions() map[string]*function {
	a.once.Do(func() {
		a.byName = map[string]*function{}
		a.fill(a)
	})
	return a.byName
}

// define adds a function, whose impl is set by who calls this.
func (a *api) define(name, since string, traits trait) *function {
	fn := &function{api: a, index: len(a.all), name: name, since: since, traits: traits}
	a.all = append(a.all, fn)
	a.byName[name] = fn
	return fn
}

// address makes the C function at the first use; it stays for the life of the process.
func (fn *function) address() uintptr {
	fn.once.Do(func() { fn.at = purego.NewCallback(fn.impl) })
	return fn.at
}

// The defN define a function of N parameters.

func def0(a *api, name, since string, traits trait, body func(*face) code) {
	fn := a.define(name, since, traits)
	fn.impl = func() uintptr {
		e := fn.enter()
		if e.run {
			e.result = body(e.face)
		}
		return e.leave()
	}
}

func def1[A any](a *api, name, since string, traits trait, body func(*face, A) code) {
	fn := a.define(name, since, traits)
	fn.impl = func(p A) uintptr {
		e := fn.enter()
		if e.run {
			e.result = body(e.face, p)
		}
		return e.leave()
	}
}

func def2[A, B any](a *api, name, since string, traits trait, body func(*face, A, B) code) {
	fn := a.define(name, since, traits)
	fn.impl = func(p A, q B) uintptr {
		e := fn.enter()
		if e.run {
			e.result = body(e.face, p, q)
		}
		return e.leave()
	}
}

func def3[A, B, C any](a *api, name, since string, traits trait, body func(*face, A, B, C) code) {
	fn := a.define(name, since, traits)
	fn.impl = func(p A, q B, r C) uintptr {
		e := fn.enter()
		if e.run {
			e.result = body(e.face, p, q, r)
		}
		return e.leave()
	}
}

func def4[A, B, C, D any](a *api, name, since string, traits trait, body func(*face, A, B, C, D) code) {
	fn := a.define(name, since, traits)
	fn.impl = func(p A, q B, r C, s D) uintptr {
		e := fn.enter()
		if e.run {
			e.result = body(e.face, p, q, r, s)
		}
		return e.leave()
	}
}

func def5[A, B, C, D, E any](a *api, name, since string, traits trait, body func(*face, A, B, C, D, E) code) {
	fn := a.define(name, since, traits)
	fn.impl = func(p A, q B, r C, s D, t E) uintptr {
		e := fn.enter()
		if e.run {
			e.result = body(e.face, p, q, r, s, t)
		}
		return e.leave()
	}
}

// defText defines a function that returns a text: const char *f(code).
func defText(a *api, name, since string, body func(*face, code) uintptr) {
	fn := a.define(name, since, early|keepsError|mayCallBack)
	fn.impl = func(p int32) uintptr {
		e := fn.enter()
		e.leave()
		if e.face == nil {
			return 0
		}
		return body(e.face, code(p))
	}
}
