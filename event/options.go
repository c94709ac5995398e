package event

import "github.com/gpuevent/gpuevent/event/internal/driver"

// EventOption is an option of [Device.NewEvent], [Stream.RecordNew] and [Device.WrapEvent].
type EventOption func(driver.EventFlags) driver.EventFlags // without a pointer, which would escape

// WithTiming makes the event keep the time of its record, for [Event.Sub]. Without it the drivers
// do less work; timing can't be combined with [WithIPC].
func WithTiming() EventOption {
	return func(f driver.EventFlags) driver.EventFlags { f.Timing = true; return f }
}

// WithBlockingSync makes [Event.Sync] put its thread to sleep instead of spinning: a little later
// to return, and no processor burnt. [Event.Wait] is not concerned.
func WithBlockingSync() EventOption {
	return func(f driver.EventFlags) driver.EventFlags { f.Blocking = true; return f }
}

// WithIPC makes the event one that other processes can import: see [Event.IPCDescriptor].
func WithIPC() EventOption {
	return func(f driver.EventFlags) driver.EventFlags { f.IPC = true; return f }
}

// WithExternal makes records into a graph capture, and waits in one, nodes of their own that run
// with each launch of the graph, instead of edges of the graph. Outside a capture nothing is
// different. See [CapExternal].
func WithExternal() EventOption {
	return func(f driver.EventFlags) driver.EventFlags { f.External = true; return f }
}

// WithFence says what memory a record makes visible, on AMD only.
func WithFence(fence Fence) EventOption {
	return func(f driver.EventFlags) driver.EventFlags { f.Fence = fence.native(); return f }
}

// Fence is how far the writes of finished work reach when an event is recorded on an AMD device.
type Fence int

const (
	FenceDefault Fence = iota // the driver's own choice: system scope
	FenceDevice               // visible to the device only (hipEventReleaseToDevice)
	FenceSystem               // visible to host and peers (hipEventReleaseToSystem)
	// FenceNone leaves caches as they are (hipEventDisableSystemFence). It is for timing: after a
	// wait for such an event the host may read stale memory.
	FenceNone
)

// native is the fence as drivers number it; a number that is none stays one.
func (f Fence) native() driver.Fence {
	if f < FenceDefault || f > FenceNone {
		return driver.FenceNone + 1
	}
	return driver.Fence(f)
}

// String returns the fence's name.
func (f Fence) String() string { return f.native().String() }

// StreamOption is an option of [Device.NewStream].
type StreamOption func(*streamFlags)

type streamFlags struct {
	blocking    bool
	prioritized bool
	priority    int
}

// WithPriority gives the stream a priority of [Device.PriorityRange]; lower numbers go first. A
// number outside the range is an error, not clamped. Without this option the stream has the lowest
// priority.
func WithPriority(priority int) StreamOption {
	return func(f *streamFlags) { f.prioritized, f.priority = true, priority }
}

// WithLegacySync makes the stream take part in the synchronization of the legacy default stream,
// which waits for such streams and is waited for by them. Without this option it does not.
func WithLegacySync() StreamOption { return func(f *streamFlags) { f.blocking = true } }

func eventOptions(options []EventOption) driver.EventFlags {
	var f driver.EventFlags
	for _, o := range options {
		if o != nil {
			f = o(f)
		}
	}
	return f
}

func streamOptions(options []StreamOption) streamFlags {
	var f streamFlags
	for _, o := range options {
		if o != nil {
			o(&f)
		}
	}
	return f
}
