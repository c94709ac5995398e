package sim

import "github.com/gpuevent/gpuevent/cudrv"

// poolCreate makes a pool of a device's memory that no other process can have. There are no others.
func (f *face) poolCreate(out *uintptr, props *cudrv.MemPoolProps) code {
	switch {
	case out == nil || props == nil || props.AllocType != cudrv.MemAllocationTypePinned:
		return invalidValue
	case props.Location.Type != cudrv.MemLocationTypeDevice || props.HandleTypes != 0:
		return notSupported
	}
	d, fault := f.device(*props.Location.Id())
	if fault != success {
		return invalidValue
	}
	p := &pool{device: d, reuse: [3]int32{1, 1, 1}, limit: props.MaxSize}
	p.object.pool, p.object.kind = p, poolKind
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	*out = f.handles.add(&p.object)
	if d.pools == nil {
		d.pools = map[*pool]bool{}
	}
	d.pools[p] = true
	f.pooled.Store(true)
	return success
}

// poolDestroy ends a pool. Memory that is in use stays so.
func (f *face) poolDestroy(call string, h uintptr) code {
	p, fault := f.pool(call, h)
	if fault != success {
		return fault
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	if p == p.device.pool || !f.handles.remove(&p.object) { // a device's default pool stays
		return invalidValue
	}
	p.destroyed = true
	delete(p.device.pools, p)
	p.trim(0)
	return success
}
