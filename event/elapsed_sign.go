package event

import (
	"time"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// markWithin is how long Sub waits for an event on an idle stream. Work of other streams may occupy
// all of the device.
const markWithin = time.Second

// signed returns the time between two done events with its true sign, for a driver that derives the
// sign from the order in which the events were recorded, not reached. On one stream that is the
// same. Otherwise an event that is recorded and reached after both has the right distance from
// each. The farther one was reached first. If both distances are rounded to the same number, the
// order of the records remains the best answer.
// fact: chip-elapsed-follows-records
func (d *Device) signed(op string, e *Event, start, end *native.Event, between time.Duration,
	ms *float32) (time.Duration, error) {
	if inOrder(start, end) {
		return between, nil
	}
	r, err := d.native.TakeRelay()
	if err != nil {
		return 0, failed(op, e, err)
	}
	mark, err := d.driver.CreateEvent(driver.EventFlags{Timing: true})
	if err != nil {
		r.GiveBack(true)
		return 0, failed(op, e, err)
	}
	toStart, toEnd, err := d.distances(mark, r.Stream.Object, start, end, ms)
	r.GiveBack(err == nil)
	if destroyed := d.driver.DestroyEvent(mark); err == nil {
		err = destroyed
	}
	switch {
	case err != nil:
		return 0, failed(op, e, err)
	case toStart != toEnd && (toStart > toEnd) != (between > 0):
		between = -between
	}
	return between, nil
}

// inOrder reports whether this package recorded both events last, on the same stream.
func inOrder(start, end *native.Event) bool {
	s := end.On.Load()
	return s != nil && s == start.On.Load() && !driver.IsPerThread(s.Object.Word) &&
		!start.Has(native.Exported) && !end.Has(native.Exported)
}

// distances records the mark on an idle stream, and returns the times from both events to it.
func (d *Device) distances(mark, stream driver.Object, start, end *native.Event, ms *float32) (
	toStart, toEnd time.Duration, err error) {
	if err := d.driver.Record(mark, stream, false); err != nil {
		return 0, 0, err
	}
	const pause = 20 * time.Microsecond
	began := time.Now()
	for done := false; !done; {
		if done, err = d.driver.QueryEvent(mark); err != nil {
			return 0, 0, err
		}
		if !done && time.Since(began) > markWithin {
			return 0, 0, &driver.Refusal{Cause: ErrNotReady, Detail: "the device is too busy to find " +
				"which of the events was reached first; call again when it has less work"}
		}
		if !done {
			time.Sleep(pause) // the runtime's threads need the processors
		}
	}
	if toStart, err = d.driver.Elapsed(start.Object, mark, ms); err != nil {
		return 0, 0, err
	}
	toEnd, err = d.driver.Elapsed(end.Object, mark, ms)
	return toStart, toEnd, err
}
