package soak

import "sync"

// holds counts the closed gates of a device's streams. Device.Sync waits for those that were closed
// before it, and for a while a call that has begun has not reached the driver. So it is judged from
// when no gate was closed.
type holds struct {
	mu     sync.Mutex
	closed int
	last   int64 // the watchdog's turn in which the last one was opened
}

// begin notes a gate before it is enqueued. The caller calls end once it is open.
func (h *holds) begin() (end func(now int64)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed++
	return func(now int64) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.closed--
		h.last = now
	}
}

// free returns since when no gate is closed; now if one is.
func (h *holds) free(now int64) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed > 0 {
		return now
	}
	return h.last
}
