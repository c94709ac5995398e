package timeline

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/native"
)

// resolver is the goroutine that turns ended spans into items. For each lane it has one callback
// set, on the last event of a batch; nothing is polled here.
type resolver struct {
	tl     *Timeline
	ctx    context.Context // ends with the resolver
	cancel context.CancelFunc
	poked  chan struct{}
	done   chan struct{}
	asleep atomic.Bool // wake must poke

	mu       sync.Mutex
	arrivals []arrival
	late     []*slot // stragglers whose event is over by now
	flushes  []*flush
	stopped  bool

	// The goroutine's own:
	stragglers map[*slot]uint64 // their ids
	scratch    record
	freed      []*slot
	calls      []call
	nextCall   int
}

// arrival is the outcome of a measurement.
type arrival struct {
	device *device
	reading
	rest []*event.Event
}

const (
	tick      = time.Millisecond       // between two looks at lanes that have no callback set
	bedtime   = 100 * time.Millisecond // without work, the goroutine sleeps until it is woken
	anchoring = 50 * time.Millisecond  // the most that spans wait for a fresh anchor
)

func (r *resolver) start(tl *Timeline) {
	r.tl = tl
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.poked, r.done = make(chan struct{}, 1), make(chan struct{})
	r.stragglers = map[*slot]uint64{}
	go r.run()
}

// poke makes the goroutine look now.
func (r *resolver) poke() {
	select {
	case r.poked <- struct{}{}:
	default:
	}
}

// wake pokes the goroutine if it sleeps. Most calls of End find it awake, and cost a load.
func (r *resolver) wake() {
	if r.asleep.Load() && r.asleep.CompareAndSwap(true, false) {
		r.poke()
	}
}

// run goes on in another goroutine if a function of the user's ends this one.
func (r *resolver) run() {
	ended := false
	defer func() {
		if !ended {
			r.tl.report(errGoexit)
			go r.run()
		}
	}()
	r.loop()
	ended = true
	close(r.done)
}

func (r *resolver) loop() {
	timer := time.NewTimer(tick)
	defer timer.Stop()
	active := r.now()
	for r.ctx.Err() == nil {
		r.deliver()
		r.endFlushes()
		now := r.now()
		if r.sweep(now) {
			active = now
		}
		if len(r.calls) > 0 {
			continue
		}
		r.endFlushes()
		timer.Reset(tick)
		expired := timer.C
		if now-active > bedtime {
			r.asleep.Store(true)
			if r.queued() {
				r.asleep.Store(false)
				continue
			}
			expired = nil
		}
		select {
		case <-r.poked:
		case <-expired:
		case <-r.ctx.Done():
		}
		if r.asleep.Swap(false) {
			active = r.now()
		}
	}
}

func (r *resolver) now() time.Duration { return time.Since(r.tl.origin) }

// sweep looks at everything once. It reports whether there was anything to do.
func (r *resolver) sweep(now time.Duration) (busy bool) {
	r.mu.Lock()
	arrivals, late := r.arrivals, r.late
	r.arrivals, r.late = nil, nil
	r.mu.Unlock()
	for _, a := range arrivals {
		r.arrive(a, now)
	}
	r.tl.mu.Lock()
	devices, lanes := r.tl.order, r.tl.lanes
	r.tl.mu.Unlock()
	for _, d := range devices {
		if d.keeper.due(now) {
			d.keeper.begin(now, func(got reading, rest []*event.Event) {
				r.arrived(arrival{d, got, rest})
			})
		}
	}
	for _, s := range late {
		delete(r.stragglers, s)
		relaxed(s.device, func() { r.resolve(s) })
	}
	for _, l := range lanes {
		if r.serve(l, now) {
			busy = true
		} else if l.stream.IsClosed() && l.leave() {
			r.tl.forget(l)
		}
	}
	for _, s := range r.freed {
		r.tl.release(s)
	}
	r.freed = r.freed[:0]
	return busy || len(arrivals)+len(late) > 0
}

// relaxed runs f on a thread whose queries don't disturb graph captures of others.
func relaxed(d *device, f func()) { native.DeviceOf(d.device).Driver.Relaxed(f) }

// serve resolves a lane's batch if its end was reached, and sets the callback for the next one.
func (r *resolver) serve(l *lane, now time.Duration) (busy bool) {
	if l.armed > 0 && l.fired.Load() {
		busy = true
		batch := l.next(l.armed)
		relaxed(l.device, func() {
			for _, s := range batch {
				r.resolve(s)
			}
		})
		l.adapt(now - l.since)
		l.armed = 0
	}
	busy = l.pull() || busy
	if l.armed > 0 || len(l.pending) == l.head {
		return busy
	}
	k := &l.device.keeper
	switch {
	case k.stale(now):
		return true
	case !k.ready() && k.err != nil:
		for _, s := range l.next(len(l.pending) - l.head) {
			r.finish(s, k.err)
		}
		return true
	}
	l.armed, l.since = min(l.batch, len(l.pending)-l.head), now
	l.fired.Store(false)
	last := l.pending[l.head+l.armed-1].endEvent()
	if err := last.OnDone(l.fire); err != nil { // it has failed, or was captured
		l.fire(err)
	}
	return true
}

// queued reports whether a lane has ended spans that are not resolved.
func (r *resolver) queued() bool {
	r.tl.mu.Lock()
	lanes := r.tl.lanes
	r.tl.mu.Unlock()
	for _, l := range lanes {
		if l.isQueued() {
			return true
		}
	}
	return false
}

// stop ends the goroutine and counts what it has not resolved.
func (r *resolver) stop() {
	r.cancel()
	<-r.done
	r.deliver()
	left := uint64(len(r.stragglers))
	r.tl.mu.Lock()
	for _, l := range r.tl.lanes {
		left += l.awaited() - l.taken
	}
	r.tl.mu.Unlock()
	r.tl.count.abandoned.Add(left)
}
