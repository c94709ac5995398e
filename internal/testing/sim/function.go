package sim

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// api is one vendor's interface: its C functions, made once per process, and the driver that
// currently serves them.
type api struct {
	name    string
	hip     bool
	mark    uintptr    // of its handles
	fill    func(*api) // defines the functions
	once    sync.Once
	byName  map[string]*function
	all     []*function
	current atomic.Pointer[driver]
}

// function is one exported C function.
type function struct {
	api    *api
	index  int
	name   string
	since  string // the first version that has it
	traits trait
	params int
	hash   uint64               // of the name
	text   bool                 // returns a text and can't fail
	device int                  // which argument is a device's number, from 1; 0 if none
	impl   func(*frame) uintptr // the Go function behind it

	once sync.Once
	at   uintptr
}

// trait is what the drivers do before a function's own work.
type trait uint8

const (
	early       trait = 1 << iota // works before initialization and without a device
	wantsThread                   // CUDA, StrictContext: needs a current context
	destroys                      // it does its work despite an injected asynchronous failure
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
func (a *api) define(name, since string, params int, traits trait) *function {
	fn := &function{api: a, index: len(a.all), name: name, since: since, params: params,
		traits: traits, device: deviceArgument[name], hash: hashOf(name)}
	a.all = append(a.all, fn)
	a.byName[name] = fn
	return fn
}

// address makes the C function at the first use; it stays for the life of the process.
func (fn *function) address() uintptr {
	fn.once.Do(func() { fn.at = newCallback(fn) })
	return fn.at
}

// frame is what C passes: the words in registers, and the address of those on the stack.
type frame struct {
	args   [frameRegs]uintptr
	stack  *[stackWords]uintptr
	source uintptr // which function was called
	result uintptr
}

// stackWords is the most that a function finds on the stack: a struct of 64 bytes that is passed by
// value.
const stackWords = 8

// arg returns the i-th argument. All targets are little-endian, and have a word on the stack for
// each argument that is not in a register: Apple's arm64 packs smaller ones, but no function has
// such arguments behind the eighth.
func arg[A any](fr *frame, i int) A {
	if i < frameRegs {
		return *(*A)(unsafe.Pointer(&fr.args[i]))
	}
	return *(*A)(unsafe.Pointer(&fr.stack[i-frameRegs]))
}

// The defN define a function of N parameters.

func def0(a *api, name, since string, traits trait, body func(*face) code) {
	fn := a.define(name, since, 0, traits)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if e.run {
			e.result = body(e.face)
		}
		return e.leave()
	}
}

func def1[A any](a *api, name, since string, traits trait, body func(*face, A) code) {
	fn := a.define(name, since, 1, traits)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if e.run {
			e.result = body(e.face, arg[A](fr, 0))
		}
		return e.leave()
	}
}

// defEvent defines f(event), which checks for a null event before anything else.
func defEvent(a *api, name, since string, traits trait, body func(*face, string, uintptr) code) {
	fn := a.define(name, since, 1, traits)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		h := arg[uintptr](fr, 0)
		switch {
		case e.run:
			e.result = body(e.face, name, h)
		case e.result == notInitialized && h == 0 && e.face.plays(cudaNullEventBeforeInit):
			e.result = e.face.dead(name, h, eventKind)
		}
		return e.leave()
	}
}

func def2[A, B any](a *api, name, since string, traits trait, body func(*face, A, B) code) {
	fn := a.define(name, since, 2, traits)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if e.run {
			e.result = body(e.face, arg[A](fr, 0), arg[B](fr, 1))
		}
		return e.leave()
	}
}

func def3[A, B, C any](a *api, name, since string, traits trait, body func(*face, A, B, C) code) {
	fn := a.define(name, since, 3, traits)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if e.run {
			e.result = body(e.face, arg[A](fr, 0), arg[B](fr, 1), arg[C](fr, 2))
		}
		return e.leave()
	}
}

func def4[A, B, C, D any](a *api, name, since string, traits trait,
	body func(*face, A, B, C, D) code) {
	fn := a.define(name, since, 4, traits)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if e.run {
			e.result = body(e.face, arg[A](fr, 0), arg[B](fr, 1), arg[C](fr, 2), arg[D](fr, 3))
		}
		return e.leave()
	}
}

func def5[A, B, C, D, E any](a *api, name, since string, traits trait,
	body func(*face, A, B, C, D, E) code) {
	fn := a.define(name, since, 5, traits)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if e.run {
			e.result = body(e.face, arg[A](fr, 0), arg[B](fr, 1), arg[C](fr, 2), arg[D](fr, 3),
				arg[E](fr, 4))
		}
		return e.leave()
	}
}

func def6[A, B, C, D, E, F any](a *api, name, since string, traits trait,
	body func(*face, A, B, C, D, E, F) code) {
	fn := a.define(name, since, 6, traits)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if e.run {
			e.result = body(e.face, arg[A](fr, 0), arg[B](fr, 1), arg[C](fr, 2), arg[D](fr, 3),
				arg[E](fr, 4), arg[F](fr, 5))
		}
		return e.leave()
	}
}

func def7[A, B, C, D, E, F, G any](a *api, name, since string, traits trait,
	body func(*face, A, B, C, D, E, F, G) code) {
	fn := a.define(name, since, 7, traits)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if e.run {
			e.result = body(e.face, arg[A](fr, 0), arg[B](fr, 1), arg[C](fr, 2), arg[D](fr, 3),
				arg[E](fr, 4), arg[F](fr, 5), arg[G](fr, 6))
		}
		return e.leave()
	}
}

// defText defines a function that returns a text: const char *f(code).
func defText(a *api, name, since string, body func(*face, code) uintptr) {
	fn := a.define(name, since, 1, early|keepsError|mayCallBack)
	fn.text = true
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		e.leave()
		if e.face == nil {
			return 0
		}
		return body(e.face, arg[code](fr, 0))
	}
}

// defIPCOpen defines f(handle *out, struct of 64 bytes by value).
func defIPCOpen(a *api, name, since string) {
	fn := a.define(name, since, 2, wantsThread)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if e.run {
			e.result = e.face.ipcOpen(name, arg[*uintptr](fr, 0), byValue(fr))
		}
		return e.leave()
	}
}
