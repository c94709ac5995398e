package sim

import "github.com/gpuevent/gpuevent/cudrv"

// poolCreate makes a pool of a device's memory or of managed memory that no other process can have.
// There are no others. What a pool of managed memory has counts as memory of the device that it
// prefers, or else of the first.
func (f *face) poolCreate(out *uintptr, props *cudrv.MemPoolProps) code {
	switch {
	case out == nil || props == nil || props.AllocType != cudrv.MemAllocationTypePinned &&
		props.AllocType != cudrv.MemAllocationTypeManaged:
		return invalidValue
	case props.AllocType == cudrv.MemAllocationTypeManaged:
		return f.managedPool(out, props)
	case props.Location.Type != cudrv.MemLocationTypeDevice || props.HandleTypes != 0:
		return notSupported
	}
	d, fault := f.device(*props.Location.Id())
	if fault != success {
		return invalidValue
	}
	return f.newPool(out, &pool{device: d, limit: props.MaxSize})
}

func (f *face) managedPool(out *uintptr, props *cudrv.MemPoolProps) code {
	at := location{int32(props.Location.Type), *props.Location.Id()}
	if at.kind != int32(cudrv.MemLocationTypeNone) {
		if fault := f.mayBe(at); fault != success {
			return invalidValue
		}
	}
	d, fault := f.device(max(at.device(), 0))
	switch {
	case fault != success:
		return invalidValue
	case props.HandleTypes != 0:
		return notSupported
	}
	return f.newPool(out, &pool{device: d, limit: props.MaxSize, managed: true})
}

// poolAt returns the pool that a location has when no program has made one. Those of the host do
// not exist.
func (f *face) poolAt(out *uintptr, at *location, kind int32) code {
	if out == nil || at == nil {
		return invalidValue
	}
	switch cudrv.MemAllocationType(kind) {
	case cudrv.MemAllocationTypePinned:
		if cudrv.MemLocationType(at.kind) != cudrv.MemLocationTypeDevice {
			return notSupported
		}
		return f.deviceGetPool(out, at.id)
	case cudrv.MemAllocationTypeManaged:
		if at.kind != int32(cudrv.MemLocationTypeNone) {
			if fault := f.mayBe(*at); fault != success {
				return invalidValue
			}
		}
		d, fault := f.device(max(at.device(), 0))
		if fault != success {
			return fault
		}
		*out = f.managedPoolOf(d).handle
		return success
	}
	return invalidValue
}

// managedPoolOf returns a device's pool of managed memory, which it makes at the first use.
func (f *face) managedPoolOf(d *device) *pool {
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	return f.poolIn(&d.managed, pool{device: d, managed: true})
}

// newBlock returns memory that counts as a device's, and is managed or the device's own.
func newBlock(size uintptr, d *device, c *context, managed bool) *block {
	if managed {
		return managedBlockOf(size, d, c)
	}
	return &block{at: deviceAddress(size), size: size, device: d, context: c}
}

// newPool makes a pool known.
func (f *face) newPool(out *uintptr, p *pool) code {
	d := p.device
	p.reuse = [3]int32{1, 1, 1}
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
	own := p == p.device.pool || p == p.device.managed // which stay
	if own || !f.handles.remove(&p.object) {
		return invalidValue
	}
	p.destroyed = true
	delete(p.device.pools, p)
	p.trim(0)
	return success
}
