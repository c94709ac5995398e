package event

import (
	"fmt"
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
	case err != nil && !d.device.gone(): // if gone, there is nothing left to destroy
		reportLate(fmt.Errorf("destroy %v: %w", d.object, err))
	}
}

// now destroys an event, however long it takes.
func (d *disposal) now() {
	d.device.driver.Relaxed(func() {
		_, err := d.Query()
		d.End(err)
	})
}

// lateLane is the lane in which events are destroyed whose destruction waits for a device. One
// goroutine destroys them in turn, so that they block only one thread.
type lateLane struct{ device *Device }

// destroysLate reports whether the device has events in its late lane.
func (d *Device) destroysLate() bool {
	dispatcher.Lock()
	defer dispatcher.Unlock()
	_, busy := dispatcher.lanes[lateLane{d}]
	return busy
}

// retiring reports whether the device has native objects waiting to be destroyed.
func (d *Device) retiring() bool {
	b, ok := d.driver.(interface{ Retiring() bool })
	return d.destroysLate() || ok && b.Retiring()
}

// allIdle reports whether all streams of this package on the device are idle, including the default
// stream. A stream that can't be queried counts as idle, but then known is false.
func (d *Device) allIdle() (idle, known bool) {
	idle, known = true, true
	query := func(stream driver.Object) {
		done, err := d.driver.QueryStream(stream)
		idle, known = done || err != nil, known && err == nil
	}
	query(d.driver.DefaultStream())
	d.streams.Range(func(_, stream any) bool {
		if s := stream.(*nativeStream); idle && s.pin() {
			query(s.object)
			s.release()
		}
		return idle
	})
	return idle, known
}

// patience is how long a call waits for others that may be held up by a driver call.
const patience = 100 * time.Millisecond

// soon waits for a condition that takes microseconds unless a driver call hangs. It reports whether
// the condition came true in time.
func soon(limit time.Duration, is func() bool) bool {
	for began := time.Now(); !is(); time.Sleep(10 * time.Microsecond) {
		if time.Since(began) > limit {
			return false
		}
	}
	return true
}
