package poll

// Task is what a [Poller] asks for.
type Task interface {
	// Query reports whether the task is over: done, or failed with an error. It runs on a thread
	// whose capture mode is relaxed, never twice at once for one task, and may hang.
	Query() (done bool, err error)
	// End is called once, when a query has said that the task is over or when that is known
	// without one. Tasks of one lane end in their order, one at a time. The poller holds no lock
	// meanwhile; End must not block.
	End(err error)
}

// Order is a task's place in a lane. A task is over before those that began after its end; where
// neither of two is, both were handed to the driver at the same time. Numbers of a lane count up and
// may wrap around; those of tasks that are pending together differ by less than half the range.
type Order struct {
	Lane  any    // nil if nothing is known of the order
	Begin uint32 // taken before the task was handed to the driver
	End   uint32 // the newest number given out when the driver had it
}

// before compares numbers that may have wrapped around.
func before(a, b uint32) bool { return int32(a-b) < 0 }

// Item is a task with its place in a [Poller]. It is meant to be part of what implements Task. It
// may be added once.
type Item struct {
	Task  Task
	Order Order

	// Guarded by the poller's lock.
	state  state
	asking bool  // a question is under way
	index  int   // in the front or the rest of its lane, or among the loose items
	lane   *lane // nil for loose items
	err    error // what End gets, once over
}

// pending reports whether the item is there and has not ended. It needs the poller's lock.
func (it *Item) pending() bool {
	return it.state == front || it.state == behind || it.state == hanging
}

type state uint8

const (
	unknown state = iota // not added
	front                // to be asked for
	behind               // others of its lane come first
	hanging              // its question hangs, and keeps the others of its lane no longer
	over                 // ended, or removed
)
