package host

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
)

// DescriptorSize is the length of a descriptor.
const DescriptorSize = 64

// Descriptor names a shared event to another process of the same user on the same machine.
type Descriptor [DescriptorSize]byte

// Layout: magic 0, version 8, zero 10, process 12, event 16, zero 32, checksum of all that 60.
const (
	descMagic   = "gpuEvIPC"
	descVersion = 1
	descSum     = 60
)

type segmentID [16]byte

func newDescriptor(id segmentID) Descriptor {
	var d Descriptor
	copy(d[:], descMagic)
	binary.LittleEndian.PutUint16(d[8:], descVersion)
	binary.LittleEndian.PutUint32(d[12:], uint32(os.Getpid()))
	copy(d[16:], id[:])
	binary.LittleEndian.PutUint32(d[descSum:], crc32.ChecksumIEEE(d[:descSum]))
	return d
}

// ParseDescriptor checks the form of a descriptor. Whether the event still exists only OpenEvent can tell.
func ParseDescriptor(b []byte) (Descriptor, error) {
	var d Descriptor
	if len(b) != DescriptorSize {
		return d, fmt.Errorf("%w: %w: %d bytes instead of %d", ErrIPCDescriptor, ErrIPCLength, len(b), DescriptorSize)
	}
	if string(b[:8]) != descMagic {
		return d, fmt.Errorf("%w: %w", ErrIPCDescriptor, ErrIPCForeign)
	}
	if binary.LittleEndian.Uint32(b[descSum:]) != crc32.ChecksumIEEE(b[:descSum]) {
		return d, fmt.Errorf("%w: %w", ErrIPCDescriptor, ErrIPCCorrupt)
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != descVersion {
		return d, fmt.Errorf("%w: %w: version %d instead of %d", ErrIPCDescriptor, ErrIPCVersion, v, descVersion)
	}
	copy(d[:], b)
	return d, nil
}

// PID is the process that exported the event.
func (d Descriptor) PID() int { return int(binary.LittleEndian.Uint32(d[12:])) }

// Local reports whether this process exported the event.
func (d Descriptor) Local() bool { return d.PID() == os.Getpid() }

func (d Descriptor) id() segmentID { return segmentID(d[16:32]) }
