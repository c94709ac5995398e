package soak

import (
	"errors"
	"runtime"
	"slices"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
)

// captureMode says whom a capture keeps from asking the driver. The numbers are those of both
// vendors.
type captureMode int

const (
	global      captureMode = iota // everybody
	threadLocal                    // the thread that captures
	relaxed                        // nobody
)

// session is a capture on one or two streams, which it has for itself.
type session struct {
	w      *worker
	dev    *device
	mode   captureMode
	s, t   *stream // t joins in, if not nil
	so, to *event.Stream
	ok     bool // nothing has failed
}

// own takes a stream for a capture. Only streams that ignore the default stream are captured: all
// else would end the capture.
func (w *worker) own(d *device) (*stream, *event.Stream) {
	for range 6 {
		s := w.streams[w.n(w.Streams)].Load()
		if d != nil && s.dev != d || s.blocking || !s.dev.caps.Has(event.CapCapture) ||
			s.dev.failing.Load() {
			continue
		}
		if !s.whole.TryLock() {
			continue
		}
		o := s.obj.Load()
		if o != nil && !o.IsClosed() && s.capturable(o) {
			return s, o
		}
		s.whole.Unlock()
	}
	return nil, nil
}

// capturable reports whether a capture can begin on the stream.
func (s *stream) capturable(o *event.Stream) bool {
	if s.dev.backend == event.Host {
		return !s.isDefault
	}
	return natives.Word(o) != 0
}

