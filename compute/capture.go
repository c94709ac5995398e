package compute

import (
	"errors"
	"runtime"
	"sync"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/door"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// Capture calls f and records the work that f enqueues on the stream, instead of running it, as a
// graph, which [Graph.Launch] runs as often as wanted, at the cost of one launch. Other streams
// join when they wait for the capture's events, and the stream must wait for them again before f
// returns.
//
// f runs on the calling goroutine, locked to its thread. During a capture drivers forbid much: f
// must not wait for work, query captured events, allocate, close buffers that it uses, or copy from
// and to Go slices; this package returns [event.ErrCaptured] for these. Calls of other goroutines
// are not affected. If f fails or panics, the capture is dropped.
//
// The graph keeps the buffers, pinned memory and modules that it uses until it is closed, also if
// they are closed. It copies from and to pinned memory at each launch, and records events that were
// created with [event.WithExternal].
func Capture(s *event.Stream, f func() error) (*Graph, error) {
	const op = "Capture"
	if s == nil || s.Device() == nil {
		return nil, refusal(op, named("stream <nil>"), event.ErrNilStream, "pass a stream of your own")
	}
	if s.IsDefault() {
		return nil, refusal(op, s, event.ErrInvalidOption,
			"a default stream can't be captured; use a stream from NewStream")
	}
	d, err := deviceOf(op, s.Device())
	if err != nil {
		return nil, err
	}
	if f == nil {
		return nil, refusal(op, s, event.ErrInvalidOption, "the function is nil")
	}
	if d.event.Capabilities()&event.CapCapture == 0 {
		return nil, refusal(op, d.event, event.ErrUnsupported, "it can't capture streams")
	}
	native, c, err := d.capture(op, s, f)
	if err != nil {
		return nil, err
	}
	return c.instantiate(op, native)
}

// capture is a capture under way: it collects what the graph must keep.
type capture struct {
	device *device
	stream *event.Stream

	mu      sync.Mutex
	kept    kept
	kernels []*GraphKernel
}

// capture captures what f enqueues on a stream. Without an error the caller owns the native graph,
// and what the capture keeps.
func (d *device) capture(op string, s *event.Stream, f func() error) (
	native backend.Graph, c *capture, err error) {
	stream, err := d.use(op, s)
	if err != nil {
		return native, nil, err
	}
	defer door.Release(s)
	if err := d.notCaptured(op, s, "end that capture first"); err != nil {
		return native, nil, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	door.Captures(s)
	if err := d.backend.BeginCapture(stream); err != nil {
		return native, nil, failed(op, s, err)
	}
	c = &capture{device: d, stream: s}
	ended := false
	id, err := d.backend.CaptureID(stream)
	if err == nil {
		d.captures.Store(id, c)
		defer d.captures.Delete(id)
	}
	defer func() { // f panicked, or ended its goroutine
		if !ended {
			d.abandon(c, stream)
		}
	}()
	err = failed(op, s, err)
	if err == nil {
		err = f()
	}
	ended = true
	if err != nil {
		d.abandon(c, stream)
		return native, nil, err
	}
	native, err = d.backend.EndCapture(stream)
	if err != nil {
		if is, _ := door.Capturing(s); is { // the call had no effect
			d.abandon(c, stream)
		}
		c.kept.drop()
		return native, nil, failed(op, s, err)
	}
	return native, c, nil
}

// abandon ends a capture that failed. If that fails too, it tries again: nothing can be done with a
// stream that is captured for good.
func (d *device) abandon(c *capture, stream driver.Object) {
	g, err := d.backend.EndCapture(stream)
	if err != nil {
		if is, _ := door.Capturing(c.stream); is {
			g, err = d.backend.EndCapture(stream)
		}
	}
	if err == nil {
		report(failed("Capture", c.stream, d.backend.DestroyGraph(g)))
	}
	c.kept.drop()
}

// captureOf returns the capture that a stream in use is part of; nil if there is none, or somebody
// else began it.
func (d *device) captureOf(s *event.Stream, native driver.Object) (*capture, error) {
	if is, err := door.Capturing(s); !is || err != nil {
		return nil, err
	}
	id, err := d.backend.CaptureID(native)
	if err != nil {
		return nil, err
	}
	c, _ := d.captures.Load(id)
	x, _ := c.(*capture)
	return x, nil
}

// noteCapture notes an operation in the capture that its stream is part of, if any.
func (d *device) noteCapture(op string, s *event.Stream, native driver.Object,
	objects ...keptObject) error {
	c, err := d.captureOf(s, native)
	if c == nil || err != nil {
		return failed(op, s, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range objects {
		c.kept.add(o)
	}
	return nil
}

// noteCapture notes a launch in the capture that its stream is part of, if any.
func (k *Kernel) noteCapture(op string, s *event.Stream, native driver.Object, args []any) error {
	x, err := k.device.captureOf(s, native)
	if x == nil || err != nil {
		return failed(op, s, err)
	}
	node, err := k.device.backend.Last(native)
	if err != nil {
		return failed(op, s, err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept.addLaunch(k, args)
	x.kernels = append(x.kernels, &GraphKernel{kernel: k, node: node})
	return nil
}

// instantiate makes the graph executable.
func (c *capture) instantiate(op string, native backend.Graph) (*Graph, error) {
	b := c.device.backend
	exec, err := b.Instantiate(native)
	if err != nil {
		c.kept.drop()
		return nil, errors.Join(failed(op, c.stream, err), failed(op, c.stream, b.DestroyGraph(native)))
	}
	return newGraph(c, native, exec), nil
}
