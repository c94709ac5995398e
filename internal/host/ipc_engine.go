package host

import (
	"slices"
	"sync"
	"time"
)

// ipcEngine polls records of other processes that are waited for. It has a goroutine only while
// there are any.
type ipcEngine struct {
	engine *Engine

	mu      sync.Mutex // taken before a record's lock
	watched []*record
	polling bool
	nudge   chan struct{}
}

const (
	pollFirst = 50 * time.Microsecond
	pollLast  = time.Millisecond
	pollShare = 8 // the pause is at least this many times the duration of the last round
)

// watch polls a remote record until it is complete or nobody waits for it any more.
func (e *ipcEngine) watch(r *record) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r.shmem.watched {
		return
	}
	r.shmem.watched = true
	e.watched = append(e.watched, r)
	if e.polling {
		select {
		case e.nudge <- struct{}{}:
		default:
		}
		return
	}
	e.polling = true
	e.nudge = make(chan struct{}, 1)
	go e.poll(e.nudge)
}

func (e *ipcEngine) poll(nudge <-chan struct{}) {
	pause := pollFirst
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for {
		began := time.Now()
		records := e.wanted()
		if records == nil {
			return
		}
		final := false
		for _, r := range records {
			final = r.shmem.refresh(r) || final
		}
		if final {
			pause = pollFirst
			continue
		}
		timer.Reset(max(pause, pollShare*time.Since(began)))
		select {
		case <-timer.C:
			pause = min(2*pause, pollLast)
		case <-nudge:
			pause = pollFirst
		}
	}
}

// wanted returns a copy of the records that are waited for; nil ends the polling.
func (e *ipcEngine) wanted() []*record {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.watched = slices.DeleteFunc(e.watched, func(r *record) bool {
		r.mu.Lock()
		wanted := r.load() == Pending && (r.first != nil || r.done != nil)
		r.mu.Unlock()
		r.shmem.watched = wanted
		return !wanted
	})
	if len(e.watched) == 0 {
		e.polling = false
		return nil
	}
	return slices.Clone(e.watched)
}
