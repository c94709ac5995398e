package simrtc

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// library is one vendor's functions, made once per process: C functions can't be freed. They serve
// the compiler that is installed.
type library struct {
	current   atomic.Pointer[Compiler]
	functions map[string]any // Go functions with C's parameters
	mu        sync.Mutex
	made      map[string]uintptr
}

// InstallNVRTC replaces NVRTC until restore is called.
func (c *Compiler) InstallNVRTC() (restore func()) {
	return nvidia.install(&libs.NVRTC, "simulated NVRTC "+c.version, c)
}

// InstallHIPRTC replaces hipRTC until restore is called.
func (c *Compiler) InstallHIPRTC() (restore func()) {
	return amd.install(&libs.HIPRTC, "simulated hipRTC "+c.version, c)
}

func (l *library) install(at *dl.Library, name string, c *Compiler) (restore func()) {
	before := l.current.Swap(c)
	undo := at.Install(name, l.address)
	return sync.OnceFunc(func() {
		undo()
		l.current.Store(before)
	})
}

// address makes a C function at its first use.
func (l *library) address(symbol string) uintptr {
	fn := l.functions[symbol]
	if fn == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.made[symbol] == 0 {
		if l.made == nil {
			l.made = map[string]uintptr{}
		}
		l.made[symbol] = ccall.NewCallback(fn)
	}
	return l.made[symbol]
}

// create, and the other functions that the libraries share, take what C passes.
func (l *library) create(out *uintptr, text, name *byte, _ uintptr, _, _ unsafe.Pointer) uintptr {
	c := l.current.Load()
	if c == nil || out == nil || text == nil {
		return invalidInput
	}
	*out = c.create(goText(text), goText(name))
	return success
}

func (l *library) destroy(handle *uintptr) uintptr {
	c := l.current.Load()
	if c == nil || handle == nil || !c.destroy(*handle) {
		return invalidProgram
	}
	*handle = 0
	return success
}

func (l *library) compile(compile func(*Compiler, *program, []string) int32) any {
	return func(handle, n uintptr, options unsafe.Pointer) uintptr {
		p := l.find(handle)
		if p == nil {
			return invalidProgram
		}
		var given []string
		for _, o := range unsafe.Slice((**byte)(options), int32(n)) {
			given = append(given, goText(o))
		}
		return uintptr(compile(l.current.Load(), p, given))
	}
}

func (l *library) addExpression(handle uintptr, expression *byte) uintptr {
	p := l.find(handle)
	if p == nil {
		return invalidProgram
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.compiled {
		return noNewNames
	}
	p.expressions = append(p.expressions, goText(expression))
	return success
}

func (l *library) loweredName(handle uintptr, expression *byte, out **byte) uintptr {
	p := l.find(handle)
	if p == nil {
		return invalidProgram
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	lowered, ok := p.lowered[goText(expression)]
	switch {
	case !p.compiled:
		return noLoweredYet
	case !ok:
		return unknownExpression
	}
	*out = &lowered[0]
	return success
}

// size and copy make the two functions that give a result of a program.
func (l *library) size(of func(*program) []byte) any {
	return func(handle uintptr, out *uintptr) uintptr {
		p := l.find(handle)
		if p == nil || out == nil {
			return invalidProgram
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		*out = uintptr(len(of(p)))
		return success
	}
}

func (l *library) copy(of func(*program) []byte) any {
	return func(handle uintptr, to unsafe.Pointer) uintptr {
		p := l.find(handle)
		if p == nil || to == nil {
			return invalidProgram
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		b := of(p)
		copy(unsafe.Slice((*byte)(to), len(b)), b)
		return success
	}
}

func (l *library) find(handle uintptr) *program {
	if c := l.current.Load(); c != nil {
		return c.program(handle)
	}
	return nil
}

func goText(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
