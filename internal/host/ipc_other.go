//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package host

// Without cgo, these systems have no shared memory here, so the other files never see a block.

func exportBlock() (*block, location, error) { return nil, location{}, ErrIPCUnsupported }

func importBlock(location) (*block, error) { return nil, ErrIPCUnsupported }

func freeBlock(*block) {}
