package sim

// blocksPerProcessor is how many blocks of a kernel run on one processor at a time. What a real
// device answers depends on how it allocates registers and memory; this has the limits only.
func (f *face) blocksPerProcessor(k *kernelSpec, blockThreads uint64, dynamic uintptr) int32 {
	l := f.limits()
	warp := uint64(l.warp)
	if blockThreads == 0 || blockThreads > uint64(f.maxThreads(k)) ||
		uint64(dynamic)+uint64(k.shared) > uint64(l.optIn) {
		return 0
	}
	rounded := (blockThreads + warp - 1) / warp * warp
	blocks := min(uint64(l.maxBlocks), uint64(l.threads)/rounded)
	if k.registers > 0 {
		blocks = min(blocks, uint64(l.registers)/(uint64(k.registers)*rounded))
	}
	if shared := uint64(dynamic) + uint64(k.shared); shared > 0 {
		blocks = min(blocks, uint64(l.sharedAll)/shared)
	}
	return int32(blocks)
}

func (f *face) occupancy(call string, out *int32, fn uintptr, block int32, dynamic uintptr,
	flags uint32) code {
	if f.plays(chipFunctionAttributesUnsupported) {
		return notSupported
	}
	e, fault := f.entry(call, fn)
	switch {
	case out == nil || block <= 0 || flags > 1:
		return invalidValue
	case fault != success:
		return fault
	}
	*out = f.blocksPerProcessor(&e.spec, uint64(block), dynamic)
	return success
}

// potentialBlock finds the block size with the most threads on a processor, the largest one of
// those. sharedOf, if not null, is a C function that returns the dynamic shared memory for a size.
func (f *face) potentialBlock(call string, grid, block *int32, fn, sharedOf, dynamic uintptr,
	limit int32, flags uint32) code {
	if f.plays(chipFunctionAttributesUnsupported) {
		return notSupported
	}
	e, fault := f.entry(call, fn)
	switch {
	case grid == nil || block == nil || limit < 0 || flags > 1:
		return invalidValue
	case fault != success:
		return fault
	}
	l := f.limits()
	most := f.maxThreads(&e.spec)
	if limit > 0 {
		most = min(most, limit)
	}
	best, bestBlocks := int32(0), int32(0)
	for size := most; size > 0; size = (size - 1) / l.warp * l.warp {
		if sharedOf != 0 {
			dynamic = sharedFor(sharedOf, size)
		}
		n := f.blocksPerProcessor(&e.spec, uint64(size), dynamic)
		if n*size > bestBlocks*best {
			best, bestBlocks = size, n
		}
	}
	if best == 0 {
		return invalidValue
	}
	*block, *grid = best, bestBlocks*l.processors
	return success
}

// activeClusters is how many clusters of a launch run on the device at a time.
func (f *face) activeClusters(call string, out *int32, fn uintptr, r *launchRequest) code {
	e, fault := f.entry(call, fn)
	switch {
	case out == nil:
		return invalidValue
	case fault != success:
		return fault
	}
	e.mu.Lock()
	anyCluster := e.anyCluster
	e.mu.Unlock()
	blocks := uint64(1)
	if !empty(r.cluster) {
		if c := allowsCluster(r.grid, r.cluster, anyCluster); c != success {
			return c
		}
		blocks = volume(r.cluster)
	}
	all := f.blocksPerProcessor(&e.spec, volume(r.block), r.shared) * f.limits().processors
	*out = all / int32(blocks)
	return success
}
