package driver

import (
	"runtime"
	"time"

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

// How often [Poll] asks.
const (
	waitSpin  = 20 * time.Microsecond
	waitFirst = 50 * time.Microsecond
	waitLast  = time.Millisecond
)

// Poll asks until the answer is yes or an error: as often as other goroutines allow or, if
// blocking, with pauses that grow.
func Poll(blocking bool, ask func() (bool, error)) error {
	began, pause := time.Now(), waitFirst
	for {
		done, err := ask()
		if done || err != nil {
			return err
		}
		if !blocking || time.Since(began) < waitSpin {
			runtime.Gosched()
			continue
		}
		time.Sleep(pause)
		pause = min(2*pause, waitLast)
	}
}
