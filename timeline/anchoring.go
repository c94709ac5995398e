package timeline

import (
	"errors"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// stale reports whether a fresh anchor is worth waiting for: the last one is old, or there is none.
func (k *keeper) stale(now time.Duration) bool {
	if !k.measuring {
		return !k.ready() && k.err == nil
	}
	return !k.ready() && k.err == nil || now-k.next > 2*k.pause && now-k.asked < anchoring
}

// arrived hands a measurement to the resolver. It runs on the measurement's goroutine.
func (r *resolver) arrived(a arrival) {
	r.mu.Lock()
	stopped := r.stopped
	if !stopped {
		r.arrivals = append(r.arrivals, a)
	}
	r.mu.Unlock()
	if stopped {
		_ = a.close() // it has no waiter
	}
	r.poke()
}

// arrive takes a measurement into its device's clock.
func (r *resolver) arrive(a arrival, now time.Duration) {
	k := &a.device.keeper
	k.measuring = false
	k.spare = append(k.spare, a.rest...)
	known := k.err != nil
	k.take(a.reading, now)
	if k.err != nil && !known {
		r.tl.report(refused("anchor", k.stream, k.err))
	}
	about := k.about()
	a.device.about.Store(&about)
	a.device.first.Do(func() { close(a.device.anchored) })
}

// anchored waits for a device's first anchor.
func (r *resolver) anchored(d *device) error {
	r.poke()
	<-d.anchored
	return d.about.Load().Err
}

// closeKeeper closes a device's anchors once the goroutine has ended. A measurement that still runs
// closes them when it ends.
func (r *resolver) closeKeeper(d *device) error {
	r.mu.Lock()
	r.stopped = true
	var err error
	for _, a := range r.arrivals {
		if a.device == d {
			d.keeper.measuring = false
			d.keeper.spare = append(d.keeper.spare, append(a.rest, points(a.reading)...)...)
		}
	}
	measuring := d.keeper.measuring
	r.mu.Unlock()
	if !measuring {
		err = d.keeper.close()
	}
	return err
}

// close closes a measurement's events and the rest of its device's.
func (a arrival) close() error {
	a.device.keeper.spare = append(a.device.keeper.spare, append(a.rest, points(a.reading)...)...)
	return errors.Join(a.device.keeper.close())
}

// Clock returns what is known of a device's clock against the host's, and whether the timeline
// knows the device.
func (tl *Timeline) Clock(d *event.Device) (Clock, bool) {
	if tl == nil {
		return Clock{}, false
	}
	tl.mu.Lock()
	own := tl.devices[d]
	tl.mu.Unlock()
	if own == nil {
		return Clock{}, false
	}
	if about := own.about.Load(); about != nil {
		return *about, true
	}
	return Clock{}, true
}
