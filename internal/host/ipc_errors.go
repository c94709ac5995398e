package host

import "errors"

// Errors of events shared between processes. Those about a descriptor match ErrIPCDescriptor too.
var (
	ErrIPCUnsupported = errors.New("host: events can't be shared between processes on this system")
	ErrIPCTiming      = errors.New("host: an event shared between processes can't have timing; " +
		"choose one")
	ErrIPCCapture = errors.New("host: an event shared between processes can't be recorded in a " +
		"capture; record it externally")
	ErrNotIPC = errors.New("host: event is not shared between processes; create it with IPC")

	ErrIPCImported = errors.New("host: event was imported and can't be exported again; " +
		"ask the process that made it")
	ErrIPCBusy = errors.New("host: too many records of one shared event are pending; " +
		"wait for some")
	ErrIPCPeers = errors.New("host: too many processes have used the events of one exporter; " +
		"restart the exporter")
	ErrIPCFull = errors.New("host: no room for more shared events in one file; close some")
	ErrIPCGone = errors.New("host: shared event no longer exists: its exporter has closed it or " +
		"ended, its file was removed, or it belongs to another user; export it again")
	ErrIPCFolder = errors.New("host: no private folder for shared events")

	ErrPeerFailed = errors.New("host: record failed in the process that made it")
	ErrPeerDied   = errors.New("host: the process that made the record has ended without " +
		"completing it")
	ErrIPCForgotten = errors.New("host: record is complete, but so many have failed since that " +
		"its outcome is forgotten; ask sooner")

	ErrIPCDescriptor = errors.New("host: not a usable event descriptor")
	ErrIPCLength     = errors.New("wrong length")
	ErrIPCForeign    = errors.New("not made by this package")
	ErrIPCCorrupt    = errors.New("checksum does not match")
	ErrIPCVersion    = errors.New("made by another version of this package")
	ErrIPCSegment    = errors.New("shared memory is not what the descriptor says")
)
