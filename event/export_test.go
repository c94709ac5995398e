package event

import (
	"slices"
	"time"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/native"
)

// NewHostDevice makes a host device of an engine with a clock and failures of the test's choosing.
func NewHostDevice(engine *host.Engine) *Device { return newDevice(driver.NewHost(engine)) }

// Busy reports whether the device has something to poll, or handles to destroy.
func Busy(d *Device) bool {
	return d.native.HasIdleRelays() || Asking(d) || Retiring(d)
}

// Asking reports whether the device has something to poll, or an End to call.
func Asking(d *Device) bool {
	b, ok := d.driver.(interface{ Busy() bool })
	return ok && b.Busy()
}

// Retiring reports whether the device has handles that it is about to destroy.
func Retiring(d *Device) bool { return d.native.Retiring() }

// AnyLate reports whether any device has handles in its late lane.
func AnyLate() bool { return anyDevice(func(d *Device) bool { return d.native.DestroysLate() }) }

// DropRelays destroys the idle relays of a device.
func DropRelays(d *Device) { d.native.DropRelays() }

// AnyRetiring reports whether any device has handles that it is about to destroy.
func AnyRetiring() bool { return anyDevice(func(d *Device) bool { return d.native.Retiring() }) }

func anyDevice(is func(d *Device) bool) bool {
	registry.Lock()
	defer registry.Unlock()
	for _, a := range registry.answers {
		if slices.ContainsFunc(a.devices, is) {
			return true
		}
	}
	return false
}

// FlushErrors waits until the error handler has been called for everything reported.
func FlushErrors() {
	done := make(chan struct{})
	dispatch(errorLane{}, []func(error){func(error) { close(done) }}, nil)
	<-done
}

// NativeHandle returns a stream's handle without noting that somebody has it.
func NativeHandle(s *Stream) uintptr { return s.native.Object.Word }

// DropAllRelays destroys the idle relays of all devices.
func DropAllRelays() {
	anyDevice(func(d *Device) bool { DropRelays(d); return false })
}

// DrainPools destroys the pooled events of all devices.
func DrainPools() {
	registry.Lock()
	defer registry.Unlock()
	for _, a := range registry.answers {
		for _, d := range a.devices {
			d.native.DrainPool(d.native.ReportLate)
		}
	}
}

// LateQuestion returns a query of the event's last record that may be made after its end.
func LateQuestion(e *Event) func() (bool, error) {
	c := e.await(nil)
	c.keepPolling()
	return func() (done bool, err error) {
		e.home.driver.Relaxed(func() { done, err = c.queryRecord() })
		c.leave()
		return done, err
	}
}

// Look keeps others from recording the event, and from learning which record is the last.
func Look(e *Event) (unlook func()) {
	if _, ok := e.rec.look(); !ok {
		panic("the event is closed")
	}
	return e.unlook
}

// HoldEnd keeps the event's completion from ending, and with it all that end after it. The
// function that it returns ends that.
func HoldEnd(e *Event) (release func()) {
	c := e.await(nil)
	c.keepPolling()
	c.leave()
	c.mu.Lock()
	return c.mu.Unlock
}

// HoldAfterEnd stops the goroutine that ends the event's completion, once it has closed the channel
// of Done. The function that it returns lets it go on.
func HoldAfterEnd(e *Event) (release func()) {
	gate := make(chan struct{})
	c := e.await(nil)
	c.then = func(error) { <-gate }
	c.keepPolling()
	c.leave()
	return func() { close(gate) }
}

// IsEnding reports whether the event's completion is about to end.
func IsEnding(e *Event) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.waiting.Load()
	return c != nil && c.isEnding()
}

// LateAnswer is a query that has found the event done, and has not passed that on yet.
func LateAnswer(e *Event) (passOn func()) {
	rec, on := e.rec.load(), e.native.Load().On.Load()
	return func() { e.passOn(on, rec) }
}

// TakeTime is another goroutine that takes a time to the event and has not read it yet. The
// function that it returns reports whether that time is still there.
func TakeTime(e *Event) (read func() bool) {
	h := e.native.Load()
	if !h.Timing.TryLock() {
		panic("the event's memory is in use")
	}
	h.MS = 12345
	return func() bool {
		defer h.Timing.Unlock()
		return h.MS == 12345
	}
}

// SkipNumbers has a stream give out many numbers that are no record's.
func SkipNumbers(s *Stream, n uint32) {
	s.native.Numbers.Add(uint64(n))
}

// WakesOf counts latencies.
func WakesOf(ds ...time.Duration) Wakes {
	var w wakes
	for _, d := range ds {
		w.note(d)
	}
	return w.read()
}

// NativeOf identifies the event's native event.
func NativeOf(e *Event) uintptr { return e.native.Load().Object.Word }

// RegisterCleanup gives the event its cleanup now, unless it is closed.
func RegisterCleanup(e *Event) { e.registerCleanup() }

// Use uses the event's handle, as a call in flight does.
func Use(e *Event) (release func()) {
	h, err := e.retain("Use")
	if err != nil {
		panic(err)
	}
	return h.Release
}

// IsReused creates and closes two events, each with options of its own, and reports whether the
// second got the first one's native event.
func IsReused(d *Device, first, second driver.EventFlags) (again bool) {
	d.native.DrainPool(d.native.ReportLate)
	var natives []driver.Object
	for _, f := range []driver.EventFlags{first, second} {
		e, err := d.newEvent("IsReused", d, f)
		if err != nil {
			panic(err)
		}
		natives = append(natives, e.native.Load().Object)
		if err := e.Close(); err != nil {
			panic(err)
		}
	}
	return natives[0] == natives[1]
}

// IsOver reports whether a closed event's native event was destroyed or is in the pool.
func IsOver(e *Event) bool {
	h := e.native.Load()
	if !h.Pin() {
		return true
	}
	h.Release()
	return false
}

// IsFromPool reports whether the event's native event was another event's before.
func IsFromPool(e *Event) bool { return e.native.Load().Has(native.Reused) }
