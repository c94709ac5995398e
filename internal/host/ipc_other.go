//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package host

// Nothing here can share memory between processes without cgo, so the other files never see a
// block.

func exportBlock() (*block, location, error) { return nil, location{}, ErrIPCUnsupported }

func importBlock(location) (*block, error) { return nil, ErrIPCUnsupported }

func freeBlock(*block) {}
