package native

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/poll"
)

// disposal destroys a native stream or event when it is time.
type disposal struct {
	poll.Item
	object interface {
		fmt.Stringer
		// dispose destroys the object unless it is too early: over is false then.
		dispose(*disposal) (over bool, err error)
	}
	device    *Device
	destroyed chan<- error // receives the result; nil if no goroutine waits
	// marker is an event after the work of a stream that can't be queried; 0 if there is none.
	marker driver.Object
}

// Query destroys the object unless it is too early.
func (d *disposal) Query() (bool, error) { return d.object.dispose(d) }

// End passes the result on.
func (d *disposal) End(err error) {
	switch {
	case d.destroyed != nil:
		d.destroyed <- err
	case err != nil && !d.device.Gone(): // if gone, there is nothing left to destroy
		d.device.ReportLate(fmt.Errorf("destroy %v: %w", d.object, err))
	}
}

// now destroys an event, however long it takes.
func (d *disposal) now() {
	d.device.Driver.Relaxed(func() {
		_, err := d.Query()
		d.End(err)
	})
}

// late destroys events whose destruction waits for a device: one at a time, so that they block only
// one thread.
type late struct {
	mu    sync.Mutex
	count atomic.Int32 // of events that are waiting, or being destroyed
}

func (l *late) destroy(d *disposal) {
	l.count.Add(1)
	go func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		d.now()
		l.count.Add(-1)
	}()
}

// DestroysLate reports whether the device has events whose destruction waits for it.
func (d *Device) DestroysLate() bool { return d.late.count.Load() != 0 }

// Retiring reports whether the device has native objects waiting to be destroyed.
func (d *Device) Retiring() bool {
	b, ok := d.Driver.(interface{ Retiring() bool })
	return d.DestroysLate() || ok && b.Retiring()
}

// allIdle reports whether all streams of this package on the device are idle, including the default
// stream. A stream that can't be queried counts as idle, but then known is false.
func (d *Device) allIdle() (idle, known bool) {
	idle, known = true, true
	query := func(stream driver.Object) {
		done, err := d.Driver.QueryStream(stream)
		idle, known = done || err != nil, known && err == nil
	}
	query(d.Driver.DefaultStream())
	d.streams.Range(func(_, stream any) bool {
		if s := stream.(*Stream); idle && s.Pin() {
			query(s.Object)
			s.Release()
		}
		return idle
	})
	return idle, known
}

// Patience is how long a call waits for others that may be held up by a driver call.
const Patience = 100 * time.Millisecond

// Soon waits for a condition that takes microseconds unless a driver call hangs. It reports whether
// the condition came true in time.
func Soon(limit time.Duration, is func() bool) bool {
	for began := time.Now(); !is(); time.Sleep(10 * time.Microsecond) {
		if time.Since(began) > limit {
			return false
		}
	}
	return true
}
