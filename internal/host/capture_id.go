package host

import "sync/atomic"

// captures counts all captures.
var captures atomic.Uint64

// CaptureID returns the number of the capture that the queue takes part in, which all its queues
// share. It returns false if there is none.
func (q *Queue) CaptureID() (uint64, bool) {
	if q == nil {
		return 0, false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.lockCapture()
	if c == nil {
		return 0, false
	}
	defer c.mu.Unlock()
	return c.id, true
}
