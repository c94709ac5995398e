//go:build race || !linux || !amd64

package event

func prepareFence() {}

// fence is a memory fence for the caller and for all goroutines that publish.
func fence() {}

// publish stores the record and releases the lock, with a fence.
func (l *recordLock) publish(r record) { l.word.Store(uint64(r)) }
