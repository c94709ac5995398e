package event

import "sync"

// roster are the streams of a device, for [Device.Stats]. It keeps handles, not streams: a dropped
// stream is found by the garbage collector.
type roster struct {
	mu      sync.Mutex
	streams map[*nativeStream]struct{}
	// leaving are those that were destroyed while records on them were waited for.
	leaving map[*nativeStream]struct{}
	records uint64 // of streams that were destroyed
}

// add adds a stream that is to be counted.
func (r *roster) add(h *nativeStream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streams == nil {
		r.streams, r.leaving = map[*nativeStream]struct{}{}, map[*nativeStream]struct{}{}
	}
	r.streams[h] = struct{}{}
}

// drop removes a stream that is destroyed, and keeps its count of records.
func (r *roster) drop(h *nativeStream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.streams[h]; !ok { // it is a relay's, or shadows another
		return
	}
	delete(r.streams, h)
	r.records += h.records.Load()
	r.prune()
	if h.watchers.Load() != 0 {
		r.leaving[h] = struct{}{}
	}
}

// prune forgets the streams that nothing is waited for on any more. The caller holds the lock.
func (r *roster) prune() {
	for h := range r.leaving {
		if h.watchers.Load() == 0 {
			delete(r.leaving, h)
		}
	}
}

// read returns how many streams are open, how many records on streams are waited for, and how many
// were made.
func (r *roster) read() (open, pending int, records uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prune()
	for h := range r.leaving {
		pending += int(h.watchers.Load())
	}
	records = r.records
	for h := range r.streams {
		if !h.isDefault && !h.closed() {
			open++
		}
		pending += int(h.watchers.Load())
		records += h.records.Load()
	}
	return open, pending, records
}
