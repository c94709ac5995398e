package sim

import (
	"slices"
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
)

// managedState is what programs have said about managed memory. It is the same for all of an
// allocation, and it has no effect: the memory is where the host and all devices see it.
type managedState struct {
	readMostly            bool
	preferred, prefetched location
	accessedBy            []int32
}

// location is a place as CUDA writes it: its type, and the number of a device or of a node of the
// host's memory.
type location struct{ kind, id int32 }

// Devices in attributes of managed memory that are no devices.
const (
	deviceOfHost = -1
	deviceOfNone = -2
)

var nowhere = location{int32(cudrv.MemLocationTypeInvalid), deviceOfNone}

// placeOf returns the place that functions of CUDA 8.0 mean by a device.
func placeOf(device int32) location {
	if device == deviceOfHost {
		return location{int32(cudrv.MemLocationTypeHost), deviceOfHost}
	}
	return location{int32(cudrv.MemLocationTypeDevice), device}
}

// device returns what attributes of CUDA 8.0 call the place.
func (p location) device() int32 {
	switch cudrv.MemLocationType(p.kind) {
	case cudrv.MemLocationTypeDevice:
		return p.id
	case cudrv.MemLocationTypeHost:
		return deviceOfHost
	}
	return deviceOfNone
}

func newManagedState() *managedState {
	return &managedState{preferred: nowhere, prefetched: nowhere}
}

// managedBlockOf returns a block of managed memory, which has no address yet that others know.
func managedBlockOf(size uintptr, d *device, c *context) *block {
	data := newMemory(size)
	return &block{at: uintptr(unsafe.Pointer(&data[0])), size: size, kind: managedBlock, device: d,
		context: c, data: data, managed: newManagedState()}
}

// allocManaged allocates memory that the host and all devices use at the same addresses.
func (f *face) allocManaged(out *uintptr, size uintptr, flags uint32) code {
	if flags != uint32(cudrv.MemAttachGlobal) && flags != uint32(cudrv.MemAttachHost) {
		return invalidValue
	}
	if fault := f.mayManageMemory(); fault != success {
		return fault
	}
	c, fault := f.here()
	switch {
	case out == nil || size == 0:
		return invalidValue
	case fault != success:
		return fault
	case size > c.device.memory:
		return outOfMemory
	}
	b := managedBlockOf(size, c.device, c)
	b.reached = true
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	if size > c.device.memory-c.device.used {
		return outOfMemory
	}
	c.device.used += size
	*out = f.add(b)
	return success
}

// managedRange returns the managed memory that has a range, or nil. The caller holds the lock.
func (f *face) managedRange(address, size uintptr) *block {
	b := f.memory.live.of(address)
	if b == nil || b.managed == nil || b.freeing || size == 0 || !b.holds(address, size) {
		return nil
	}
	return b
}

// mayBe checks a place that managed memory is to go to.
func (f *face) mayBe(p location) code {
	switch cudrv.MemLocationType(p.kind) {
	case cudrv.MemLocationTypeDevice:
		_, fault := f.device(p.id)
		return fault
	case cudrv.MemLocationTypeHost, cudrv.MemLocationTypeHostNumaCurrent:
		return success
	case cudrv.MemLocationTypeHostNuma:
		if p.id == 0 {
			return success
		}
	}
	return invalidValue
}

// prefetch moves nothing, since the memory is everywhere. It is work of its stream.
func (f *face) prefetch(call string, address, size uintptr, to location, h uintptr) code {
	s, fault := f.stream(call, h)
	if fault != success {
		return fault
	}
	if fault := f.mayBe(to); fault != success {
		return fault
	}
	f.memory.mu.Lock()
	b := f.managedRange(address, size)
	f.memory.mu.Unlock()
	switch {
	case b == nil:
		return invalidValue
	case f.captureOf(s) != nil:
		return captureUnsupported
	}
	f.uses(call, s, address)
	return s.whenReached(func() {
		f.memory.mu.Lock()
		defer f.memory.mu.Unlock()
		b.managed.prefetched = to
	})
}

