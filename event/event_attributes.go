package event

// Generation counts the records of the event made by [Event.Record]: 0 before the first. An event that was created elsewhere begins at 1.
func (e *Event) Generation() uint64 {
	if e == nil {
		return 0
	}
	return e.rec.Load().generation()
}

// IsRecorded tells whether the event was recorded, as far as this process knows.
func (e *Event) IsRecorded() bool { return e != nil && (!e.rec.Load().unrecorded() || e.seen.Load()) }

// IsTimingEnabled tells whether the event keeps the time of its record.
func (e *Event) IsTimingEnabled() bool { return e != nil && e.flags.timing }

// IsBlockingSync tells whether [Event.Sync] sleeps instead of spinning.
func (e *Event) IsBlockingSync() bool { return e != nil && e.flags.blocking }

// IsIPCEnabled tells whether the event is shared between processes: created [WithIPC], or imported.
func (e *Event) IsIPCEnabled() bool { return e != nil && e.flags.ipc }

// IsExternal tells whether the event was created [WithExternal].
func (e *Event) IsExternal() bool { return e != nil && e.flags.external }

// IsClosed tells whether the event was closed.
func (e *Event) IsClosed() bool { return e == nil || e.native.closed() }

// Backend returns the backend of the event.
func (e *Event) Backend() Backend {
	if e == nil {
		return ""
	}
	return e.backend
}

// Device returns the device of the event; nil for an imported event, whose device is not known.
func (e *Event) Device() *Device {
	if e == nil {
		return nil
	}
	return e.device
}

// Context returns the native context of the event, a cudrv.Context: 0 for an imported event, and for HIP and the host, which have none.
func (e *Event) Context() (uintptr, error) {
	const op = "Event.Context"
	if err := e.enter(op); err != nil {
		return 0, err
	}
	defer e.native.leave()
	if e.device == nil {
		return 0, nil
	}
	c, err := e.driver.context()
	return c, failed(op, e, err)
}

// Handle returns the native handle for use with cudrv or hip: a cudrv.Event or hip.Event; 0 on the host, and once the event is closed. It stays
// the event's: don't destroy it, and keep the event alive while it is used. From the first call on the event reckons with records made through the
// handle, and asks the driver each time.
func (e *Event) Handle() uintptr {
	if e == nil || e.native.closed() || e.native.handle.word == 0 {
		return 0
	}
	e.open.Store(true)
	return e.native.handle.word
}

// String returns "cuda[0]:event@0x…"; the device is "?" if it is not known.
func (e *Event) String() string {
	if e == nil {
		return "event <nil>"
	}
	return e.native.String()
}
