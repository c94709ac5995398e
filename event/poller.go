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
	l.insert(p)
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

func (l *poller) insert(p *point) {
	lane := l.lanes[p.lane]
	i, _ := slices.BinarySearchFunc(lane, p, func(a, b *point) int { return cmp.Compare(a.seq, b.seq) })
	l.lanes[p.lane] = slices.Insert(lane, i, p)
}

// take removes p; false if it is not there.
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

// remove has p asked for no more.
func (l *poller) remove(p *point) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.take(p)
}

// removeUnwanted removes p unless somebody has begun to wait for it again, and lets its event make a new one next time.
func (l *poller) removeUnwanted(p *point) {
	e := p.event
	e.mu.Lock()
	defer e.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !p.unwanted() || !l.take(p) {
		return
	}
	if e.point == p {
		e.point = nil
	}
	if p.native != e.native {
		p.close()
	}
}

// replace has another native event asked for in p's place.
func (l *poller) replace(p *point, n *nativeEvent, seq uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.take(p) {
		if _, err := n.close(); err != nil { // it has just ended
			n.late(err)
		}
		return
	}
	p.native, p.seq = n, seq
	l.insert(p)
}

// run asks until there is nothing to ask for.
func (l *poller) run() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer l.driver.pollerThread()()

	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	began, pause := time.Now(), pollFirst
	for {
		progress, more := l.ask()
		switch {
		case !more:
			return
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

// ask asks once for the oldest point of each lane, and on as long as they are done. more is false, and the poller at rest, when none is left.
func (l *poller) ask() (progress, more bool) {
	l.mu.Lock()
	if len(l.lanes) == 0 {
		l.running = false
		l.mu.Unlock()
		return false, false
	}
	heads := make([]head, 0, len(l.lanes))
	for _, lane := range l.lanes {
		heads = append(heads, head{lane[0], lane[0].native})
	}
	l.mu.Unlock()

	for _, h := range heads {
		for h.p != nil {
			done, err := h.query()
			if !done && err == nil {
				break
			}
			h = l.finish(h, err)
			progress = true
		}
	}
	return progress, true
}

func (h head) query() (bool, error) {
	if !h.native.enter() {
		return false, ErrClosed
	}
	defer h.native.leave()
	return h.p.driver.queryEvent(h.native.handle)
}

// finish ends a point and returns the lane's next. A point that was replaced while it was asked for goes on.
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
		e.mu.Lock()
		if e.point == h.p {
			e.point = nil
		}
		e.mu.Unlock()
		h.p.end(err)
	}
	return next
}
