package sim

import (
	"fmt"
	"maps"
)

// Whether work of two streams is in order can't be seen from the moments at which it runs: without
// a gate an allocation is reached at once. So calls are checked too. Other streams, and the host,
// can only learn how far a stream is from something that the stream does for them: a record, a host
// function, a copy to the host, a wait of the host. If a stream has done nothing of the kind since
// it got the allocation, a use by another stream can't be in order.
//
// This finds no mistake that is none. It misses those where the stream has told something, but not
// to the other one.

// tells notes that others may learn from now on how far the stream is.
func (s *stream) tells() { s.told.Add(1) }

// tells notes the same for all streams of a context.
func (c *context) tells() { c.told.Add(1) }

// toldNow is a number that changes with everything that a stream tells.
func (s *stream) toldNow() uint64 { return s.told.Load() + s.context.told.Load() }

// ordered reports whether the default stream keeps two streams in order.
func (s *stream) ordered(other *stream) bool {
	a, b := s.queue, other.queue
	return s == other || s.context == other.context &&
		(a.IsDefault() && !b.NonBlocking() || b.IsDefault() && !a.NonBlocking())
}

// uses checks that work which a call gives to a stream may use memory at an address, and remembers
// that it does. Memory that is not of a pool needs no order.
func (f *face) uses(call string, s *stream, addresses ...uintptr) {
	if !f.pooled.Load() || s.capture.Load() != nil {
		return
	}
	for _, address := range addresses {
		f.memory.mu.Lock()
		why := ""
		if b := f.memory.live.of(address); b != nil && b.pool != nil {
			why = b.usedBy(s)
		}
		f.memory.mu.Unlock()
		if why != "" {
			f.note(Crash{call, address, why}, false)
		}
	}
}

// usedBy remembers that work of a stream uses the block. It says what is wrong with that. The
// caller holds the memory's lock.
func (b *block) usedBy(s *stream) (why string) {
	if b.usersTold == nil {
		b.usersTold = map[*stream]uint64{}
	}
	if len(b.usersTold) > 32 {
		maps.DeleteFunc(b.usersTold, func(user *stream, _ uint64) bool { return user.gone.Load() })
	}
	b.usersTold[s] = s.toldNow()
	if at := b.allocator; !at.ordered(s) && at.toldNow() == b.allocatorTold {
		return fmt.Sprintf("the %d bytes at %#x are used by a stream that does not wait for the "+
			"allocation by another one: record an event behind it, and wait for that", b.size, b.at)
	}
	return ""
}

// freedBy says what is wrong with a free by a stream. The caller holds the memory's lock.
func (b *block) freedBy(s *stream) (why string) {
	for user, told := range b.usersTold {
		if !user.ordered(s) && user.toldNow() == told {
			return fmt.Sprintf("the %d bytes at %#x are freed by a stream that does not wait for "+
				"their use by another one: record an event behind it, and wait for that", b.size, b.at)
		}
	}
	return b.usedBy(s)
}
