package sim

import (
	"fmt"
	"time"

	"github.com/gpuevent/gpuevent/internal/host"
)

// Gate holds a stream up until it is opened.
type Gate struct {
	gate   *host.Gate
	engine *host.Engine
}

// Open lets the stream go on. When it returns, everything that waited has happened, except host
// functions, which run on goroutines. Opening again does nothing.
func (g *Gate) Open() { g.gate.Open() }

// Fail makes the work behind the gate fail, and its context with it, as a faulty kernel does: all
// pending work there and every later call end with the code.
func (g *Gate) Fail(c int32) {
	g.engine.Fail(workError(c))
	g.gate.Fail(workError(c))
}

// Stream lets a test give work to a stream.
type Stream struct{ s *stream }

// Stream finds a stream of either API by its handle. It panics if there is none.
func (m *Machine) Stream(handle uintptr) Stream { return Stream{m.mustStream(handle)} }

// CUDADefaultStream returns the legacy default stream of a device's primary context, which must be
// active.
func (m *Machine) CUDADefaultStream(device int) Stream {
	return Stream{m.cuda.primaryOf(device).legacy}
}

// HIPDefaultStream returns the default stream of a device.
func (m *Machine) HIPDefaultStream(device int) Stream {
	return Stream{m.amd.primaryOf(device).legacy}
}

// Gate puts a gate on the stream.
func (s Stream) Gate() *Gate {
	g := host.NewGate()
	s.s.must("gate", func(q *host.Queue) error { return q.WaitGate(g) })
	return &Gate{g, s.s.context.engine}
}

// Delay keeps the stream busy for d of the machine's clock.
func (s Stream) Delay(d time.Duration) {
	s.s.must("delay", func(q *host.Queue) error { return q.Delay(d) })
}

// FailWork enqueues work that fails with the code and breaks the stream's context.
func (s Stream) FailWork(c int32) {
	engine := s.s.context.engine
	s.s.must("work", do(func() error { engine.Fail(workError(c)); return nil }))
}

// Gate puts a gate on a stream, given by its handle.
func (m *Machine) Gate(stream uintptr) *Gate { return m.Stream(stream).Gate() }

// CUDADefaultGate puts a gate on what [Machine.CUDADefaultStream] returns.
func (m *Machine) CUDADefaultGate(device int) *Gate { return m.CUDADefaultStream(device).Gate() }

// HIPDefaultGate puts a gate on the default stream of a device.
func (m *Machine) HIPDefaultGate(device int) *Gate { return m.HIPDefaultStream(device).Gate() }

// must gives a stream work, which becomes a node of the graph if it is captured.
func (s *stream) must(what string, lay func(*host.Queue) error) {
	s.tells()
	if c := s.context.f.work(s, lay); c != success {
		panic(fmt.Sprintf("sim: %s on stream %#x: %d", what, s.handle, c))
	}
}

// Delay keeps a stream busy for d of the machine's clock.
func (m *Machine) Delay(stream uintptr, d time.Duration) { m.Stream(stream).Delay(d) }

// Work makes a stream run f.
func (m *Machine) Work(stream uintptr, f func()) {
	m.mustStream(stream).must("work", do(func() error { f(); return nil }))
}

// FailWork enqueues work that fails with the code and breaks the stream's context.
func (m *Machine) FailWork(stream uintptr, c int32) { m.Stream(stream).FailWork(c) }

// FailCUDA breaks all contexts of a CUDA device: pending work and all later calls fail with the
// code.
func (m *Machine) FailCUDA(device int, c int32) { m.cuda.failDevice(device, c) }

// FailHIP breaks a HIP device, like [Machine.FailCUDA].
func (m *Machine) FailHIP(device int, c int32) { m.amd.failDevice(device, c) }

// LoseCUDA is [Machine.FailCUDA] for good: contexts that are made later are broken as well.
func (m *Machine) LoseCUDA(device int, c int32) { m.cuda.loseDevice(device, c) }

// LoseHIP loses a HIP device, like [Machine.LoseCUDA].
func (m *Machine) LoseHIP(device int, c int32) { m.amd.loseDevice(device, c) }

func (f *face) loseDevice(ordinal int, c int32) {
	f.devices[ordinal].lost.Store(c)
	f.failDevice(ordinal, c)
}

func (f *face) failDevice(ordinal int, c int32) {
	for _, o := range f.handles.live(func(o *object) bool {
		return o.context != nil && o.context.device == f.devices[ordinal]
	}) {
		o.context.engine.Fail(workError(c))
	}
}

func (f *face) primaryOf(ordinal int) *context {
	d := f.devices[ordinal]
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.primary == nil {
		panic(fmt.Sprintf("sim: the primary context of device %d is not active", ordinal))
	}
	return d.primary
}

// mustStream finds a stream of either API. It panics if there is none.
func (m *Machine) mustStream(h uintptr) *stream {
	for _, f := range m.faces() {
		if o := f.handles.find(h); o != nil && o.stream != nil {
			return o.stream
		}
	}
	panic(fmt.Sprintf("sim: %#x is no stream", h))
}
