package poll

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// testPatience bounds what would else wait for ever.
const testPatience = 20 * time.Second

// task is done when its test says so.
type task struct {
	Item
	answer atomic.Pointer[answer]
	before atomic.Pointer[func()] // runs in each question
	asked  atomic.Int64
	inside atomic.Int64 // questions under way
	twice  atomic.Bool  // two at once were seen
	ended  chan error
	then   func(*task) // runs in End
}

type answer struct{ err error }

// newTask is a task of a lane; of none if lane is nil.
func newTask(lane any, begin, end uint32) *task {
	t := &task{ended: make(chan error, 2)}
	t.Task = t
	if lane != nil {
		t.Order = Order{lane, begin, end}
	}
	return t
}

func (t *task) Query() (bool, error) {
	if t.inside.Add(1) > 1 {
		t.twice.Store(true)
	}
	defer t.inside.Add(-1)
	if f := t.before.Load(); f != nil {
		(*f)()
	}
	t.asked.Add(1)
	if a := t.answer.Load(); a != nil {
		return a.err == nil, a.err
	}
	return false, nil
}

func (t *task) End(err error) {
	if t.then != nil {
		t.then(t)
	}
	t.ended <- err
}

// finish makes the next answer be that the task is over.
func (t *task) finish(err error) { t.answer.Store(&answer{err}) }

// hold makes queries wait until the gate opens; entered is closed once one does.
func (t *task) hold() (entered chan struct{}, open func()) {
	entered, gate := make(chan struct{}), make(chan struct{})
	first := atomic.Bool{}
	f := func() {
		if first.CompareAndSwap(false, true) {
			close(entered)
		}
		<-gate
	}
	t.before.Store(&f)
	return entered, func() { close(gate) }
}

func (t *task) isOver() bool { return len(t.ended) > 0 }

func receive[T any](tb testing.TB, what string, c <-chan T) (v T) {
	tb.Helper()
	select {
	case v = <-c:
	case <-time.After(testPatience):
		require.FailNow(tb, what+" did not happen")
	}
	return v
}

func eventually(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	for began := time.Now(); !ok(); runtime.Gosched() {
		if time.Since(began) > testPatience {
			require.FailNow(tb, what+" did not happen")
		}
	}
}

// askedAgain waits until the task was queried twice more.
func askedAgain(tb testing.TB, t *task) {
	tb.Helper()
	from := t.asked.Load()
	eventually(tb, "a question", func() bool { return t.asked.Load() >= from+2 })
}

// runners is how many goroutines of pollers there are in the process.
func runners() int {
	buf := make([]byte, 1<<20)
	return bytes.Count(buf[:runtime.Stack(buf, true)], []byte("poll.(*runner).run("))
}

// idle wants the poller to come to rest, and to keep nothing.
func idle(tb testing.TB, p *Poller) {
	tb.Helper()
	eventually(tb, "rest", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.stats.Hung == 0 && (p.runner == nil || !p.runner.asking) &&
			len(p.lanes)+p.agenda.len() == 0
	})
	eventually(tb, "rest", func() bool { return !p.Busy() })
}
