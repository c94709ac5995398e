package driver

import (
	"runtime"
	"sync"

	"github.com/gpuevent/gpuevent/internal/poll"
)

// polling polls tasks for a GPU's driver. Waits and handles to destroy have a poller each, so that
// many handles to destroy delay no wait.
type polling struct {
	waits   *poll.Poller
	retired *poll.Poller
}

// newPolling takes a function that lets the calling thread query while another thread captures in
// global mode. Without it drivers refuse the query and the capture fails.
func newPolling(relaxCapture func()) polling {
	return polling{poll.New(relaxCapture), poll.New(relaxCapture)}
}

// Watch polls the item.
func (p polling) Watch(_ Object, it *poll.Item) Watch {
	p.waits.Add(it)
	return polled{p.waits, it}
}

// Passed ends the tasks that precede one that is done.
func (p polling) Passed(lane any, n uint32) { p.waits.Passed(lane, n) }

// Retire polls the item, apart from those that are waited for.
func (p polling) Retire(it *poll.Item) { p.retired.Add(it) }

// Fail does nothing: no driver lets the host fail a stream. Package event keeps the failure.
func (polling) Fail(Object, error) {}

// Failure returns nil: a driver reports failures only when queried.
func (polling) Failure(Object) error { return nil }

// Busy reports whether anything is polled. For tests.
func (p polling) Busy() bool { return p.waits.Busy() || p.Retiring() }

// Polled returns what the poller of waits has done.
func (p polling) Polled() poll.Stats { return p.waits.Stats() }

// Retiring reports whether handles are waiting to be destroyed.
func (p polling) Retiring() bool { return p.retired.Busy() }

type polled struct {
	poller *poll.Poller
	item   *poll.Item
}

func (w polled) Stop() bool    { return w.poller.Remove(w.item) }
func (w polled) Done()         { w.poller.Done(w.item) }
func (w polled) Pending() bool { return w.poller.Pending(w.item) }
func (w polled) Loosen()       { w.poller.Loosen(w.item) }

// await polls until ask returns true or an error. The order is the task's place on its stream, from
// which the poller learns how long such waits take; it may be zero. No query is in flight when
// await returns.
func (p polling) await(order poll.Order, ask func() (bool, error)) error {
	poll.RefuseBubble()
	a := &awaited{ask: ask, ended: make(chan error, 1)}
	a.Task, a.Order = a, order
	p.waits.Add(&a.Item)
	err := <-a.ended
	a.asking.Lock()
	defer a.asking.Unlock()
	a.over = true
	return err
}

// awaited is a task of [polling.await].
type awaited struct {
	poll.Item
	ask    func() (bool, error)
	ended  chan error
	asking sync.Mutex // held during a query, which may outlast the task
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

// Spin calls ask, yielding in between, until it returns true or an error.
func Spin(ask func() (bool, error)) error {
	for {
		if done, err := ask(); done || err != nil {
			return err
		}
		runtime.Gosched()
	}
}
