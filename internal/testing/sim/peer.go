package sim

import "unsafe"

func (f *face) canAccessPeer(out *int32, device, peer int32) code {
	if out == nil {
		return invalidValue
	}
	for _, ordinal := range []int32{device, peer} {
		if _, fault := f.device(ordinal); fault != success {
			return fault
		}
	}
	*out = 0
	if device != peer && !f.m.options.NoPeers {
		*out = 1
	}
	return success
}

// accessible reports whether kernels of a context reach a block. The caller holds the memory's
// lock.
func (f *face) accessible(c *context, b *block) bool {
	if b.device == nil || b.device == c.device {
		return true
	}
	if b.pool != nil {
		return b.pool.access[c.device]
	}
	return c.peers[b.device]
}

// ctxEnablePeer gives the current context access to the memory of another's device.
func (f *face) ctxEnablePeer(peer uintptr, flags uint32) code {
	c, fault := f.here()
	other := f.findContext(peer)
	switch {
	case fault != success:
		return fault
	case other == nil || other == c:
		return invalidContext
	case flags != 0:
		return invalidValue
	case f.m.options.NoPeers || other.device == c.device:
		return peerUnsupported
	}
	return f.setPeer(c, other.device, true)
}

func (f *face) ctxDisablePeer(peer uintptr) code {
	c, fault := f.here()
	other := f.findContext(peer)
	switch {
	case fault != success:
		return fault
	case other == nil:
		return invalidContext
	}
	return f.setPeer(c, other.device, false)
}

// deviceEnablePeer gives the current device access to the memory of another one.
func (f *face) deviceEnablePeer(peer int32, flags uint32) code {
	if flags != 0 {
		return invalidValue
	}
	return f.setDevicePeer(peer, true)
}

func (f *face) setDevicePeer(peer int32, on bool) code {
	c, fault := f.here()
	d, unknown := f.device(peer)
	switch {
	case fault != success:
		return fault
	case unknown != success || d == c.device || f.m.options.NoPeers:
		return invalidDevice
	}
	return f.setPeer(c, d, on)
}

func (f *face) setPeer(c *context, d *device, on bool) code {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	switch had := c.peers[d]; {
	case had && on:
		return peerEnabled
	case !had && !on:
		return peerNotEnabled
	case c.peers == nil:
		c.peers = map[*device]bool{}
	}
	c.peers[d] = on
	return success
}

// accessDesc says what a device may do with a pool's memory.
type accessDesc struct {
	locationType, locationID int32
	flags                    int32 // 0 nothing, 1 read, 3 read and write
}

const locationDevice = 1

// poolSetAccess says which devices reach a pool's memory, that of its own device apart.
func (f *face) poolSetAccess(call string, h uintptr, list *accessDesc, n uintptr) code {
	p, fault := f.pool(call, h)
	switch {
	case fault != success:
		return fault
	case list == nil && n > 0:
		return invalidValue
	case n > uintptr(len(f.devices)):
		return invalidDevice
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	for _, a := range unsafe.Slice(list, n) {
		d, unknown := f.device(a.locationID)
		own := d == p.device
		switch {
		case a.locationType != locationDevice:
			return invalidValue
		case unknown != success:
			return unknown
		case own && a.flags == 0, a.flags != 0 && a.flags != 1 && a.flags != 3:
			return invalidValue
		case !own && f.m.options.NoPeers:
			return invalidDevice
		case p.access == nil:
			p.access = map[*device]bool{}
		}
		p.access[d] = a.flags != 0
	}
	return success
}

// poolGetAccess tells what a device may do with a pool's memory.
func (f *face) poolGetAccess(call string, flags *int32, h uintptr, location *[2]int32) code {
	p, fault := f.pool(call, h)
	switch {
	case fault != success:
		return fault
	case flags == nil || location == nil || location[0] != locationDevice:
		return invalidValue
	}
	d, fault := f.device(location[1])
	if fault != success {
		return fault
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	*flags = 0
	if d == p.device || p.access[d] {
		*flags = 3
	}
	return success
}

// copyPeer copies between two contexts, whether or not they have access to each other.
func (f *face) copyPeer(call string, to, toContext, from, fromContext, size, h uintptr,
	sync bool) code {
	if f.findContext(toContext) == nil || f.findContext(fromContext) == nil {
		return invalidContext
	}
	return f.copyMemory(call, to, from, size, h, copyWithin, sync)
}

// copyDevices copies between two devices. HIP looks at the memory and not at the numbers.
func (f *face) copyDevices(call string, to uintptr, toDevice int32, from uintptr, fromDevice int32,
	size, h uintptr) code {
	for _, ordinal := range []int32{toDevice, fromDevice} {
		if _, fault := f.device(ordinal); fault != success {
			return fault
		}
	}
	return f.copyKind(call, to, from, size, copyDeviceNoKernel, h, false)
}
