package event

import "sync"

// point is one record of an event that somebody waits for. It ends once: done, failed or abandoned.
//
// Locks are taken in the order event, poller, point, dispatcher.
type point struct {
	event  *Event // keeps the event, and so its handle, while anybody waits
	driver driver
	rec    record
	lane   any    // where callbacks are in order: the record's stream, or the event itself where that is not known
	seq    uint64 // the order within the lane
	poller *poller
	stop   func() // instead of a poller: ends the driver's notification; guarded by the event's lock

	// native is the event that tells of the record: the event's own, or one that stands in since it was recorded anew. Guarded by
	// the poller's lock while the poller has the point.
	native *nativeEvent

	done chan struct{}
	err  error // valid once done is closed

	mu        sync.Mutex
	ended     bool
	users     int  // calls that wait, or are about to
	lasting   bool // somebody holds the channel or a callback is set, so it must end even without users
	callbacks []func(error)
	alarms    []alarm
}

// alarm is told of a point's end by its number.
type alarm struct {
	c      chan<- int // with room for one
	number int
}

// await returns the point of the last record, which is being watched from then on, with the caller as a user: leave it. It is nil if there
// is nothing to wait for. The caller is inside the guard and has excluded captures.
func (e *Event) await() *point {
	rec := e.rec.lock()
	defer e.rec.unlock(rec)
	if e.known(rec) {
		return nil
	}
	if p := e.point; p != nil && p.join() {
		return p
	}
	p := &point{event: e, native: e.native, driver: e.driver, rec: rec, seq: e.seq, lane: e, done: make(chan struct{}), users: 1}
	if s := e.stream; s != nil && rec.kind() == plain && s.ordered() {
		p.lane = s
	}
	e.point = p
	if p.stop = e.driver.notify(e.native.handle, func(err error) { p.end(err, true) }); p.stop == nil {
		p.poller = e.polls
		p.poller.add(p)
	}
	return p
}

// awaitForStream returns a point of the last record for a stream that waits for it: the event's own Close does not end it. The caller is
// inside the guard and has excluded captures.
func (e *Event) awaitForStream() (*point, error) {
	rec := e.rec.lock()
	defer e.rec.unlock(rec)
	p := &point{event: e, native: e.native, driver: e.driver, rec: rec, done: make(chan struct{}), lasting: true}
	p.lane = p
	if p.stop = e.driver.notify(e.native.handle, func(err error) { p.end(err, true) }); p.stop != nil {
		return p, nil // the host's engine tells of a record, whatever becomes of the event
	}
	n, err := e.standIn()
	if err != nil {
		return nil, err
	}
	p.native, p.poller = n, e.polls
	p.poller.add(p)
	return p, nil
}

// end ends the point, wakes everybody and has the callbacks run. With verdict, err is what became of the record; else it is why nobody
// will know.
func (p *point) end(err error, verdict bool) {
	p.mu.Lock()
	if p.ended {
		p.mu.Unlock()
		return
	}
	p.ended = true
	callbacks, alarms := p.callbacks, p.alarms
	p.callbacks, p.alarms = nil, nil
	p.mu.Unlock()

	e := p.event
	if verdict {
		p.conclude(err)
	}
	if n := p.native; n != e.native {
		if err == nil {
			n.drop()
		} else {
			n.dropAside() // its stream may not be idle, and AMD's driver waits until it is
		}
	}
	p.err = failed("Event.Wait", e, err)
	close(p.done)
	for _, a := range alarms {
		a.ring()
	}
	if len(callbacks) > 0 {
		dispatch(p.lane, callbacks, p.err)
	}
}

// conclude notes the record's fate in its event.
func (p *point) conclude(err error) {
	if err == nil {
		p.event.settle(p.rec)
	} else if p.rec.settles() {
		p.event.broken.Store(&failure{p.rec, err})
	}
}

// ring never blocks: the first alarm is the one that counts.
func (a alarm) ring() {
	select {
	case a.c <- a.number:
	default:
	}
}

// abandon ends the point because its event was closed or told of something else.
func (p *point) abandon(err error) {
	if p.poller != nil {
		p.poller.remove(p)
	} else {
		p.stop()
	}
	p.end(err, false)
}

// isOver tells whether the point has ended.
func (p *point) isOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// join counts a user in, unless the point has ended.
func (p *point) join() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	p.users++
	return true
}

// leave counts a user out. After the last one nobody asks the driver any more.
func (p *point) leave() {
	p.mu.Lock()
	p.users--
	unwanted := p.unwantedLocked()
	p.mu.Unlock()
	if unwanted {
		p.withdraw()
	}
}

func (p *point) unwantedLocked() bool { return p.users == 0 && !p.lasting && !p.ended }

// unwanted tells whether nobody waits any more.
func (p *point) unwanted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unwantedLocked()
}

// withdraw takes an unwanted point out of service, unless somebody has begun to use it again.
func (p *point) withdraw() {
	e := p.event
	rec := e.rec.lock()
	defer e.rec.unlock(rec)
	if p.poller != nil && !p.poller.removeUnwanted(p) {
		return
	}
	if p.poller == nil {
		if !p.unwanted() {
			return
		}
		p.stop()
	}
	if e.point == p {
		e.point = nil
	}
	if p.native != e.native {
		p.native.dropAside() // its stream is not idle, and AMD's driver waits until it is
	}
}

// last makes the point one that must end even without users, and adds a callback if there is one. It is false if the point has ended.
func (p *point) last(f func(error)) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return false
	}
	p.lasting = true
	if f != nil {
		p.callbacks = append(p.callbacks, f)
	}
	return true
}

// alert has an alarm rung when the point ends, at once if it has.
func (p *point) alert(a alarm) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		a.ring()
		return
	}
	p.alarms = append(p.alarms, a)
}

// calm takes the alarms of one channel back.
func (p *point) calm(c chan<- int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := p.alarms[:0]
	for _, a := range p.alarms {
		if a.c != c {
			kept = append(kept, a)
		}
	}
	clear(p.alarms[len(kept):])
	p.alarms = kept
}
