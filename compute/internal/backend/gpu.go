package backend

import (
	"runtime"
	"sync"

	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// gpu is a device of a vendor's driver, as far as the drivers of both vendors are alike.
type gpu struct {
	driver.GPU
	api  *api
	info *driver.Info
	read func() (Limits, error) // asks the driver

	mu      sync.Mutex
	known   bool
	limits  Limits
	keeping bool // the pool keeps freed memory
}

// api is what differs between the vendors' drivers.
type api struct {
	launch, launchCooperative, launchGraph *dl.Proc
	// failed returns the error of a call that failed; nil for nil.
	failed func(call string, err error) error
	// classed adds what this package distinguishes to an error of package driver.
	classed func(err error) error

	frames sync.Pool // idle
}

func (g *gpu) Limits() (Limits, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.known {
		return g.limits, nil
	}
	l, err := g.read()
	if err != nil {
		return Limits{}, err
	}
	g.limits, g.known = l, true
	return l, nil
}

// inside makes a call with the context or device current.
func (g *gpu) inside(call string, f func() error) error {
	return g.Enter(func() error { return g.api.failed(call, f()) })
}

// unsafely is inside for calls that a capture in progress on another thread would forbid, and that
// might invalidate it. fact: gpu-alloc-heeds-captures
func (g *gpu) unsafely(call string, f func() error) (err error) {
	g.Relaxed(func() { err = g.inside(call, f) })
	return err
}

// end makes a call that ends an object, which would be lost if the context could not be entered:
// then it tries again. enter is inside or unsafely.
func (g *gpu) end(enter func(string, func() error) error, call string, f func() error) error {
	return reached(func(was *bool) error {
		return enter(call, func() error { *was = true; return f() })
	})
}

func (g *gpu) Frame() *Frame {
	if p, ok := g.api.frames.Get().(*Frame); ok {
		return p
	}
	return new(Frame)
}

func (g *gpu) PutFrame(p *Frame) {
	p.Reset()
	g.api.frames.Put(p)
}

// Launch enters the context or device, launches and restores the thread's own in one crossing into
// C. The driver copies the parameters. fact: gpu-launch-copies-values
func (g *gpu) Launch(s driver.Object, f Function, shape *Config, p *Frame) error {
	w := p.entry.Words()
	w[0] = f.Word
	w[1], w[2], w[3] = uintptr(shape.Grid.X), uintptr(shape.Grid.Y), uintptr(shape.Grid.Z)
	w[4], w[5], w[6] = uintptr(shape.Block.X), uintptr(shape.Block.Y), uintptr(shape.Block.Z)
	w[7], w[8], w[9], w[10] = uintptr(shape.Shared), s.Word, p.words(), 0
	if shape.Cooperative {
		return g.enterCall(p, g.api.launchCooperative, 10)
	}
	return g.enterCall(p, g.api.launch, 11)
}

// LaunchGraph makes one crossing into C, as Launch does.
func (g *gpu) LaunchGraph(s driver.Object, x Exec) error {
	p := g.Frame()
	defer g.PutFrame(p)
	w := p.entry.Words()
	w[0], w[1] = x.Word, s.Word
	return g.enterCall(p, g.api.launchGraph, 2)
}

// enterCall makes a call with the words of the frame's entry.
func (g *gpu) enterCall(p *Frame, proc *dl.Proc, words int) error {
	err := g.EnterCall(&p.entry, proc, words)
	runtime.KeepAlive(p)
	if err != nil {
		return g.api.classed(err)
	}
	return nil
}
