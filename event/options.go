package event

import "github.com/gpuevent/gpuevent/internal/driver"

// EventOption is an option of [Device.NewEvent], [Stream.RecordNew] and [Device.WrapEvent]. A nil
// option has no effect.
type EventOption interface {
	apply(driver.EventFlags) driver.EventFlags // takes no pointer: it would escape
}

type eventOption func(driver.EventFlags) driver.EventFlags

func (o eventOption) apply(f driver.EventFlags) driver.EventFlags { return o(f) }

// WithTiming makes the event keep the time of its record, for [Event.Sub]. Drivers do less work
// without it. It can't be combined with [WithIPC].
func WithTiming() EventOption {
	return eventOption(func(f driver.EventFlags) driver.EventFlags { f.Timing = true; return f })
}

// WithBlockingSync makes [Event.Sync] put its thread to sleep instead of spinning: it returns a
// little later and uses no processor meanwhile. [Event.Wait] is not affected.
func WithBlockingSync() EventOption {
	return eventOption(func(f driver.EventFlags) driver.EventFlags { f.Blocking = true; return f })
}

// WithIPC lets other processes import the event: see [Event.IPCDescriptor]. The device must have
// [CapIPC], which the host does not have.
//
// AMD's runtime forgets a shared record as soon as the event is recorded again. There a stream that
// waits for another process's record waits for the newest one, so use an event for each direction,
// and record it again only when those who wait have gone on. While a stream waits, Record returns
// [ErrNotReady]. Records by the native event are not checked: see [Event.HIPEvent].
func WithIPC() EventOption {
	return eventOption(func(f driver.EventFlags) driver.EventFlags { f.IPC = true; return f })
}

// WithExternal makes records and waits in a graph capture nodes of their own, which run at each
// launch of the graph, instead of edges of the graph. Outside a capture it changes nothing. See
// [CapExternal]. On AMD a wait must be the first work of its stream in the capture.
func WithExternal() EventOption {
	return eventOption(func(f driver.EventFlags) driver.EventFlags { f.External = true; return f })
}

// WithFence sets what memory a record makes visible, on AMD only.
func WithFence(fence Fence) EventOption {
	return eventOption(func(f driver.EventFlags) driver.EventFlags {
		f.Fence = fence.native()
		return f
	})
}

// Fence is the scope in which the writes of finished work become visible when an event is recorded
// on an AMD device.
type Fence int

const (
	FenceDefault Fence = iota // the driver's own choice: system scope
	FenceDevice               // visible to the device only (hipEventReleaseToDevice)
	FenceSystem               // visible to host and peers (hipEventReleaseToSystem)
	// FenceNone does not flush caches (hipEventDisableSystemFence). It is for timing: after a wait
	// for such an event the host may read stale memory.
	FenceNone
)

// native returns the driver package's number of the fence. An invalid fence stays invalid.
func (f Fence) native() driver.Fence {
	if f < FenceDefault || f > FenceNone {
		return driver.FenceNone + 1
	}
	return driver.Fence(f)
}

// String returns the fence's name.
func (f Fence) String() string { return f.native().String() }

// StreamOption is an option of [Device.NewStream]. A nil option has no effect.
type StreamOption interface{ apply(*streamFlags) }

type streamOption func(*streamFlags)

func (o streamOption) apply(f *streamFlags) { o(f) }

type streamFlags struct {
	blocking    bool
	prioritized bool
	priority    int
}

// WithPriority gives the stream a priority of [Device.PriorityRange]; lower numbers go first. A
// number outside the range is an error; it is not clamped. Without this option the stream has the
// lowest priority.
func WithPriority(priority int) StreamOption {
	return streamOption(func(f *streamFlags) { f.prioritized, f.priority = true, priority })
}

// WithLegacySync makes the stream synchronize with the legacy default stream: each waits for the
// other's earlier work. Without this option they are independent.
func WithLegacySync() StreamOption {
	return streamOption(func(f *streamFlags) { f.blocking = true })
}

func eventOptions(options []EventOption) driver.EventFlags {
	var f driver.EventFlags
	for _, o := range options {
		if o != nil {
			f = o.apply(f)
		}
	}
	return f
}

func streamOptions(options []StreamOption) streamFlags {
	var f streamFlags
	for _, o := range options {
		if o != nil {
			o.apply(&f)
		}
	}
	return f
}
