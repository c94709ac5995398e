package poll

import (
	"sync"
	"time"
)

// Poller queries tasks until they end. All methods are safe for concurrent use and never wait for a
// query. Use [New].
type Poller struct {
	prepare func()
	epoch   time.Time

	mu       sync.Mutex
	lanes    map[any]*lane
	tempos   *tempos // nil until there is a lane
	agenda   agenda  // what to query when
	fresh    []*Item // to be queried before the next round
	runner   *runner // makes the queries; nil while there is nothing to poll
	stats    Stats
	watchdog *time.Timer
	seen     uint64 // the number of queries when the watchdog last looked

	wake chan struct{}
	nap  *nap
}

// New returns a poller. Its goroutine has a thread of its own, on which it calls prepare first.
func New(prepare func()) *Poller {
	return &Poller{
		prepare: prepare,
		epoch:   time.Now(),
		lanes:   map[any]*lane{},
		wake:    make(chan struct{}, 1),
		nap:     newNap(),
	}
}

// now returns the time since the poller was made.
func (p *Poller) now() time.Duration { return time.Since(p.epoch) }

// Add starts polling the item. It panics in a bubble of testing/synctest.
func (p *Poller) Add(it *Item) {
	RefuseBubble()
	p.mu.Lock()
	p.addTo(p.lane(it.Order.Lane), it)
	p.start()
	p.mu.Unlock()
	p.rouse()
}

// addTo adds an item to a lane. The caller holds p.mu.
func (p *Poller) addTo(l *lane, it *Item) {
	it.lane = l
	first := len(l.front) == 0
	if !l.add(it) {
		return
	}
	p.fresh = append(p.fresh, it)
	if first || l.key == nil {
		p.begin(&l.pace)
	}
}

// begin notes that something has come to the front and is being queried. The caller holds p.mu.
func (p *Poller) begin(t *pace) {
	now := p.now()
	t.begin(now)
	p.agenda.put(t, now)
}

// rouse makes the runner look for fresh items.
func (p *Poller) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
	p.nap.rouse()
}

// lane returns the lane of a key. The caller holds p.mu.
func (p *Poller) lane(key any) *lane {
	l := p.lanes[key]
	if l == nil {
		l = &lane{key: key}
		l.pace.items = &l.front
		if key != nil {
			if p.tempos == nil {
				p.tempos = newTempos()
			}
			l.pace.tempo = p.tempos.of(key)
		}
		p.lanes[key] = l
	}
	return l
}

// forget drops the lane if it is empty. The caller holds p.mu.
func (p *Poller) forget(l *lane) {
	if !l.empty() || p.lanes[l.key] != l {
		return
	}
	delete(p.lanes, l.key)
	p.agenda.drop(&l.pace)
}

// backToLane polls an item again whose query had hung. The caller holds p.mu.
func (p *Poller) backToLane(it *Item) {
	l := it.lane
	l.hung = drop(l.hung, it)
	p.addTo(l, it)
	p.start()
	p.rouse()
}

// Remove stops polling the item. It reports whether it came in time; then End is not called and a
// query in flight has no effect.
func (p *Poller) Remove(it *Item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !it.pending() {
		return false
	}
	p.ask(it.lane.remove(it))
	p.forget(it.lane)
	return true
}

// Pending reports whether the item is still polled. Once it is not, what is added to its lane ends
// after it, whatever its place.
func (p *Poller) Pending(it *Item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return it.pending()
}

// Loosen takes the item out of its lane, whose order no longer applies to it.
func (p *Poller) Loosen(it *Item) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !it.pending() || it.lane.key == nil {
		return
	}
	p.ask(it.lane.remove(it))
	p.forget(it.lane)
	it.Order = Order{}
	p.addTo(p.lane(nil), it)
	p.rouse()
}

// Passed ends all tasks of the lane that precede number n: the task that began with it is done.
func (p *Poller) Passed(key any, n uint32) {
	p.mu.Lock()
	l := p.lanes[key]
	if l == nil {
		p.mu.Unlock()
		return
	}
	l.passed(n)
	p.ask(l.advance())
	p.tell(l)
}

// ask schedules queries of items that have come to the front. The caller holds p.mu.
func (p *Poller) ask(its []*Item) {
	if len(its) > 0 {
		p.fresh = append(p.fresh, its...)
		p.begin(&its[0].lane.pace)
		p.rouse()
	}
}

// Done ends the item, which is known to be done, after the tasks that precede it.
func (p *Poller) Done(it *Item) {
	p.mu.Lock()
	if !it.pending() {
		p.mu.Unlock()
		return
	}
	l := it.lane
	p.ask(l.end(it))
	p.tell(l)
}

// tell calls End for the lane's tasks that are over. It is called with p.mu held and returns
// without it.
func (p *Poller) tell(l *lane) {
	if l.telling { // another goroutine will call End for these too
		p.mu.Unlock()
		return
	}
	l.telling = true
	for len(l.over) > 0 {
		batch := l.over
		l.over = nil
		p.mu.Unlock()
		for _, it := range batch {
			it.Task.End(it.err)
		}
		p.mu.Lock()
	}
	l.telling = false
	p.forget(l)
	p.mu.Unlock()
}

// idle reports whether there is nothing to poll. The caller holds p.mu.
func (p *Poller) idle() bool {
	for _, l := range p.lanes {
		if len(l.front) > 0 {
			return false
		}
	}
	return true
}

// Busy reports whether there is something to poll, a query in flight, or an End still to be called.
func (p *Poller) Busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats.Hung > 0 || p.runner != nil && p.runner.asking || len(p.lanes) > 0
}
