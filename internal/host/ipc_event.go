package host

import (
	"sync"
	"sync/atomic"
)

// ipcEvent is the shared side of an event.
type ipcEvent struct {
	eng      *ipcEngine
	block    *block
	place    location
	exporter bool

	remote *record // stands for the newest record of another; guarded by the event's lock

	mu      sync.Mutex
	pending int // records of ours that are not complete: we keep the memory as long
	closed  bool
	left    bool
}

// ipcRecord is the shared side of a record.
type ipcRecord struct {
	ev     *ipcEvent
	seq    uint64
	slot   *atomic.Uint64 // nil for a remote record
	remote bool           // made through another object, most likely of another process

	watched bool // guarded by the ipcEngine's lock
}

// begin makes a record that other processes see, done already or else to be published.
func (s *ipcEvent) begin(done bool) (*record, error) {
	state := slotDone
	if !done {
		state = slotPending
		s.mu.Lock()
		s.pending++
		s.mu.Unlock()
	}
	seq, slot, err := s.block.begin(state)
	if err != nil {
		if !done {
			s.complete()
		}
		return nil, err
	}
	return &record{
		gen:    seq - s.block.key,
		shared: true,
		shmem:  &ipcRecord{ev: s, seq: seq, slot: slot},
	}, nil
}

// publish completes a record of ours for the others.
func (r *ipcRecord) publish(err error) {
	state := slotDone
	if err != nil {
		state = slotFailed
	}
	r.ev.block.finish(r.seq, r.slot, state)
	r.ev.complete()
}

func (s *ipcEvent) complete() {
	s.mu.Lock()
	s.pending--
	leave := s.mayLeave()
	s.mu.Unlock()
	if leave {
		s.leave()
	}
}

// mayLeave needs s.mu. It says yes once.
func (s *ipcEvent) mayLeave() bool {
	if !s.closed || s.pending > 0 || s.left {
		return false
	}
	s.left = true
	return true
}

// leave lets another event have the memory, if it is ours to give.
func (s *ipcEvent) leave() {
	if s.exporter {
		freeBlock(s.block)
	}
}

// close ends the event for all, if we exported it. Its memory is kept until nothing of ours is
// pending.
func (s *ipcEvent) close() {
	if s.exporter {
		s.block.close()
	}
	s.mu.Lock()
	s.closed = true
	leave := s.mayLeave()
	s.mu.Unlock()
	if leave {
		s.leave()
	}
}

// generation numbers the newest record of anybody.
func (s *ipcEvent) generation() uint64 {
	seq, ok := s.block.newest()
	if !ok {
		return 0
	}
	return seq - s.block.key
}

// newest is the newest record of anybody, where own is our newest. It needs the event's lock.
func (s *ipcEvent) newest(own *record) *record {
	seq, ok := s.block.newest()
	switch {
	case !ok:
		return failedRecord(ErrIPCGone)
	case seq == s.block.key:
		return nil
	case own != nil && own.shmem.seq >= seq:
		return own
	case s.remote == nil || s.remote.shmem.seq != seq:
		r := newRecord()
		r.gen = seq - s.block.key
		r.shmem = &ipcRecord{ev: s, seq: seq, remote: true}
		s.remote = r
	}
	return s.remote
}

// refresh completes a remote record if it has been completed. It reports whether the record is
// final.
func (s *ipcRecord) refresh(r *record) bool {
	done, err := s.ev.block.status(s.seq)
	if !done {
		if err = s.ev.eng.engine.Err(); err == nil {
			return false
		}
	}
	var w wake
	r.complete(0, err, &w)
	w.flush()
	return true
}

func (s *ipcRecord) watch(r *record) { s.ev.eng.watch(r) }

// Descriptor names the event to another process. It is constant and may be asked for at any time
// until the event is closed.
func (ev *Event) Descriptor() (Descriptor, error) {
	switch {
	case ev == nil:
		return Descriptor{}, ErrNil
	case ev.closed.Load():
		return Descriptor{}, ErrClosed
	case ev.ipc == nil:
		return Descriptor{}, ErrNotIPC
	case !ev.ipc.exporter:
		return Descriptor{}, ErrIPCImported
	}
	return newDescriptor(ev.ipc.place), nil
}

// Imported reports whether the event came from OpenEvent.
func (ev *Event) Imported() bool { return ev.ipc != nil && !ev.ipc.exporter }

// OpenEvent imports an event that another process (or this one) exported. Both sides may record it,
// query it and wait for it. Its generation is common to all. A record whose process ends reads
// Failed with ErrPeerDied. Times are not shared. Once the exporter has closed the event it can't be
// recorded any more, and it reads Failed with ErrIPCGone as soon as the exporter has made another
// in its place.
func (e *Engine) OpenEvent(descriptor []byte) (*Event, error) {
	d, err := ParseDescriptor(descriptor)
	if err != nil {
		return nil, err
	}
	l := d.location()
	b, err := importBlock(l)
	if err != nil {
		return nil, err
	}
	return &Event{eng: e, ipc: &ipcEvent{eng: &e.ipc, block: b, place: l}}, nil
}

// export makes the shared side of a new event.
func (e *ipcEngine) export() (*ipcEvent, error) {
	b, l, err := exportBlock()
	if err != nil {
		return nil, err
	}
	return &ipcEvent{eng: e, block: b, place: l, exporter: true}, nil
}
