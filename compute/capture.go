package compute

import (
	"errors"
	"runtime"
	"sync"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
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
// AMD's runtime does not record all work: no launches of kernels before ROCm 5.3 (devices without
// [event.CapCaptureLaunch]), no cooperative launches before 7.1, no copies between devices from 5.6
// on, and no launches of other graphs. It would run them at once. f gets [event.ErrUnsupported] for
// these.
//
// If a capture fails, most releases of ROCm never let go of its streams. They are discarded: the
// error then includes [event.ErrCaptureFailed], and so does the error of each later call on the
// stream, and on the streams that joined. Close them. Memory that their earlier work uses is freed
// after that.
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
	id     uint64 // 0 if it is unknown

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
	defer streamOf(s).Release()
	if err := d.notCaptured(op, s, "end that capture first"); err != nil {
		return native, nil, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	streamOf(s).Export()
	if err := d.backend.BeginCapture(stream); err != nil {
		return native, nil, failed(op, s, err)
	}
	c = &capture{device: d, stream: s}
	ended := false
	id, err := d.backend.CaptureID(stream)
	if err == nil {
		c.id = id
		d.captures.Store(id, c)
		defer d.captures.Delete(id)
	}
	defer func() { // f panicked, or ended its goroutine
		if !ended {
			report(d.abandon(c, stream))
		}
	}()
	err = failed(op, s, err)
	if err == nil {
		err = f()
	}
	ended = true
	if err != nil {
		return native, nil, also(err, d.abandon(c, stream))
	}
	native, lost, err := d.end(c, stream)
	if err != nil {
		c.kept.drop()
		return native, nil, also(failed(op, s, err), lost)
	}
	return native, c, nil
}

// end ends a capture. If the call had no effect, the capture is ended nevertheless, and its graph
// destroyed. If the driver can't end the capture, end discards the stream and returns lost, the
// error to add. It never ends a failed capture again, which may crash.
// fact: amd-second-end-crashes
func (d *device) end(c *capture, stream driver.Object) (g backend.Graph, lost, err error) {
	g, err = d.backend.EndCapture(stream)
	if err == nil {
		return g, nil, nil
	}
	if is, _ := streamOf(c.stream).Capturing(); !is {
		return g, nil, err
	}
	if !backend.FailedInCapture(err) {
		again, secondErr := d.backend.EndCapture(stream)
		if secondErr == nil {
			report(failed("Capture", c.stream, d.backend.DestroyGraph(again)))
			return g, nil, err
		}
		if is, _ := streamOf(c.stream).Capturing(); !is {
			return g, nil, err
		}
	}
	streamOf(c.stream).Discard(func(native driver.Object) bool {
		id, err := d.backend.CaptureID(native)
		return err == nil && c.id != 0 && id == c.id
	})
	return g, closedError("Capture", c.stream), err
}

// also adds an error, if there is one, to another.
func also(err, more error) error {
	if more == nil {
		return err
	}
	return errors.Join(err, more)
}

// abandon drops a capture that failed. It returns an error if the stream can't be used any more.
func (d *device) abandon(c *capture, stream driver.Object) error {
	g, lost, err := d.end(c, stream)
	if err == nil {
		report(failed("Capture", c.stream, d.backend.DestroyGraph(g)))
	}
	c.kept.drop()
	return lost
}

// captureOf returns the capture that a stream in use is part of; nil if there is none, or if the
// program began it by other means.
func (d *device) captureOf(s *event.Stream, native driver.Object) (*capture, error) {
	if is, err := streamOf(s).Capturing(); !is || err != nil {
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
