package driver

import "fmt"

// Backend names.
const (
	CUDA = "cuda"
	HIP  = "hip"
	Host = "host"
)

// Info is what never changes about a device.
type Info struct {
	Backend      string
	Ordinal      int
	Label        string // "cuda:0"; the names of its objects begin with it
	Name         string
	Architecture string
	Memory       uint64 // total; 0 if unknown
	PCI          string
	UUID         [16]byte
	Traits       Traits
	// Promises is what the device should be able to do by the driver's version, symbols and
	// attributes. Can removes what turns out not to work.
	Promises Can
}

// number sets the device's number within its backend.
func (i *Info) number(n int) { i.Ordinal, i.Label = n, fmt.Sprintf("%s:%d", i.Backend, n) }

// Traits are the differences between drivers that callers have to know. Each is a fact of
// docs/driver-facts.md.
type Traits struct {
	// EventsNeedStream: querying an event whose last stream was destroyed reads freed memory.
	// fact: amd-event-outlives-stream
	EventsNeedStream bool
	// StreamsNeedIdle: destroying a stream waits for its work.
	// fact: amd-stream-destroy-waits
	StreamsNeedIdle bool
	// StreamsNeedIdleDevice: it waits for the work of all streams, and blocks other calls.
	// fact: chip-destroy-waits-for-device
	StreamsNeedIdleDevice bool
	// SharedNeedIdle: destroying an event that is shared between processes waits for the device.
	// fact: amd-ipc-destroy-waits
	SharedNeedIdle bool
	// SharedWaitsFail: a stream's wait for an event that is shared between processes fails or orders
	// nothing, while queries are right.
	// fact: amd-ipc-wait-slots
	SharedWaitsFail bool
	// CapturedQueryEndsCapture: querying an event that was recorded in a capture ends the capture.
	// fact: amd-capture-asks-its-event
	CapturedQueryEndsCapture bool
	// QueryEndsStreamCapture: querying an event ends the capture of the stream that it was last
	// recorded on, even if the record was made before the capture.
	// fact: amd-capture-asks-noted-stream
	QueryEndsStreamCapture bool
	// ElapsedLocksBoth: two concurrent calls that take the time between the same two events, in
	// opposite directions, can deadlock.
	// fact: amd-elapsed-locks-both
	ElapsedLocksBoth bool
	// ElapsedFollowsRecords: the sign of the time between two events is that of the order in which
	// they were recorded.
	// fact: chip-elapsed-follows-records
	ElapsedFollowsRecords bool
	// The following run at once on a stream that is captured, and are no part of the graph:
	// cooperative launches, launches of graphs, and copies between two devices. For other launches
	// see [CanCaptureLaunch].
	// fact: amd-cooperative-not-captured
	CooperativeNotCaptured bool
	// fact: amd-graph-not-captured
	GraphNotCaptured bool
	// fact: amd-peer-copy-not-captured
	PeerCopyNotCaptured bool
}

// Can is a set of optional features of a device, with the numbers of package event's Capability.
type Can uint

// The capabilities.
const (
	CanTime Can = 1 << iota
	CanShare
	CanRecordExternal
	CanHostFunc
	CanWaitValue
	CanCapture
	CanCaptureLaunch
)

// Has reports whether all of d are in c.
func (c Can) Has(d Can) bool { return c&d == d }
