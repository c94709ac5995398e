package host

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

// ipcEngine is what an engine needs for shared events while it has any: an identity that dies with the process, and a goroutine that looks
// at records of others while somebody waits for one.
type ipcEngine struct {
	engine *Engine

	mu      sync.Mutex // taken before a record's lock
	owner   *ipcOwner  // while users > 0
	users   int
	watched []*record
	polling bool
	nudge   chan struct{}
}

func (e *ipcEngine) export() (*ipcEvent, error) {
	owner, err := e.acquire()
	if err != nil {
		return nil, err
	}
	var id segmentID
	rand.Read(id[:]) // never fails
	seg, err := createSegment(owner, id)
	if err != nil {
		e.release()
		return nil, err
	}
	return e.join(seg, owner, true)
}

func (e *ipcEngine) open(id segmentID) (*ipcEvent, error) {
	owner, err := e.acquire()
	if err != nil {
		return nil, err
	}
	seg, err := openSegment(owner.dir, id)
	if err != nil {
		e.release()
		return nil, err
	}
	return e.join(seg, owner, false)
}

func (e *ipcEngine) join(seg *segment, owner *ipcOwner, exporter bool) (*ipcEvent, error) {
	user, err := seg.enter(owner.id)
	if err != nil {
		e.release()
		return nil, err
	}
	return &ipcEvent{eng: e, seg: seg, owner: owner.id, user: user, exporter: exporter}, nil
}

func (e *ipcEngine) acquire() (*ipcOwner, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.owner == nil {
		o, err := newOwner()
		if err != nil {
			return nil, err
		}
		e.owner = o
	}
	e.users++
	return e.owner, nil
}

func (e *ipcEngine) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.users--; e.users == 0 {
		e.owner.release()
		e.owner = nil
	}
}

const (
	pollFirst = 50 * time.Microsecond
	pollLast  = time.Millisecond
)

// watch has a remote record looked at until it is complete or nobody waits for it any more.
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
		timer.Reset(pause)
		select {
		case <-timer.C:
			pause = min(2*pause, pollLast)
		case <-nudge:
			pause = pollFirst
		}
	}
}

// wanted is a copy of the records somebody waits for; nil ends the polling.
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