func (f *face) advise(address, size uintptr, advice int32, at location) code {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	b := f.managedRange(address, size)
	if b == nil {
		return invalidValue
	}
	m := b.managed
	switch a := cudrv.MemAdvice(advice); a {
	case cudrv.MemAdviseSetReadMostly, cudrv.MemAdviseUnsetReadMostly:
		m.readMostly = a == cudrv.MemAdviseSetReadMostly
	case cudrv.MemAdviseUnsetPreferredLocation:
		m.preferred = nowhere
	case cudrv.MemAdviseSetPreferredLocation:
		if fault := f.mayBe(at); fault != success {
			return fault
		}
		m.preferred = at
	case cudrv.MemAdviseSetAccessedBy, cudrv.MemAdviseUnsetAccessedBy:
		if fault := f.mayBe(at); fault != success {
			return fault
		}
		d := at.device()
		if d == deviceOfNone {
			return invalidValue
		}
		m.accessedBy = slices.DeleteFunc(m.accessedBy, func(o int32) bool { return o == d })
		if a == cudrv.MemAdviseSetAccessedBy {
			m.accessedBy = append(m.accessedBy, d)
		}
	default:
		return invalidValue
	}
	return success
}

// rangeAttribute writes an attribute of managed memory.
func (f *face) rangeAttribute(data *int32, bytes uintptr, attribute int32,
	address, size uintptr) code {
	if data == nil || bytes == 0 || bytes%4 != 0 {
		return invalidValue
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	b := f.managedRange(address, size)
	if b == nil {
		return invalidValue
	}
	m, a := b.managed, cudrv.MemRangeAttribute(attribute)
	if a == cudrv.MemRangeAttributeAccessedBy {
		out := unsafe.Slice(data, bytes/4)
		for i := copy(out, m.accessedBy); i < len(out); i++ {
			out[i] = deviceOfNone
		}
		return success
	}
	if bytes != 4 {
		return invalidValue
	}
	switch a {
	case cudrv.MemRangeAttributeReadMostly:
		*data = 0
		if m.readMostly {
			*data = 1
		}
	case cudrv.MemRangeAttributePreferredLocation:
		*data = m.preferred.device()
	case cudrv.MemRangeAttributeLastPrefetchLocation:
		*data = m.prefetched.device()
	case cudrv.MemRangeAttributePreferredLocationType:
		*data = m.preferred.kind
	case cudrv.MemRangeAttributePreferredLocationId:
		*data = m.preferred.id
	case cudrv.MemRangeAttributeLastPrefetchLocationType:
		*data = m.prefetched.kind
	case cudrv.MemRangeAttributeLastPrefetchLocationId:
		*data = m.prefetched.id
	default:
		return invalidValue
	}
	return success
}

// prefetchBatch prefetches ranges. What a program discards may have any contents; here it keeps
// those that it had.
func (f *face) prefetchBatch(call string, b batch, h uintptr) code {
	switch {
	case b.addresses == nil || b.sizes == nil || b.to == nil || b.first == nil,
		b.n == 0 || b.locations == 0 || b.locations > b.n || b.flags != 0:
		return invalidValue
	}
	to, first := unsafe.Slice(b.to, b.locations), unsafe.Slice(b.first, b.locations)
	if first[0] != 0 || !slices.IsSorted(first) || first[len(first)-1] >= b.n {
		return invalidValue
	}
	sizes := unsafe.Slice(b.sizes, b.n)
	if fault := f.areManaged(b); fault != success {
		return fault
	}
	at := -1
	for i, address := range unsafe.Slice(b.addresses, b.n) {
		for at+1 < len(first) && first[at+1] <= uintptr(i) {
			at++
		}
		if fault := f.prefetch(call, address, sizes[i], to[at], h); fault != success {
			return fault
		}
	}
	return success
}

// discardBatch checks its arguments. What is discarded keeps its contents here.
func (f *face) discardBatch(call string, b batch, h uintptr) code {
	s, fault := f.stream(call, h)
	switch {
	case fault != success:
		return fault
	case b.addresses == nil || b.sizes == nil || b.n == 0 || b.flags != 0:
		return invalidValue
	}
	if fault := f.areManaged(b); fault != success {
		return fault
	}
	if f.captureOf(s) != nil {
		return captureUnsupported
	}
	for _, address := range unsafe.Slice(b.addresses, b.n) {
		f.uses(call, s, address)
	}
	return success
}

// areManaged checks that all ranges of a batch are managed memory.
func (f *face) areManaged(b batch) code {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	sizes := unsafe.Slice(b.sizes, b.n)
	for i, address := range unsafe.Slice(b.addresses, b.n) {
		if f.managedRange(address, sizes[i]) == nil {
			return invalidValue
		}
	}
	return success
}
