package peers

// Operation is something that is measured in several ways, in each as often.
type Operation struct {
	Name   string
	PerRun int // operations of a run
	Runs   int // runs that a figure is of, if the time suffices
}

// Plan are the operations, in the order in which they are measured. twin.c and peers.py repeat it,
// which a test checks. No run leaves more than 500 things in a queue, since drivers block when one
// is full.
var Plan = []Operation{
	{"record", 200, 31},
	{"query done", 1000, 31},
	{"query pending", 200, 15},
	{"elapsed", 1000, 31},
	{"stream wait", 200, 15},
	{"create+record+close", 100, 31},
	{"sync empty stream", 200, 31},
	{"two records", 100, 31},
	{"launch 0 arguments", 200, 31},
	{"launch 4 arguments", 200, 31},
	{"launch 8 arguments", 200, 31},
	{"graph launch 10 nodes", 40, 31},
	{"alloc+free", 20, 31},
	{"alloc+free in stream order", 50, 31},
	{"copy 4 KiB pinned", 50, 31},
	{"copy 4 KiB pageable", 50, 31},
	{"copy 1 MiB pinned", 5, 31},
	{"copy 1 MiB pageable", 5, 31},
	{"copy 64 MiB pinned", 1, 15},
	{"copy 64 MiB pageable", 1, 15},
	{"wake-up after 0.05 ms", 1, 300},
	{"wake-up after 0.5 ms", 1, 200},
	{"wake-up after 5 ms", 1, 60},
}

// AllocBytes is what the operations that allocate ask for.
const AllocBytes = 1 << 20

// PendingMS is how long a stream is held up, in milliseconds, for operations on what is pending. It
// doubles up to 8 times that if the operations take longer.
const PendingMS = 20

// Of returns the operation of a name, and whether there is one.
func Of(name string) (Operation, bool) {
	for _, o := range Plan {
		if o.Name == name {
			return o, true
		}
	}
	return Operation{}, false
}
