package sim

import (
	"slices"
	"sort"
	"unsafe"
)

// blockKind is where memory is, and who allocated it.
type blockKind uint8

const (
	deviceBlock     blockKind = iota // of a device
	hostBlock                        // allocated by the driver, and seen by devices
	registeredBlock                  // the host's own, made known to the driver
	signalBlock                      // HIP: the host's, for waits of streams
	managedBlock                     // CUDA: of the host and all devices
)

// block is one piece of memory that the driver knows. The lock of [memory] guards what changes.
type block struct {
	at, size uintptr
	kind     blockKind
	device   *device // nil for the host's
	context  *context
	flags    uint32
	data     []byte // made at the first use; as long as the block

	pool    *pool // of a stream-ordered allocation
	reached bool  // the stream has come to the allocation
	freeing bool  // a call frees it; its stream may not be there yet
	gone    bool
	users   int // pieces of work that use it right now

	global bool // a variable of a module, which nobody frees

	// Of memory of a pool: who allocated it, who uses it, and what these had told others then.
	allocator     *stream
	allocatorTold uint64
	usersTold     map[*stream]uint64

	managed *managedState // of managed memory

	node nodeMemory // of a graph's allocation
}

// blocks is a list of blocks that don't overlap, by address.
type blocks []*block

// after returns the index of the first block that begins behind an address.
func (b blocks) after(address uintptr) int {
	return sort.Search(len(b), func(i int) bool { return b[i].at > address })
}

// of returns the block that contains an address.
func (b blocks) of(address uintptr) *block {
	if i := b.after(address); i > 0 && address-b[i-1].at < b[i-1].size {
		return b[i-1]
	}
	return nil
}

// overlap returns a block that has memory of a range.
func (b blocks) overlap(address, size uintptr) *block {
	if i := b.after(address + (size - 1)); i > 0 && b[i-1].at+b[i-1].size > address {
		return b[i-1]
	}
	return nil
}

func (b *blocks) insert(n *block) { *b = slices.Insert(*b, b.after(n.at), n) }

func (b *blocks) remove(old *block) {
	if i := b.after(old.at) - 1; i >= 0 && (*b)[i] == old {
		*b = slices.Delete(*b, i, i+1)
	}
}

// owner returns the device that the memory is of, or that was current when the host's was
// allocated.
func (b *block) owner() *device {
	if b.device != nil {
		return b.device
	}
	return b.context.device
}

// holds reports whether a range is all inside the block.
func (b *block) holds(address, size uintptr) bool {
	return address >= b.at && address-b.at <= b.size && size <= b.size-(address-b.at)
}

// What memory of a device has before anything is written, and after it was freed, but for what is
// beyond the first part of large memory, which would take long to fill.
const (
	fresh      = 0xa5
	poison     = 0xdb
	poisonPart = 1 << 20
)

// bytes returns the block's memory from an address on. The caller holds the memory's lock.
func (b *block) bytes(address uintptr) []byte {
	if b.data == nil && b.size > 0 {
		b.data = newMemory(b.size)
		fillBytes(b.data, fresh)
	}
	return b.data[address-b.at:]
}

// newMemory returns zeroed memory that is aligned like a driver's, for all types of C.
func newMemory(size uintptr) []byte {
	b := make([]byte, size+spaceAlign)
	skip := -uintptr(unsafe.Pointer(&b[0])) % spaceAlign
	return b[skip:][:size:size]
}

func fillBytes(b []byte, value byte) {
	b = b[:min(len(b), poisonPart)]
	for i := range b {
		b[i] = value
	}
}