func (w *worker) capture() bool {
	if w.nodes.Load() > mostNodes {
		return false
	}
	s, so := w.own(nil)
	if s == nil {
		return false
	}
	defer s.whole.Unlock()
	if !s.dev.syncing.TryRLock() {
		return false
	}
	defer s.dev.syncing.RUnlock()
	c := &session{w: w, dev: s.dev, mode: captureMode(w.n(3)), s: s, so: so, ok: true}
	if c.mode == global && slices.Contains(w.Without, withoutGlobal) {
		c.mode = threadLocal
	}
	if c.mode == global {
		if !c.dev.asking.TryLock() {
			c.mode = relaxed
		} else {
			defer c.dev.asking.Unlock()
		}
	}
	if w.oneIn(2) {
		if c.t, c.to = w.own(s.dev); c.t != nil {
			defer c.t.whole.Unlock()
		}
	}
	if c.mode != relaxed {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	c.run()
	return true
}

// run captures, and launches what was captured.
func (c *session) run() {
	w := c.w
	w.begin(opCapture, nil, c.s)
	c.s.captures.Add(1)
	defer c.s.captures.Add(1)
	if c.t != nil {
		c.t.captures.Add(1)
		defer c.t.captures.Add(1)
	}
	earlier := c.earlier()
	if earlier != nil {
		defer w.used(earlier, c.dev)
	}
	if err := c.begin(); err != nil {
		w.over(err)
		w.raws("begin of a capture", c.dev, err)
		c.ok = false
		w.begin(opCapture, nil, c.s)
		c.end() // it may have begun all the same
		w.over(nil)
		return
	}
	w.over("begun")
	if c.t != nil {
		c.fork()
	}
	if earlier != nil && c.dev.asking.TryRLock() { // others may capture in global mode
		_, _ = earlier.IsDone() // which must leave the capture alone; it may be refused
		c.dev.asking.RUnlock()
	}
	for range 1 + w.n(6) {
		c.step(c.s, c.so)
	}
	if c.t != nil {
		c.join()
	}
	w.begin(opCapture, nil, c.s)
	c.end()
	w.over(nil)
}

// earlier records an event on the stream before its capture, to be asked for during it; nil if the
// mode forbids questions.
func (c *session) earlier() *event.Event {
	if c.mode != relaxed {
		return nil
	}
	o, err := c.so.RecordNew()
	if err != nil {
		c.w.explain(opCapture, err, nil, c.s)
		return nil
	}
	return o
}

// step does something inside the capture.
func (c *session) step(s *stream, so *event.Stream) {
	w := c.w
	switch w.n(4) {
	case 0, 1:
		e := w.event()
		if e.dev != c.dev || !e.mayCapture || !e.recording.TryRLock() {
			return
		}
		defer e.recording.RUnlock()
		if o := e.obj.Load(); o != nil {
			c.record(e, o, s, so)
		}
	case 2:
		c.hostFunc(so)
	case 3:
		e := w.event() // a wait safe for captures
		if e.dev.backend != c.dev.backend {
			return
		}
		var v sight
		if !w.see(&v, e) {
			return
		}
		l := w.limit()
		if l.Err() == nil && l.Done() == nil {
			l.cancel()
			return // a capture must not last
		}
		w.begin(opWait, e, nil)
		err := v.obj.Wait(l)
		w.over(err)
		w.returned(opWait, l, err)
		v.settle()
		if err == nil {
			w.saidDone(opWait, &v)
		} else if !isContext(err) {
			w.explain(opWait, err, &v)
		}
	}
}

func (c *session) record(e *ev, o *event.Event, s *stream, so *event.Stream) {
	w := c.w
	kind := captured
	if !c.ok || !w.strict(c.dev) {
		kind = unknown // the stream may not be in the capture
	}
	r := e.truth.begin(w.world, s, kind)
	w.begin(opCapture, e, s)
	err := o.Record(so)
	w.over(err)
	e.truth.end(w.world, r, w.outcomeOf(err))
	if err != nil {
		c.ok = false
		w.explainRecord(opCapture, e, s, err)
	}
}

func (c *session) hostFunc(so *event.Stream) {
	w := c.w
	if !c.dev.caps.Has(event.CapHostFunc) {
		return
	}
	w.nodes.Add(1)
	w.begin(opCapture, nil, c.s)
	err := so.HostFunc(func() error { return nil })
	w.over(err)
	if err != nil {
		c.ok = false
		w.explain(opCapture, err, nil, c.s)
	}
}

// across makes an event that nobody else knows, records it on one stream and has the other wait for
// it.
func (c *session) across(from, to *stream, fo, to2 *event.Stream) {
	w := c.w
	w.begin(opCapture, nil, from)
	o, err := fo.RecordNew()
	if err == nil {
		err = to2.WaitEvent(o)
		if e := o.Close(); err == nil {
			err = e
		}
	}
	w.over(err)
	if err != nil {
		c.ok = false
		w.explain(opCapture, err, nil, from, to)
	}
}

func (c *session) fork() { c.across(c.s, c.t, c.so, c.to) }

func (c *session) join() {
	for range 1 + c.w.n(3) {
		c.step(c.t, c.to)
	}
	c.across(c.t, c.s, c.to, c.so)
}

func (c *session) begin() error {
	if c.dev.backend == event.Host {
		return hostQueue(c.so).BeginCapture()
	}
	h := natives.Word(c.so)
	if h == 0 {
		return event.ErrClosed
	}
	return c.dev.within(func() error {
		if c.dev.backend == event.CUDA {
			return cudrv.StreamBeginCapture(cudrv.Stream(h), cudrv.StreamCaptureMode(c.mode))
		}
		return hip.StreamBeginCapture(hip.Stream(h), hip.StreamCaptureMode(c.mode))
	})
}

// end ends the capture, which must have survived, and launches the graph.
func (c *session) end() {
	w, h := c.w, natives.Word(c.so)
	const tries = 200 // an injected failure leaves the stream capturing
	for try := range tries {
		err := c.dev.within(func() error {
			switch c.dev.backend {
			case event.Host:
				return c.endOnHost()
			case event.CUDA:
				g, err := cudrv.StreamEndCapture(cudrv.Stream(h))
				if err == nil {
					c.launchCUDA(g, cudrv.Stream(h))
				}
				return err
			}
			g, err := hip.StreamEndCapture(hip.Stream(h))
			if err == nil {
				c.launchHIP(g, hip.Stream(h))
			}
			return err
		})
		if err == nil {
			return
		}
		if w.strict(c.dev) && c.ok {
			w.find("a capture in mode %d on %v was ended by somebody: %v\n%s",
				c.mode, c.s, err, c.s.history.String())
			return
		}
		if errors.Is(err, hip.ErrStreamCaptureInvalidated) ||
			errors.Is(err, hip.ErrStreamCaptureUnjoined) {
			c.discard(h)
			return
		}
		if !c.capturing(h) || try == tries-1 {
			return
		}
	}
}

// discard gives up the streams of a capture that failed: AMD's runtime never lets go of them, and a
// second end may crash.
func (c *session) discard(h uintptr) {
	if is, err := hip.StreamIsCapturing(hip.Stream(h)); err == nil && is == 0 {
		return
	}
	t := natives.Word(c.to)
	native.StreamOf(c.so).Discard(func(o driver.Object) bool { return o.Word == t })
}

// capturing asks whether the capture still goes on; not to know counts as yes.
func (c *session) capturing(h uintptr) bool {
	yes := true
	_ = c.dev.within(func() error {
		switch c.dev.backend {
		case event.Host:
			yes = hostQueue(c.so).Capturing()
			return nil
		case event.CUDA:
			status, err := cudrv.StreamIsCapturing(cudrv.Stream(h))
			yes = err != nil || status != cudrv.StreamCaptureStatusNone
			return err
		}
		status, err := hip.StreamIsCapturing(hip.Stream(h))
		yes = err != nil || status != hip.StreamCaptureStatusNone
		return err
	})
	return yes
}

func (c *session) launchCUDA(g cudrv.Graph, s cudrv.Stream) {
	w := c.w
	w.destroy(c.dev, func() error { return cudrv.GraphDestroy(g) })
	if w.graphs.Add(1) > mostGraphs {
		return
	}
	x, err := cudrv.GraphInstantiateWithFlags(g, 0)
	w.raws("instantiation", c.dev, err)
	if err != nil {
		return
	}
	w.destroy(c.dev, func() error { return cudrv.GraphExecDestroy(x) })
	for range 1 + w.n(3) {
		w.raws("launch", c.dev, cudrv.GraphLaunch(x, s))
	}
}

func (c *session) launchHIP(g hip.Graph, s hip.Stream) {
	w := c.w
	w.destroy(c.dev, func() error { return hip.GraphDestroy(g) })
	if w.graphs.Add(1) > mostGraphs {
		return
	}
	x, _, err := hip.GraphInstantiate(g, nil, 0)
	w.raws("instantiation", c.dev, err)
	if err != nil {
		return
	}
	w.destroy(c.dev, func() error { return hip.GraphExecDestroy(x) })
	for range 1 + w.n(3) {
		w.raws("launch", c.dev, hip.GraphLaunch(x, s))
	}
}

// destroy has a native object destroyed at the end, when no work can need it.
func (w *world) destroy(d *device, f func() error) {
	w.atTheEnd(func() error { return d.within(f) })
}
