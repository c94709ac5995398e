package host

import (
	"sync"
)

// ipcEvent is the shared side of an event.
type ipcEvent struct {
	eng      *ipcEngine
	seg      *segment
	owner    uint64
	user     int // our place in the segment
	exporter bool

	remote *record // stands for the newest record of another; guarded by the event's lock

	mu      sync.Mutex
	pending int // records of ours that are not complete: we stay as long
	closed  bool
	left    bool
}

// ipcRecord is the shared side of a record.
type ipcRecord struct {
	ev     *ipcEvent
	seq    uint64
	remote bool // made through another object, most likely of another process

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
	seq, err := s.seg.begin(s.user, state)
	if err != nil {
		if !done {
			s.complete()
		}
		return nil, err
	}
	return &record{gen: seq, shared: true, shmem: &ipcRecord{ev: s, seq: seq}}, nil
}

// publish completes a record of ours for the others.
func (r *ipcRecord) publish(err error) {
	state := slotDone
	if err != nil {
		state = slotFailed
	}
	r.ev.seg.finish(r.seq, r.ev.user, state)
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

func (s *ipcEvent) leave() {
	s.seg.leave(s.user, s.owner)
	s.eng.release()
}

// close removes the event's name, if we gave it, and our part in it as soon as nothing of ours is pending.
func (s *ipcEvent) close() error {
	var err error
	if s.exporter {
		err = removeSegment(s.seg)
	}
	s.mu.Lock()
	s.closed = true
	leave := s.mayLeave()
	s.mu.Unlock()
	if leave {
		s.leave()
	}
	return err
}

// newest is the newest record of anybody, where own is our newest. It needs the event's lock.
func (s *ipcEvent) newest(own *record) *record {
	seq := s.seg.seq()
	switch {
	case seq == 0:
		return nil
	case own != nil && own.shmem.seq >= seq:
		return own
	case s.remote == nil || s.remote.shmem.seq != seq:
		r := newRecord()
		r.gen = seq
		r.shmem = &ipcRecord{ev: s, seq: seq, remote: true}
		s.remote = r
	}
	return s.remote
}

// refresh completes a remote record if it has been completed. It reports whether the record is final.
func (s *ipcRecord) refresh(r *record) bool {
	done, err := s.ev.seg.status(s.seq)
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

// Descriptor names the event to another process. It is constant and may be asked for at any time until the event is closed.
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
	return newDescriptor(ev.ipc.seg.id), nil
}

// Imported reports whether the event came from OpenEvent.
func (ev *Event) Imported() bool { return ev.ipc != nil && !ev.ipc.exporter }

// OpenEvent imports an event that another process (or this one) exported. Both sides may record it, query it and wait for it. Its generation is
// common to all. A record whose process ends reads Failed with ErrPeerDied. Times are not shared.
func (e *Engine) OpenEvent(descriptor []byte) (*Event, error) {
	d, err := ParseDescriptor(descriptor)
	if err != nil {
		return nil, err
	}
	ipc, err := e.ipc.open(d.id())
	if err != nil {
		return nil, err
	}
	return &Event{eng: e, ipc: ipc}, nil
}
