package driver

import (
	"runtime"
	"sync"

	"github.com/gpuevent/gpuevent/event/internal/poll"
)

// polling is how a GPU's driver looks after tasks. Waits and what is to be destroyed are asked for
// apart, so that many handles to destroy delay no wait.
type polling struct {
	waits   *poll.Poller
	retired *poll.Poller
}

// newPolling takes what lets the calling thread ask for things while another one captures in global
// mode: drivers refuse that otherwise, and the capture fails.
func newPolling(relaxCapture func()) polling {
	return polling{poll.New(relaxCapture), poll.New(relaxCapture)}
}

// Watch has the item asked for.
func (p polling) Watch(_ Object, it *poll.Item) Watch {
	p.waits.Add(it)
	return polled{p.waits, it}
}

// Passed ends what precedes a task that is done.
func (p polling) Passed(lane any, n uint32) { p.waits.Passed(lane, n) }

// Retire has the item asked for, apart from those that somebody waits for.
func (p polling) Retire(it *poll.Item) { p.retired.Add(it) }

// Fail does nothing: no driver fails a stream for the host. Package event keeps the failure.
func (polling) Fail(Object, error) {}

// Failure is nil: a driver tells only those who ask it.
func (polling) Failure(Object) error { return nil }

// Busy reports whether anything is asked for. Tests ask.
func (p polling) Busy() bool { return p.waits.Busy() || p.Retiring() }

// Retiring reports whether something is about to be destroyed. Tests ask.
func (p polling) Retiring() bool { return p.retired.Busy() }

type polled struct {
	poller *poll.Poller
	item   *poll.Item
}

func (w polled) Stop() bool { return w.poller.Remove(w.item) }
func (w polled) Done()      { w.poller.Done(w.item) }
func (w polled) Loosen()    { w.poller.Loosen(w.item) }

// await has the poller ask until the answer is yes or an error. The order is that of the task on
// its stream, by which the poller knows how long such waits take; it may be zero. When await
// returns nobody asks any more.
func (p polling) await(order poll.Order, ask func() (bool, error)) error {
	a := &awaited{ask: ask, ended: make(chan error, 1)}
	a.Task, a.Order = a, order
	p.waits.Add(&a.Item)
	err := <-a.ended
	a.asking.Lock()
	defer a.asking.Unlock()
	a.over = true
	return err
}

// awaited is what somebody waits for in [polling.await].
type awaited struct {
	poll.Item
	ask    func() (bool, error)
	ended  chan error
	asking sync.Mutex // held during a question, which may go on when the task is over
	over   bool
}

func (a *awaited) Query() (bool, error) {
	a.asking.Lock()
	defer a.asking.Unlock()
	if a.over {
		return false, nil
	}
	return a.ask()
}

func (a *awaited) End(err error) { a.ended <- err }

// Spin asks as often as other goroutines allow until the answer is yes or an error.
func Spin(ask func() (bool, error)) error {
	for {
		if done, err := ask(); done || err != nil {
			return err
		}
		runtime.Gosched()
	}
}
