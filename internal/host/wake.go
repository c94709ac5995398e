package host

import "slices"

// wake collects the queues that a completion releases, so that they go on without recursion and
// without a lock held.
type wake struct {
	queues []*Queue
	sorted bool
}

func (w *wake) add(q *Queue) {
	n := len(w.queues)
	w.sorted = n == 0 || w.sorted && w.queues[n-1].priority <= q.priority
	w.queues = append(w.queues, q)
}

// flush goes on with all of them and with those that they release, higher priority (lower number)
// first.
func (w *wake) flush() {
	for len(w.queues) > 0 {
		if !w.sorted {
			slices.SortStableFunc(w.queues, func(a, b *Queue) int { return a.priority - b.priority })
			w.sorted = true
		}
		q := w.queues[0]
		w.queues[0] = nil
		w.queues = w.queues[1:]
		q.mu.Lock()
		if q.take() {
			q.pump(w, false)
		} else {
			q.mu.Unlock()
		}
	}
}
