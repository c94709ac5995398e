package poll

import (
	"runtime"
	"time"
)

const (
	// longNap is the longest pause that the thread sleeps in the system. Longer ones use Go's
	// timers, so that the thread does not keep a scheduler's processor from others for long.
	longNap = 2 * time.Millisecond
	// linger is how long the goroutine stays when there is nothing to poll.
	linger = 10 * time.Millisecond
	// patience is how long a query may take before another goroutine takes over.
	patience = 5 * time.Millisecond
	// stuckShift bounds the doubling of patience when many queries hang.
	stuckShift = 8
)

// runner is a goroutine that makes queries.
type runner struct {
	poller *Poller

	// Guarded by the poller's lock.
	asking   bool
	counted  bool  // the round has made a query
	item     *Item // the one being queried
	replaced bool

	// items are those of this round: the goroutine's own, and the watchdog's once it is replaced.
	items []*Item
	last  round
}

// start starts a runner if there is none. The caller holds p.mu.
func (p *Poller) start() {
	if p.runner != nil {
		return
	}
	p.runner = &runner{poller: p}
	go p.runner.run()
	if p.watchdog == nil {
		p.watchdog = time.AfterFunc(patience, p.watch)
	} else {
		p.watchdog.Reset(patience)
	}
}

// watch replaces a runner whose query hangs.
func (p *Poller) watch() {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.runner
	if r == nil {
		return
	}
	if r.asking && p.stats.Queries == p.seen {
		r.replaced = true
		r.items = nil // the next runner queries them
		if it := r.item; it.state == front {
			it.lane.setAside(it)
			p.ask(it.lane.advance())
		}
		p.stats.Hung++
		p.runner = &runner{poller: p}
		go p.runner.run()
	}
	p.seen = p.stats.Queries
	p.watchdog.Reset(patience << min(p.stats.Hung, stuckShift))
}

// run polls until there is nothing to poll, or until it is replaced.
func (r *runner) run() {
	runtime.LockOSThread() // never unlocked: what prepare does to the thread ends with the thread
	r.poller.prepare()
	tighten()

	p := r.poller
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var often, seldom respite
	var others turns
	others.taken(p.now())
	yield := func() {
		runtime.Gosched()
		others.taken(p.now())
	}
	for {
		now := p.now()
		kind, next := r.take(now, often.over(), seldom.over())
		switch {
		case len(r.items) > 0:
		case next != never && others.beforePause(now):
			yield()
			continue
		case next != never:
			r.pause(timer, next-now)
			others.paused(p.now())
			continue
		default:
			if !r.park(timer, linger) && r.end() {
				return
			}
			others.taken(p.now())
			continue
		}
		progress, replaced := r.ask()
		if replaced {
			return
		}
		others.worked(progress)
		owed := &often
		if kind == seldomRound {
			owed = &seldom
		}
		switch {
		case progress:
			owed.waive()
		case kind != freshRound:
			owed.worked(now, p.now())
		}
		if others.betweenRounds(now) {
			yield()
		}
	}
}

// pause waits for fresh items, for at most d.
func (r *runner) pause(timer *time.Timer, d time.Duration) {
	if d > longNap {
		r.park(timer, d)
		return
	}
	r.poller.nap.sleep(d)
}

// park is pause for a long d. It reports whether there may be fresh items.
func (r *runner) park(timer *time.Timer, d time.Duration) (woken bool) {
	timer.Reset(d)
	select {
	case <-r.poller.wake:
		return true
	case <-timer.C:
		return false
	}
}

// end ends the goroutine if there is still nothing to poll.
func (r *runner) end() bool {
	p := r.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.idle() {
		return false
	}
	p.runner = nil
	clear(p.fresh) // all were removed
	p.fresh = p.fresh[:0]
	return true
}

// round is which items a round has.
type round uint8

const (
	freshRound  round = iota // those that have just come to the front
	oftenRound               // those that are polled often
	seldomRound              // some of the others
	rounds
)

