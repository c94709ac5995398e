package driver

import "github.com/gpuevent/gpuevent/internal/ccall"

// named reports whether a stream's handle names a stream, and so its context or device. The default
// streams are those of the current one.
func named(s Object) bool { return s.Word > perThread }

func (g *gpu) CreateStream(nonBlocking bool, priority int) (Object, error) {
	var flags uintptr
	if nonBlocking {
		flags = streamNonBlocking
	}
	return g.create(streamCreate, flags, uintptr(priority), g.DestroyStream)
}

func (g *gpu) DestroyStream(s Object) error {
	return g.call(named(s), streamDestroy, s.Word, 0, 0)
}

func (g *gpu) QueryStream(s Object) (done bool, err error) {
	g.Relaxed(func() { done, err = g.query(named(s), streamQuery, s.Word) })
	return done, err
}

// SyncStream waits on a thread that captures of others do not affect.
// fact: cuda-capture-modes
func (g *gpu) SyncStream(s Object) (err error) {
	g.Relaxed(func() { err = g.call(named(s), streamSync, s.Word, 0, 0) })
	return err
}

func (g *gpu) WaitEvent(s, e Object, external bool) error {
	var flags uintptr
	if external {
		flags = waitExternal
	}
	return g.call(named(s), streamWaitEvent, s.Word, e.Word, flags)
}

func (g *gpu) HostFunc(s Object, f func() error, repeat bool) error {
	return g.Enter(func() error {
		return g.api.hostFunc(s.Word, func() { _ = f() }, repeat) // drivers ignore errors
	})
}

// hold makes the stream wait for a value in memory if it can: that occupies no thread.
func (g *gpu) hold(d Driver, s Object) (release func(error), err error) {
	if !d.Can().Has(CanWaitValue) {
		return holdByFunc(d, s)
	}
	return g.words.hold(func(device uintptr, number uint64) error {
		return g.Enter(func() error { return g.api.waitValue(s.Word, device, number) })
	})
}

func (g *gpu) Capturing(s Object) (bool, error) {
	if IsDefaultStream(s.Word) {
		return false, nil
	}
	out := ccall.NewOut()
	err := g.call(named(s), streamCapturing, s.Word, out.Word(0), 0)
	status := out.W[0]
	out.Free(1)
	if g.api.capturing != nil {
		return g.api.capturing(status, err)
	}
	return status != 0, err
}
