package sim

// pool is memory of a device that stream-ordered allocations come from. The lock of [memory] guards
// what changes.
type pool struct {
	object
	device *device

	used, usedHigh         uintptr // in allocations
	reserved, reservedHigh uintptr // taken from the device
	threshold              uint64  // what is kept at a synchronization
	reuse                  [3]int32
	access                 map[*device]bool // which other devices have

	managed   bool    // its memory is the host's and all devices'
	limit     uintptr // of what is taken from the device; 0 if it has none
	destroyed bool    // it goes with the last of its memory
}

// defaultPool returns a device's pool, which it makes at the first use.
func (f *face) defaultPool(d *device) *pool {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	return f.poolIn(&d.pool, pool{device: d})
}

// poolIn returns the pool that is kept in a place, and makes it at the first use. The caller holds
// the lock.
func (f *face) poolIn(at **pool, like pool) *pool {
	if *at == nil {
		p := &like
		p.reuse = [3]int32{1, 1, 1}
		p.object.pool, p.object.kind = p, poolKind
		f.handles.add(&p.object)
		f.pooled.Store(true)
		*at = p
	}
	return *at
}

func (f *face) deviceGetPool(out *uintptr, ordinal int32) code {
	d, fault := f.device(ordinal)
	switch {
	case f.plays(chipPoolsUnsupported):
		return notSupported
	case out == nil:
		return invalidValue
	case fault != success:
		return fault
	}
	*out = f.defaultPool(d).handle
	return success
}

// pool resolves a handle given to a call.
func (f *face) pool(call string, h uintptr) (*pool, code) {
	if f.plays(chipPoolsUnsupported) {
		return nil, notSupported
	}
	if o := f.handles.find(h); o != nil && o.pool != nil {
		return o.pool, success
	}
	f.dead(call, h, poolKind)
	return nil, invalidValue
}

// take makes room for an allocation. The caller holds the lock.
func (p *pool) take(size uintptr) bool {
	if free := p.reserved - p.used; size > free {
		more := size - free
		if more > p.device.memory-p.device.used || p.limit > 0 && p.reserved+more > p.limit {
			return false
		}
		p.reserved += more
		p.device.used += more
	}
	p.used += size
	p.usedHigh, p.reservedHigh = max(p.usedHigh, p.used), max(p.reservedHigh, p.reserved)
	return true
}

// trim gives memory back to the device that is beyond keep and not in use. The caller holds the
// lock.
func (p *pool) trim(keep uint64) {
	keep = max(keep, uint64(p.used))
	if uint64(p.reserved) > keep {
		p.device.used -= p.reserved - uintptr(keep)
		p.reserved = uintptr(keep)
	}
}

func (f *face) poolTrim(call string, h, keep uintptr) code {
	p, fault := f.pool(call, h)
	if fault != success {
		return fault
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	p.trim(uint64(keep))
	return success
}

// synchronized is what follows a successful wait for work of a context: its device's pools keep no
// more unused memory than their thresholds say.
func (f *face) synchronized(c *context) {
	if !f.pooled.Load() {
		return
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	for _, p := range []*pool{c.device.pool, c.device.managed} {
		if p != nil {
			p.trim(p.threshold)
		}
	}
	for p := range c.device.pools {
		p.trim(p.threshold)
	}
}

// Attributes of a pool. The first three are numbers of 4 bytes, the others of 8.
const (
	poolReuseFirst = iota + 1
	_
	poolReuseLast
	poolThreshold
	poolReserved
	poolReservedHigh
	poolUsed
	poolUsedHigh
)

// poolGet writes an attribute of a pool where value points to.
func (f *face) poolGet(call string, h uintptr, attribute int32, value *uint64) code {
	p, fault := f.pool(call, h)
	switch {
	case fault != success:
		return fault
	case value == nil:
		return invalidValue
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	switch attribute {
	case poolThreshold:
		*value = p.threshold
	case poolReserved:
		*value = uint64(p.reserved)
	case poolReservedHigh:
		*value = uint64(p.reservedHigh)
	case poolUsed:
		*value = uint64(p.used)
	case poolUsedHigh:
		*value = uint64(p.usedHigh)
	default:
		if attribute < poolReuseFirst || attribute > poolReuseLast {
			return invalidValue
		}
		*low(value) = p.reuse[attribute-poolReuseFirst]
	}
	return success
}

// poolSet sets an attribute. The high-water marks can only be reset.
func (f *face) poolSet(call string, h uintptr, attribute int32, value *uint64) code {
	p, fault := f.pool(call, h)
	switch {
	case fault != success:
		return fault
	case value == nil:
		return invalidValue
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	switch {
	case attribute == poolThreshold:
		p.threshold = *value
	case attribute == poolReservedHigh && *value == 0:
		p.reservedHigh = p.reserved
	case attribute == poolUsedHigh && *value == 0:
		p.usedHigh = p.used
	case attribute >= poolReuseFirst && attribute <= poolReuseLast:
		p.reuse[attribute-poolReuseFirst] = *low(value)
	default:
		return invalidValue
	}
	return success
}
