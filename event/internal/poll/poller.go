package poll

import (
	"sync"
	"time"
)

// Poller asks for tasks until they are over. All methods are safe for concurrent use and never wait
// for a question. Use [New].
type Poller struct {
	prepare func()

	mu       sync.Mutex
	lanes    map[any]*lane
	ordered  []*lane // the same, so that a round needs no order of a map
	loose    []*Item // without a lane
	fresh    []*Item // to be asked for before the next round
	runner   *runner // who asks; nil while there is nothing to ask for
	stuck    int     // runners that were replaced and whose question has not come back
	watchdog *time.Timer
	seen     uint64 // the runner's count of questions when the watchdog last looked

	wake chan struct{}
}

// New returns a poller. Its goroutine calls prepare first, on a thread of its own that ends with it.
func New(prepare func()) *Poller {
	return &Poller{prepare: prepare, lanes: map[any]*lane{}, wake: make(chan struct{}, 1)}
}

// Add has the item asked for from now on.
func (p *Poller) Add(it *Item) {
	p.mu.Lock()
	if it.Order.Lane == nil {
		p.addLoose(it)
	} else if it.lane = p.lane(it.Order.Lane); it.lane.add(it) {
		p.fresh = append(p.fresh, it)
	}
	p.start()
	p.mu.Unlock()
	p.rouse()
}

// rouse has the runner look for fresh items.
func (p *Poller) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// lane returns the lane with a key. The caller holds p.mu.
func (p *Poller) lane(key any) *lane {
	l := p.lanes[key]
	if l == nil {
		l = &lane{key: key, index: len(p.ordered)}
		p.lanes[key] = l
		p.ordered = append(p.ordered, l)
	}
	return l
}

// forget drops the lane if it is empty. The caller holds p.mu.
func (p *Poller) forget(l *lane) {
	if !l.empty() || p.lanes[l.key] != l {
		return
	}
	delete(p.lanes, l.key)
	n := len(p.ordered) - 1
	moved := p.ordered[n]
	p.ordered[l.index], moved.index = moved, l.index
	p.ordered[n] = nil
	p.ordered = p.ordered[:n]
}

// backToLane has an item asked for again whose question has hung. The caller holds p.mu.
func (p *Poller) backToLane(it *Item) {
	l := it.lane
	l.hung = drop(l.hung, it)
	if l.add(it) {
		p.fresh = append(p.fresh, it)
	}
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
		p.mu.Unlock()
		it.Task.End(nil)
		return
	}
	l.passed(it.Order.Begin)
	p.ask(l.remove(it))
	l.over = append(l.over, it)
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

// idle reports whether there is nothing to ask for. The caller holds p.mu.
func (p *Poller) idle() bool {
	if len(p.loose) > 0 {
		return false
	}
	for _, l := range p.ordered {
		if len(l.front) > 0 {
			return false
		}
	}
	return true
}

// Busy reports whether there is something to ask for, or a question under way.
func (p *Poller) Busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stuck > 0 || p.runner != nil && p.runner.asking || !p.idle()
}
