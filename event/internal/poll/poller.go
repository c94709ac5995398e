package poll

import (
	"sync"
	"time"
)

// Poller asks for tasks until they are over. All methods are safe for concurrent use and never wait
// for a question. Use [New].
type Poller struct {
	prepare func()
	epoch   time.Time

	mu       sync.Mutex
	lanes    map[any]*lane
	tempos   *tempos // nil until there is a lane
	loose    []*Item // without a lane
	pace     pace    // of those
	agenda   agenda  // when to ask whom
	fresh    []*Item // to be asked for before the next round
	runner   *runner // who asks; nil while there is nothing to ask for
	stuck    int     // runners that were replaced and whose question has not come back
	watchdog *time.Timer
	seen     uint64 // the runner's count of questions when the watchdog last looked
	ending   int    // tasks without a lane that hear of their end

	wake chan struct{}
	nap  *nap
}

// New returns a poller. Its goroutine calls prepare first, on a thread of its own that ends with it.
func New(prepare func()) *Poller {
	p := &Poller{
		prepare: prepare,
		epoch:   time.Now(),
		lanes:   map[any]*lane{},
		wake:    make(chan struct{}, 1),
		nap:     newNap(),
	}
	p.pace.items = &p.loose
	return p
}

// now is the time since the poller was made.
func (p *Poller) now() time.Duration { return time.Since(p.epoch) }

// Add has the item asked for from now on.
func (p *Poller) Add(it *Item) {
	p.mu.Lock()
	if it.Order.Lane == nil {
		p.addLoose(it)
	} else {
		it.lane = p.lane(it.Order.Lane)
		p.addTo(it.lane, it)
	}
	p.start()
	p.mu.Unlock()
	p.rouse()
}

// addTo adds an item to a lane. The caller holds p.mu.
func (p *Poller) addTo(l *lane, it *Item) {
	first := len(l.front) == 0
	if !l.add(it) {
		return
	}
	p.fresh = append(p.fresh, it)
	if first {
		p.begin(&l.pace)
	}
}

// begin says that something has come to the front that is being asked for. The caller holds p.mu.
func (p *Poller) begin(t *pace) {
	now := p.now()
	t.begin(now)
	p.agenda.put(t, now)
}

// rouse has the runner look for fresh items.
func (p *Poller) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
	p.nap.rouse()
}

// lane returns the lane with a key. The caller holds p.mu.
func (p *Poller) lane(key any) *lane {
	l := p.lanes[key]
	if l == nil {
		if p.tempos == nil {
			p.tempos = newTempos()
		}
		l = &lane{key: key}
		l.pace.items, l.pace.tempo = &l.front, p.tempos.of(key)
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

// backToLane has an item asked for again whose question has hung. The caller holds p.mu.
func (p *Poller) backToLane(it *Item) {
	l := it.lane
	l.hung = drop(l.hung, it)
	p.addTo(l, it)
	p.start()
	p.rouse()
}

// Remove has the item asked for no more. It reports whether that came in time: End is not called
// then. A question that is under way comes to nothing.
func (p *Poller) Remove(it *Item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !it.pending() {
		return false
	}
	p.ask(p.take(it))
	if it.lane != nil {
		p.forget(it.lane)
	}
	return true
}

// Loosen takes the item out of its lane, whose order does not hold for it any more.
func (p *Poller) Loosen(it *Item) {
	p.mu.Lock()
	if it.lane == nil || !it.pending() {
		p.mu.Unlock()
		return
	}
	l := it.lane
	p.ask(p.take(it))
	it.Order, it.lane = Order{}, nil
	p.addLoose(it)
	p.forget(l)
	p.mu.Unlock()
	p.rouse()
}

// addLoose adds an item without a lane. The caller holds p.mu.
func (p *Poller) addLoose(it *Item) {
	it.state, it.index = front, len(p.loose)
	p.loose = append(p.loose, it)
	p.fresh = append(p.fresh, it)
	p.begin(&p.pace)
}

// paceOf is the pace of the items that the item is asked for with.
func (p *Poller) paceOf(it *Item) *pace {
	if it.lane == nil {
		return &p.pace
	}
	return &it.lane.pace
}

// take makes an item that is asked for one that is over. The caller holds p.mu.
func (p *Poller) take(it *Item) (ask []*Item) {
	if it.lane != nil {
		return it.lane.remove(it)
	}
	n := len(p.loose) - 1
	moved := p.loose[n]
	p.loose[it.index], moved.index = moved, it.index
	p.loose[n] = nil
	p.loose = p.loose[:n]
	it.state = over
	if n == 0 {
		p.agenda.drop(&p.pace)
	}
	return nil
}

// Passed ends all tasks of the lane that precede the number: one that began with it is done.
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

// ask has items asked for soon that have come to the front. The caller holds p.mu.
func (p *Poller) ask(its []*Item) {
	if len(its) > 0 {
		p.fresh = append(p.fresh, its...)
		p.begin(&its[0].lane.pace)
		p.rouse()
	}
}

// Done ends the item, which is known to be done, behind all tasks that precede it.
func (p *Poller) Done(it *Item) {
	p.mu.Lock()
	if !it.pending() {
		p.mu.Unlock()
		return
	}
	l := it.lane
	if l == nil {
		p.take(it)
		p.ending++
		p.mu.Unlock()
		p.end(it, nil)
		return
	}
	p.ask(l.end(it))
	p.tell(l)
}

// tell has those of the lane that are over hear of it. It is called with p.mu held and returns
// without it.
func (p *Poller) tell(l *lane) {
	if l.telling { // whoever tells will come to those as well
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

// end has a task without a lane hear of its end, which is one of p.ending.
func (p *Poller) end(it *Item, err error) {
	it.Task.End(err)
	p.mu.Lock()
	p.ending--
	p.mu.Unlock()
}

// idle reports whether there is nothing to ask for. The caller holds p.mu.
func (p *Poller) idle() bool {
	if len(p.loose) > 0 {
		return false
	}
	for _, l := range p.lanes {
		if len(l.front) > 0 {
			return false
		}
	}
	return true
}

// Busy reports whether there is something to ask for, a question under way, or a task that is about
// to hear of its end.
func (p *Poller) Busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stuck > 0 || p.runner != nil && p.runner.asking || len(p.loose) > 0 ||
		len(p.lanes) > 0 || p.ending > 0
}
