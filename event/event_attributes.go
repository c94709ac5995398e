package event

import "github.com/gpuevent/gpuevent/internal/native"

// Generation returns how often the event was recorded through [Event.Record]: 0 before the first
// time. An event that was created elsewhere begins at 1.
func (e *Event) Generation() uint64 {
	if e.isNil() {
		return 0
	}
	return e.rec.load().generation()
}

// IsRecorded reports whether the event was recorded, as far as this process knows.
func (e *Event) IsRecorded() bool {
	return !e.isNil() && (!e.rec.load().unrecorded() || e.rec.has(flagSeen))
}

// IsTimingEnabled reports whether the event keeps the time of its record.
func (e *Event) IsTimingEnabled() bool { return e != nil && e.flags.Timing }

// IsBlockingSync reports whether [Event.Sync] sleeps instead of spinning.
func (e *Event) IsBlockingSync() bool { return e != nil && e.flags.Blocking }

// IsIPCEnabled reports whether the event is shared between processes: created [WithIPC], or
// imported.
func (e *Event) IsIPCEnabled() bool { return e != nil && e.flags.IPC }

// IsExternal reports whether the event was created [WithExternal].
func (e *Event) IsExternal() bool { return e != nil && e.flags.External }

// IsClosed reports whether the event was closed.
func (e *Event) IsClosed() bool { return e.isNil() || e.rec.closed() }

// Backend returns the backend of the event.
func (e *Event) Backend() Backend {
	if e.isNil() {
		return ""
	}
	return e.home.Backend()
}

// Device returns the event's device; nil for an imported event, whose device is unknown.
func (e *Event) Device() *Device {
	if e.isNil() || e.isForeign() {
		return nil
	}
	return e.home
}

// Context returns the event's native context, a cudrv.Context. It is 0 for an imported event, and
// for HIP and the host, which have none.
func (e *Event) Context() (uintptr, error) {
	const op = "Event.Context"
	if _, err := e.last(op); err != nil {
		return 0, err
	}
	if e.isForeign() {
		return 0, nil
	}
	c, err := e.home.driver.Context()
	return c, failed(op, e, err)
}

// String returns the device's name, "event" and the handle that the event was created with, an
// address on the host: "cuda:0 event 0x5581…". It never contains a colon followed by a space, which
// separates the parts of errors. The device is "cuda:?" if it is unknown.
func (e *Event) String() string {
	if e.isNil() {
		return "event <nil>"
	}
	label := e.home.label()
	if e.isForeign() {
		label = e.home.native.UnknownLabel()
	}
	return native.EventName(label, e.id)
}

// State is the state of an event at one moment.
type State int

// The states of an event. To wait functions, as to the drivers, an unrecorded event is done.
const (
	Unrecorded State = iota // never recorded
	Pending                 // the stream has not passed the last record
	Done                    // the stream has passed the last record
	// Failed: the last record has failed, or the event can't be queried. [Event.Err] returns why.
	Failed
	Captured // the last record went into a graph capture
	Closed   // the event was closed
)

var stateNames = [...]string{"Unrecorded", "Pending", "Done", "Failed", "Captured", "Closed"}

// String returns the state's name.
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return "State(?)"
	}
	return stateNames[s]
}
