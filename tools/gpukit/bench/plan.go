package bench

import "time"

// planned is an operation that is measured in several ways, in each as often.
type planned struct {
	name   string
	perRun int // operations of a run
	runs   int // runs that a figure is of, if the time suffices

	prepare func(*rig) (*set, error) // its ways
}

// plan lists the operations in the order in which they are measured. No run leaves more than 500
// operations in a queue, since drivers block when one is full.
var plan = []planned{
	{"record", 200, 31, record},
	{"query done", 1000, 31, queryDone},
	{"query pending", 200, 15, queryPending},
	{"elapsed", 1000, 31, elapsed},
	{"stream wait", 200, 15, streamWait},
	{"create+record+close", 100, 31, createRecordClose},
	{"sync empty stream", 200, 31, syncEmpty},
	{"two records", 100, 31, twoRecords},
	{"launch 0 arguments", 200, 31, launch0},
	{"launch 4 arguments", 200, 31, launch4},
	{"graph launch 10 nodes", 40, 31, graphLaunch},
	{"alloc+free in stream order", 50, 31, allocFreeOrdered},
	{"copy 4 KiB", 50, 31, copies(4 << 10)},
	{"copy 64 MiB", 1, 15, copies(64 << 20)},
	{"wake-up after 0.05 ms", 1, 300, wakeAfter(50 * time.Microsecond)},
	{"wake-up after 0.5 ms", 1, 200, wakeAfter(500 * time.Microsecond)},
	{"wake-up after 5 ms", 1, 60, wakeAfter(5 * time.Millisecond)},
}

// allocBytes is the size of the buffers that operations allocate.
const allocBytes = 1 << 20

func copies(bytes int) func(*rig) (*set, error) {
	return func(r *rig) (*set, error) { return copyPinned(r, bytes) }
}

func wakeAfter(d time.Duration) func(*rig) (*set, error) {
	return func(r *rig) (*set, error) { return wake(r, d) }
}
