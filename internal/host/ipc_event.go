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
	pending int // our records that are not complete: they keep the memory
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

// begin makes a record that other processes see, either done already or to be published later.
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

// publish completes one of our records for the other processes.
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

// mayLeave returns true once, when the memory is no longer needed. The caller holds s.mu.
func (s *ipcEvent) mayLeave() bool {
	if !s.closed || s.pending > 0 || s.left {
		return false
	}
	s.left = true
	return true
}

// leave gives the memory to another event, if this process owns it.
func (s *ipcEvent) leave() {
	if s.exporter {
		freeBlock(s.block)
	}
}

// close ends the event for all processes, if this one exported it. Its memory is kept while records
// of this process are pending.
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

// generation returns the number of the newest record by any process.
func (s *ipcEvent) generation() uint64 {
	seq, ok := s.block.newest()
	if !ok {
		return 0
	}
	return seq - s.block.key
}

// newest returns the newest record by any process; own is our newest. The caller holds the event's
// lock.
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

// Descriptor returns the event's descriptor for other processes. It is constant and available until
// the event is closed.
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
// query it and wait for it. They share its generation. A record whose process ends reads Failed
// with ErrPeerDied. Times are not shared. Once the exporter has closed the event it can't be
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
