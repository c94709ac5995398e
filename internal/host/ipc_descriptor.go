package host

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
)

// DescriptorSize is the length of a descriptor.
const DescriptorSize = 64

// Descriptor identifies a shared event to another process of the same user on the same machine.
type Descriptor [DescriptorSize]byte

// Layout: magic 0, version 8, zero 10, process 12, arena 16, the event's place in it 32, its key
// 40, the folder's root 48, zero 49, the folder's suffix 52, checksum of all that 60.
const (
	descMagic   = "gpuEvIPC"
	descVersion = 2
	descSum     = 60
)

// arenaID is a random number that no two arenas share.
type arenaID [16]byte

// place is the folder of an arena, without its user: both sides must be the same.
type place struct {
	root   byte   // index in ipcRoots
	suffix uint64 // of the folder's name, 0 for none
}

// location is where a shared event is.
type location struct {
	arena  arenaID
	offset uint64 // of its block in the arena
	key    uint64 // distinguishes the event from those that had the block before
	place  place
}

func newDescriptor(l location) Descriptor {
	var d Descriptor
	copy(d[:], descMagic)
	binary.LittleEndian.PutUint16(d[8:], descVersion)
	binary.LittleEndian.PutUint32(d[12:], uint32(os.Getpid()))
	copy(d[16:], l.arena[:])
	binary.LittleEndian.PutUint64(d[32:], l.offset)
	binary.LittleEndian.PutUint64(d[40:], l.key)
	d[48] = l.place.root
	binary.LittleEndian.PutUint64(d[52:], l.place.suffix)
	binary.LittleEndian.PutUint32(d[descSum:], crc32.ChecksumIEEE(d[:descSum]))
	return d
}

// ParseDescriptor checks the form of a descriptor. Only OpenEvent can find out whether the event
// still exists.
func ParseDescriptor(b []byte) (Descriptor, error) {
	var d Descriptor
	if len(b) != DescriptorSize {
		return d, fmt.Errorf("%w: %w: %d bytes instead of %d", ErrIPCDescriptor, ErrIPCLength,
			len(b), DescriptorSize)
	}
	if string(b[:8]) != descMagic {
		return d, fmt.Errorf("%w: %w", ErrIPCDescriptor, ErrIPCForeign)
	}
	if binary.LittleEndian.Uint32(b[descSum:]) != crc32.ChecksumIEEE(b[:descSum]) {
		return d, fmt.Errorf("%w: %w", ErrIPCDescriptor, ErrIPCCorrupt)
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != descVersion {
		return d, fmt.Errorf("%w: %w: version %d instead of %d", ErrIPCDescriptor, ErrIPCVersion,
			v, descVersion)
	}
	copy(d[:], b)
	return d, nil
}

// PID returns the process that exported the event.
func (d Descriptor) PID() int { return int(binary.LittleEndian.Uint32(d[12:])) }

// Local reports whether this process exported the event.
func (d Descriptor) Local() bool { return d.PID() == os.Getpid() }

func (d Descriptor) location() location {
	return location{
		arena:  arenaID(d[16:32]),
		offset: binary.LittleEndian.Uint64(d[32:]),
		key:    binary.LittleEndian.Uint64(d[40:]),
		place:  place{d[48], binary.LittleEndian.Uint64(d[52:])},
	}
}
