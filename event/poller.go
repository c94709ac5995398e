package event

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"time"
)

// How often the poller asks: at once, then as fast as other goroutines allow, then in growing steps. Any progress starts over.
const (
	pollSpin  = 20 * time.Microsecond
	pollFirst = 50 * time.Microsecond
	pollLast  = time.Millisecond
)

// poller asks a device's driver for the points that somebody waits for: one goroutine while there are any, none else. Points of one stream
// are done in the order of their records, so only the oldest of each stream is asked for: the cost is per stream, not per event.
type poller struct {
	driver driver

	entry  sync.Mutex // held while a wait begins with a question: one thread is enough for all
	asking sync.Mutex // held while the driver is asked; taken before mu

	mu      sync.Mutex
	lanes   map[any][]*point // by seq; no lane is empty
	running bool
	wake    chan struct{}
}

func newPoller(d driver) *poller {
	return &poller{driver: d, lanes: map[any][]*point{}, wake: make(chan struct{}, 1)}
}

// add has p asked for from now on.
func (l *poller) add(p *point) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lane := l.lanes[p.lane]
	i, _ := slices.BinarySearchFunc(lane, p, func(a, b *point) int { return cmp.Compare(a.seq, b.seq) })
	l.lanes[p.lane] = slices.Insert(lane, i, p)
	if !l.running {
		l.running = true
		go l.run()
		return
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// take removes p; false if it is not there. The caller holds l.mu.
func (l *poller) take(p *point) bool {
	lane := l.lanes[p.lane]
	i := slices.Index(lane, p)
	if i < 0 {
		return false
	}
	if lane = slices.Delete(lane, i, i+1); len(lane) == 0 {
		delete(l.lanes, p.lane)
	} else {
		l.lanes[p.lane] = lane
	}
	return true
}

// remove has p asked for no more; false if it was not.
func (l *poller) remove(p *point) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.take(p)
}

// removeUnwanted is remove, unless somebody has begun to wait for p again.
func (l *poller) removeUnwanted(p *point) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return p.unwanted() && l.take(p)
}

// replace has another native event asked for in p's place; false if p is not asked for any more.
func (l *poller) replace(p *point, n *nativeEvent) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.lanes[p.lane], p) {
		return false
	}
	p.native = n
	return true
}

// run asks until there is nothing to ask for.
func (l *poller) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer l.driver.relax()()

	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var heads []head
	began, pause := time.Now(), pollFirst
	for {
		if heads = l.heads(heads[:0]); len(heads) == 0 {
			return
		}
		progress := l.ask(heads)
		clear(heads) // a point that is over must not be kept
		switch {
		case progress:
			began, pause = time.Now(), pollFirst
			continue
		case time.Since(began) < pollSpin:
			runtime.Gosched()
			continue
		}
		timer.Reset(pause)
		select {
		case <-l.wake:
			began, pause = time.Now(), pollFirst
		case <-timer.C:
			pause = min(2*pause, pollLast)
		}
	}
}

// head is the oldest point of a lane, with what stands for it at this moment.
type head struct {
	p      *point
	native *nativeEvent
}

// heads appends the oldest point of each lane. If there is none, the poller is at rest from then on.
func (l *poller) heads(hs []head) []head {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, lane := range l.lanes {
		hs = append(hs, head{lane[0], lane[0].native})
	}
	l.running = len(hs) > 0
	return hs
}

// ask asks once for each, and on along its lane as long as points are over.
func (l *poller) ask(heads []head) (progress bool) {
	// The thread is locked no longer than that: to sleep and wake on a thread of its own costs a goroutine several switches.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer l.driver.relax()()
	for _, h := range heads {
		for h.p != nil {
			done, err := l.query(h)
			if !done && err == nil {
				break
			}
			h = l.finish(h, err)
			progress = true
		}
	}
	return progress
}

// query asks the driver, unless the point was taken away or given a stand-in meanwhile: then finish sees to that.
func (l *poller) query(h head) (bool, error) {
	l.asking.Lock()
	defer l.asking.Unlock()
	if !l.current(h) {
		return true, nil
	}
	if h.native.device.gone() {
		return false, &Error{"Event.Wait", h.p.event.String(), ErrNoDevice, "its library was replaced"}
	}
	if !h.native.enter() { // closed; Close ends the point
		return false, h.p.event.closedError("Event.Wait")
	}
	defer h.native.leave()
	return l.driver.queryEvent(h.native.handle)
}

func (l *poller) current(h head) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	lane := l.lanes[h.p.lane]
	return slices.Contains(lane, h.p) && h.p.native == h.native
}

// settle returns when no question that was asked before the call is under way any more.
func (l *poller) settle() {
	l.asking.Lock()
	defer l.asking.Unlock()
}

// finish ends a point and returns the lane's next. A point that was taken away or given a stand-in is left alone.
func (l *poller) finish(h head, err error) head {
	l.mu.Lock()
	lane := h.p.lane
	ended := h.p.native == h.native && l.take(h.p)
	var next head
	if rest := l.lanes[lane]; len(rest) > 0 {
		next = head{rest[0], rest[0].native}
	}
	l.mu.Unlock()
	if ended {
		e := h.p.event
		rec := e.rec.lock()
		if e.point == h.p {
			e.point = nil
		}
		e.rec.unlock(rec)
		h.p.end(err, true)
	}
	return next
}
