package event

import "sync"

// roster are the streams of a device, for [Device.Stats]. It keeps handles, not streams: a dropped
// stream is found by the garbage collector.
type roster struct {
	mu      sync.Mutex
	streams map[*handle]struct{}
	// leaving are those that were destroyed while records on them were waited for.
	leaving map[*handle]struct{}
	records uint64 // of streams that were destroyed
}

// add adds a stream that is to be counted.
func (r *roster) add(h *handle) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.streams == nil {
		r.streams, r.leaving = map[*handle]struct{}{}, map[*handle]struct{}{}
	}
	r.streams[h] = struct{}{}
}

// drop removes a stream that is destroyed, and keeps its count of records.
func (r *roster) drop(h *handle) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.streams[h]; !ok { // it is a relay's, or shadows another
		return
	}
	delete(r.streams, h)
	r.records += h.recorded()
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
		if !h.is(isDefault) && !h.closed() {
			open++
		}
		pending += int(h.watchers.Load())
		records += h.recorded()
	}
	return open, pending, records
}

// recorded returns how many records were made on a stream: the numbers that it gave out, but for
// those that were given to something else. A number is taken after it is noted there.
func (h *handle) recorded() uint64 {
	if h.on.Load() != nil { // a wrapper of one that is counted
		return 0
	}
	others := int64(h.others.Load())
	// more others than numbers: some are about to be taken
	return uint64(max(0, int64(h.wraps.Load())<<32+int64(h.records())-others))
}
