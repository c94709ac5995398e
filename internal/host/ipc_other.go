//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package host

// Nothing here can share memory between processes without cgo, so the other files never see an owner or a segment.

type ipcOwner struct {
	dir string
	id  uint64
}

func newOwner() (*ipcOwner, error) { return nil, ErrIPCUnsupported }

func (*ipcOwner) release() {}

func ownerAlive(string, uint64) bool { return false }

func createSegment(*ipcOwner, segmentID) (*segment, error) { return nil, ErrIPCUnsupported }

func openSegment(string, segmentID) (*segment, error) { return nil, ErrIPCUnsupported }

func removeSegment(*segment) error { return ErrIPCUnsupported }
