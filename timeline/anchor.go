package timeline

import (
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/native"
)

// reading is an anchor with its event, or why there is none.
type reading struct {
	anchor
	at  *event.Event
	err error
}

const (
	tries      = 12 // of which the smallest window is kept
	enough     = 4  // tries, if one was about as good as the best so far
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// keeper keeps a device's clock anchored. The resolver owns it, but for measure, which runs on a
// goroutine of its own: a driver that hangs holds up nothing but the next anchor.
type keeper struct {
	device *event.Device
	origin time.Time
	clock  clock
	points []*event.Event // of the clock's anchors
	spare  []*event.Event
	stream *event.Stream // private: no work of the user's is in front of an anchor
	err    error         // of the last measurement

	measuring bool
	asked     time.Duration // when the measurement began
	next      time.Duration // when to measure again
	pause     time.Duration
	best      float64 // the smallest half window so far
}

func newKeeper(d *event.Device, origin time.Time) keeper {
	return keeper{device: d, origin: origin, pause: firstPause,
		clock: newClock(float64(resolution(d.Backend())), !d.IsHost())}
}

// resolution returns the most that a time from a backend's driver is wrong, apart from the float's
// precision. The drivers document half a microsecond and one.
func resolution(b event.Backend) time.Duration {
	switch b {
	case event.CUDA:
		return 500 * time.Nanosecond
	case event.HIP:
		return time.Microsecond
	}
	return 100 * time.Nanosecond // the coarsest of the monotonic clocks that systems have
}

// measure takes a reading: it records an event and waits for it between two readings of the host's
// clock, repeatedly, and keeps the one with the smallest window. It returns the events that it did
// not keep.
func (k *keeper) measure(spare []*event.Event, best float64) (r reading, rest []*event.Event) {
	// A query from another thread would end a capture in global mode, were the thread not relaxed.
	native.DeviceOf(k.device).Driver.Relaxed(func() { r, rest = k.try(spare, best) })
	return r, rest
}

func (k *keeper) try(spare []*event.Event, best float64) (reading, []*event.Event) {
	var kept reading
	for i := range tries {
		for len(spare) == 0 {
			e, err := k.device.NewEvent(event.WithTiming())
			if err != nil {
				return reading{err: err}, append(spare, points(kept)...)
			}
			spare = append(spare, e)
		}
		e := spare[len(spare)-1]
		before := time.Since(k.origin)
		if err := e.Record(k.stream); err != nil {
			return reading{err: err}, append(spare, points(kept)...)
		}
		if err := e.Sync(); err != nil {
			return reading{err: err}, append(spare, points(kept)...)
		}
		after := time.Since(k.origin)
		half := float64(after-before)/2 + 1 // a nanosecond, for the readings' own
		if kept.at == nil || half < kept.half {
			spare = append(spare[:len(spare)-1], points(kept)...)
			kept = reading{anchor: anchor{float64(before) + float64(after-before)/2, half}, at: e}
		}
		if i+1 >= enough && kept.half <= 1.25*best {
			break
		}
	}
	return kept, spare
}

func points(r reading) []*event.Event {
	if r.at == nil {
		return nil
	}
	return []*event.Event{r.at}
}

// take puts a reading into the clock, unless the anchors so far are better even now.
func (k *keeper) take(r reading, now time.Duration) {
	k.next = now + k.pause
	k.pause = min(2*k.pause, lastPause)
	k.err = r.err
	if r.err != nil {
		return
	}
	if k.best == 0 || r.half < k.best {
		k.best = r.half
	}
	if k.ready() && r.half > k.clock.bound(r.anchor.at) {
		k.spare = append(k.spare, r.at)
		return
	}
	gaps := make([]float64, len(k.points))
	for i, p := range k.points {
		gap, err := r.at.Sub(p)
		if err != nil {
			k.err = err
			k.spare = append(k.spare, r.at)
			return
		}
		gaps[i] = float64(gap)
	}
	dropped := k.clock.add(r.anchor, gaps)
	if dropped > 1 { // it begins anew
		k.pause = firstPause
	}
	k.spare = append(k.spare, k.points[:dropped]...)
	k.points = append(append(k.points[:0], k.points[dropped:]...), r.at)
}

// ready reports whether there is an anchor.
func (k *keeper) ready() bool { return len(k.points) > 0 }

// place returns the host time of a finished event and its bound.
func (k *keeper) place(e *event.Event) (at, bound float64, err error) {
	newest := len(k.points) - 1
	gap, err := e.Sub(k.points[newest])
	if err != nil {
		return 0, 0, err
	}
	if i := k.clock.nearest(float64(gap)); i != newest {
		newest = i
		if gap, err = e.Sub(k.points[i]); err != nil {
			return 0, 0, err
		}
	}
	at, bound = k.clock.place(newest, float64(gap))
	return at, bound, nil
}

// close closes the events and the stream. No measurement runs.
func (k *keeper) close() error {
	var err error
	for _, e := range append(k.spare, k.points...) {
		err = firstError(err, e.Close())
	}
	k.spare, k.points = nil, nil
	if k.stream != nil {
		err = firstError(err, k.stream.Close())
	}
	return err
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// Clock is what is known of a device's clock against the host's.
type Clock struct {
	// Anchors is how many anchors are in use; 0 until the first is taken.
	Anchors int
	// Bound is the error bound of an event at the newest anchor. The bound of each span is in
	// [Item.Bound].
	Bound time.Duration
	// Drift is how much the device's clock gains in a second, in seconds, and Unsure the most that
	// it may be off: 2e-6 is 2 parts per million.
	Drift, Unsure float64
	// Err is why the last attempt to take an anchor failed.
	Err error
}

// about returns what is known now.
func (k *keeper) about() Clock {
	c := Clock{Anchors: len(k.points), Err: k.err, Drift: 1/k.clock.rate - 1, Unsure: k.clock.unsure}
	if k.ready() {
		a := k.clock.anchors[len(k.clock.anchors)-1]
		c.Bound = time.Duration(a.half + k.clock.resolution)
	}
	return c
}

// due reports whether it is time for another anchor.
func (k *keeper) due(now time.Duration) bool { return !k.measuring && now >= k.next }

// begin starts a measurement. done is called with the reading on another goroutine.
func (k *keeper) begin(now time.Duration, done func(reading, []*event.Event)) {
	k.measuring, k.asked = true, now
	spare, best := k.spare, k.best
	k.spare = nil
	go func() { done(k.measure(spare, best)) }()
}
