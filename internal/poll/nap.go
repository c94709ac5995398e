package poll

import "sync/atomic"

// A nap is a short pause of a thread that others may cut short. Go's timers are too coarse for it:
// in an idle process the last thread sleeps in epoll_wait, which counts in milliseconds, so that
// 50 µs take 1.1 ms. So the thread sleeps in the system itself, where that is finer:
//
//	func newNap() *nap
//	func (n *nap) sleep(d time.Duration) // until d has passed, or a rouse since the last sleep
//	func (n *nap) rouse()                // never blocks
//	func tighten()                       // makes the calling thread wake on time from now on
//
// One thread sleeps at a time; anybody may rouse it. A sleep may end early for no reason.

// What napState holds.
const (
	awake uint32 = iota
	roused
	asleep
)

// napState holds whether a thread sleeps, so that rousing costs a system call only then.
type napState struct{ word uint32 }

// enter reports whether the thread may sleep: it has not been roused since it left.
func (s *napState) enter() bool {
	if atomic.CompareAndSwapUint32(&s.word, awake, asleep) {
		return true
	}
	s.leave()
	return false
}

func (s *napState) leave() { atomic.StoreUint32(&s.word, awake) }

// rouse reports whether a thread sleeps and has to be woken.
func (s *napState) rouse() bool { return atomic.SwapUint32(&s.word, roused) == asleep }
