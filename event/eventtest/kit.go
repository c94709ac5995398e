package eventtest

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// kit is the toolkit of behaviours.
type kit struct {
	checks
	Target
	t      *testing.T
	broken *bool // the device was
}

func newKit(t *testing.T, x Target) *kit {
	if x.Check != nil {
		t.Cleanup(func() { x.Check(t) })
	}
	return &kit{checks{t}, x, t, new(bool)}
}

// patience bounds what would otherwise wait forever; nothing should take nearly as long.
const patience = 30 * time.Second

// stream makes a stream of the device, closed at the end of the test.
func (k *kit) stream(o ...event.StreamOption) *event.Stream { return k.streamOn(k.Device, o...) }

func (k *kit) streamOn(d *event.Device, o ...event.StreamOption) *event.Stream {
	k.t.Helper()
	s, err := d.NewStream(o...)
	k.NoError(err)
	k.t.Cleanup(func() { k.closed(s.Close()) })
	return s
}

// event makes an event of the device, closed at the end of the test.
func (k *kit) event(o ...event.EventOption) *event.Event { return k.eventOn(k.Device, o...) }

func (k *kit) eventOn(d *event.Device, o ...event.EventOption) *event.Event {
	k.t.Helper()
	e, err := d.NewEvent(o...)
	k.NoError(err)
	k.t.Cleanup(func() { k.closed(e.Close()) })
	return e
}

// closed wants Close to succeed, except on a broken device, whose driver returns errors.
func (k *kit) closed(err error) {
	if !*k.broken {
		k.NoError(err)
	}
}

// breakDevice makes the device fail.
func (k *kit) breakDevice() {
	*k.broken = true
	k.Break()
}

// record makes an event on the stream's device and records it.
func (k *kit) record(s *event.Stream, o ...event.EventOption) *event.Event {
	k.t.Helper()
	e := k.eventOn(s.Device(), o...)
	k.NoError(e.Record(s))
	return e
}

// gate holds a stream up.
type gate struct {
	k    *kit
	s    *event.Stream
	open func()
}

// gate holds a stream up until it is opened, at the end of the test at the latest.
func (k *kit) gate(s *event.Stream) *gate {
	k.t.Helper()
	g := &gate{k, s, k.hold(s)}
	k.t.Cleanup(func() {
		g.open()
		_ = s.Sync()
	})
	return g
}

// hold holds a stream up until open is called, or at most as long as a test may wait.
func (k *kit) hold(s *event.Stream) (open func()) {
	k.t.Helper()
	if k.Gate != nil && s.Device().Backend() == k.Device.Backend() && !k.Device.IsHost() {
		return sync.OnceFunc(k.Gate(s))
	}
	if !s.Device().Capabilities().Has(event.CapHostFunc) {
		k.t.Skipf("%v has no host functions, and the target no gate, to hold a stream up with",
			s.Device())
	}
	c := make(chan struct{})
	k.NoError(s.HostFunc(func() error {
		select {
		case <-c:
		case <-time.After(patience):
		}
		return nil
	}))
	return sync.OnceFunc(func() { close(c) })
}

// pass opens the gate and waits until the stream has passed it.
func (g *gate) pass() {
	g.k.t.Helper()
	g.open()
	g.k.NoError(g.s.Sync())
}

// tick lets time pass on the device.
func (k *kit) tick(d time.Duration) {
	if k.Pass != nil {
		k.Pass(d)
		return
	}
	for began := time.Now(); time.Since(began) < d; {
		runtime.Gosched()
	}
}

func (k *kit) isDone(want bool, e interface{ IsDone() (bool, error) }) {
	k.t.Helper()
	done, err := e.IsDone()
	k.NoError(err)
	k.Equal(want, done, "%v", e)
}

// refused wants an error with this cause that contains these words.
func (k *kit) refused(err error, cause error, words ...string) {
	k.t.Helper()
	k.ErrorIs(err, cause)
	for _, w := range words {
		k.ErrorContains(err, w)
	}
}

// ctx returns a context that ends only if something is badly wrong.
func (k *kit) ctx() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	k.t.Cleanup(cancel)
	return ctx
}

// within wants f to return.
func (k *kit) within(what string, f func()) {
	k.t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	k.reached(what, done)
}

func (k *kit) reached(what string, done <-chan struct{}) {
	k.t.Helper()
	select {
	case <-done:
	case <-time.After(patience):
		k.FailNow(what + " did not happen")
	}
}

// eventually wants a condition to become true.
func (k *kit) eventually(what string, ok func() bool) {
	k.t.Helper()
	for began := time.Now(); !ok(); runtime.Gosched() {
		if time.Since(began) > patience {
			k.FailNow(what + " did not happen")
		}
	}
}

func isOpen(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}
