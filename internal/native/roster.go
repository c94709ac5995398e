package native

import "sync"

// roster are the streams of a device, for [Device.Stats]. It keeps native streams, so a dropped
// stream of package event is found by the garbage collector.
type roster struct {
	mu      sync.Mutex
	streams map[*Stream]struct{}
	// leaving are those that were destroyed while records on them were waited for.
	leaving map[*Stream]struct{}
	records uint64 // of streams that were destroyed
}

// add adds a stream that is to be counted.
func (r *roster) add(s *Stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streams == nil {
		r.streams, r.leaving = map[*Stream]struct{}{}, map[*Stream]struct{}{}
	}
	r.streams[s] = struct{}{}
}

// drop removes a stream that is destroyed, and keeps its count of records.
func (r *roster) drop(s *Stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.streams[s]; !ok { // it is a relay's, or a keepalive
		return
	}
	delete(r.streams, s)
	r.records += s.Records.Load()
	r.prune()
	if s.Watchers.Load() != 0 {
		r.leaving[s] = struct{}{}
	}
}

// prune forgets the streams that nothing is waited for on any more. The caller holds the lock.
func (r *roster) prune() {
	for s := range r.leaving {
		if s.Watchers.Load() == 0 {
			delete(r.leaving, s)
		}
	}
}

// Streams returns how many streams are open, how many records on streams are waited for, and how
// many were made.
func (d *Device) Streams() (open, pending int, records uint64) {
	r := &d.roster
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prune()
	for s := range r.leaving {
		pending += int(s.Watchers.Load())
	}
	records = r.records
	for s := range r.streams {
		if !s.IsDefault && !s.Closed() {
			open++
		}
		pending += int(s.Watchers.Load())
		records += s.Records.Load()
	}
	return open, pending, records
}

// MayBeCaptured returns the open streams on which a capture may have begun, in use.
func (d *Device) MayBeCaptured() (all []*Stream) {
	r := &d.roster
	r.mu.Lock()
	defer r.mu.Unlock()
	for s := range r.streams {
		if s.Has(MayCapture) && s.Retain() {
			all = append(all, s)
		}
	}
	return all
}
