package poll

// Task is what a [Poller] polls.
type Task interface {
	// Query reports whether the task is over: done, or failed with an error. It runs on a thread
	// whose capture mode is relaxed, never concurrently for one task, and may hang.
	Query() (done bool, err error)
	// End is called once, when a query has found the task over or when that is known without one.
	// Tasks of one lane end in their order, one at a time. The poller holds no lock during the
	// call; End must not block.
	End(err error)
}

// Order is a task's place in a lane. A task is over before those that began after its end. If
// neither of two began after the other's end, both were handed to the driver at the same time.
// Numbers of a lane count up and may wrap around; those of tasks that are pending together differ
// by less than half the range.
type Order struct {
	Lane  any    // nil if the order is unknown
	Begin uint32 // taken before the task was handed to the driver
	End   uint32 // the newest number given out when the driver had it
}

// before compares numbers that may have wrapped around.
func before(a, b uint32) bool { return int32(a-b) < 0 }

// Item is a task with its place in a [Poller]. Embed it in the type that implements Task. It can be
// added once.
type Item struct {
	Task  Task
	Order Order

	// Guarded by the poller's lock.
	state  state
	asking bool // a query is in flight
	index  int  // in the front of its lane, or among those that hang
	lane   *lane
	err    error // the argument of End, once over
}

// pending reports whether the item was added and has not ended. The caller holds the poller's lock.
func (it *Item) pending() bool {
	return it.state == front || it.state == behind || it.state == hanging
}

type state uint8

const (
	unknown state = iota // not added
	front                // polled
	behind               // others of its lane come first
	hanging              // its query hangs, and no longer delays its lane
	over                 // ended, or removed
)