// take collects the items of the next round: the fresh ones, or those that are due if the thread
// has rested from others of their kind. The kinds have their turns, so that none keeps another from
// being queried. It returns the kind, and when the next ones are due.
func (r *runner) take(now, often, seldom time.Duration) (kind round, next time.Duration) {
	p := r.poller
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(r.items) // must not keep what is over alive
	r.items = r.items[:0]
	for i := round(1); i <= rounds && len(r.items) == 0; i++ {
		switch kind = (r.last + i) % rounds; kind {
		case freshRound:
			r.items = append(r.items, p.fresh...)
			clear(p.fresh)
			p.fresh = p.fresh[:0]
		case oftenRound:
			if now >= often {
				r.items = p.agenda.dueOften(now, r.items)
			}
		case seldomRound:
			if now >= seldom {
				r.items = p.agenda.dueSeldom(now, r.items)
			}
		}
	}
	r.last, r.counted = kind, false
	next = never
	if at := p.agenda.nextOften(); at != never {
		next = max(at, often)
	}
	if at := p.agenda.nextSeldom(); at != never {
		next = min(next, max(at, seldom))
	}
	return kind, next
}

// ask queries each item of the round, and those that come to the front meanwhile.
func (r *runner) ask() (progress, replaced bool) {
	for i := 0; i < len(r.items); i++ { // r.items grows
		ended, replaced := r.askFor(r.items[i])
		if replaced {
			return progress, true
		}
		progress = progress || ended
	}
	return progress, false
}

// askFor queries one item. If replaced is true, the goroutine must end.
func (r *runner) askFor(it *Item) (ended, replaced bool) {
	p := r.poller
	p.mu.Lock()
	if it.state != front || it.asking {
		p.mu.Unlock()
		return false, false
	}
	done, err := r.query(it)
	if it.state == hanging && !done && err == nil { // late, but it may be queried again
		p.backToLane(it)
	}
	if it.state != front && it.state != hanging {
		return false, r.release()
	}
	t, now := &it.lane.pace, p.now()
	if !done && err == nil {
		t.stillPending(now, len(p.agenda.often))
		p.agenda.put(t, now)
		return false, r.release()
	}
	it.err = err
	t.ended(now)
	l := it.lane
	next := l.end(it)
	p.begin(t)
	if replaced = r.replaced; replaced {
		r.leave()
		p.fresh = append(p.fresh, next...)
	} else {
		r.items = append(r.items, next...)
	}
	p.tell(l)
	if !replaced && err == nil {
		replaced = r.skip(l)
	}
	return true, replaced
}

// query calls the task's Query. It is called with p.mu held and returns with it.
func (r *runner) query(it *Item) (done bool, err error) {
	p := r.poller
	it.asking, r.asking, r.item = true, true, it
	p.stats.Queries++
	if !r.counted { // all items of a round may have been removed before it begins
		r.counted = true
		p.stats.Rounds++
	}
	p.mu.Unlock()
	done, err = it.Task.Query()
	p.mu.Lock()
	it.asking, r.asking, r.item = false, false, nil
	return done, err
}

// skip queries the lane's last item if many come before it: if that one is done, so are they.
func (r *runner) skip(l *lane) (replaced bool) {
	p := r.poller
	p.mu.Lock()
	last := l.last
	l.sinceLast++
	if last == nil || last.state != behind || last.asking ||
		len(l.rest) < lastWorth || l.sinceLast < l.untilLast {
		p.mu.Unlock()
		return false
	}
	done, err := r.query(last)
	if !done || err != nil || last.state == over || last.lane != l {
		l.sinceLast, l.untilLast = 0, max(2*l.untilLast, lastWorth)
		return r.release()
	}
	l.end(last)
	next := l.front
	p.begin(&l.pace)
	if replaced = r.replaced; replaced {
		r.leave()
		p.fresh = append(p.fresh, next...)
	} else {
		r.items = append(r.items, next...)
	}
	p.tell(l)
	return replaced
}

// release unlocks p.mu and reports whether the goroutine was replaced.
func (r *runner) release() (replaced bool) {
	replaced = r.replaced
	r.leave()
	r.poller.mu.Unlock()
	return replaced
}

// leave counts a hanging query less if the goroutine was replaced. The caller holds p.mu.
func (r *runner) leave() {
	if r.replaced {
		r.poller.stats.Hung--
	}
}
