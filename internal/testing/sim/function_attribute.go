package sim

import "github.com/gpuevent/gpuevent/cudrv"

// attribute returns what both vendors tell of a function, by CUDA's numbers, which are HIP's.
func (e *entryPoint) attribute(f *face, which int32) (value int32, ok bool) {
	k := &e.spec
	e.mu.Lock()
	defer e.mu.Unlock()
	switch cudrv.FunctionAttribute(which) {
	case cudrv.FuncAttributeMaxThreadsPerBlock:
		return f.maxThreads(k), true
	case cudrv.FuncAttributeSharedSizeBytes:
		return k.shared, true
	case cudrv.FuncAttributeConstSizeBytes, cudrv.FuncAttributeCacheModeCa:
		return 0, true
	case cudrv.FuncAttributeLocalSizeBytes:
		return k.local, true
	case cudrv.FuncAttributeNumRegs:
		return k.registers, true
	case cudrv.FuncAttributePtxVersion, cudrv.FuncAttributeBinaryVersion:
		return f.binaryVersion(), true
	case cudrv.FuncAttributeMaxDynamicSharedSizeBytes:
		return e.dynamic, true
	case cudrv.FuncAttributePreferredSharedMemoryCarveout:
		return e.carveout, true
	}
	return 0, false
}

func (f *face) binaryVersion() int32 {
	if f.hip() {
		return hipMajor*10 + hipMinor
	}
	return cudaMajor*10 + cudaMinor
}

func (f *face) functionAttribute(call string, out *int32, which int32, fn uintptr) code {
	if f.plays(chipFunctionAttributesUnsupported) {
		return notSupported
	}
	e, fault := f.entry(call, fn)
	if out != nil && fault != success {
		return fault
	}
	return f.giveAttribute(e, out, which)
}

func (f *face) giveAttribute(e *entryPoint, out *int32, which int32) code {
	if out == nil {
		return invalidValue
	}
	value, ok := e.attribute(f, which)
	if !ok && !f.hip() {
		value, ok = e.clusterAttribute(which)
	}
	if !ok {
		return invalidValue
	}
	*out = value
	return success
}

// clusterAttribute returns what only CUDA tells.
func (e *entryPoint) clusterAttribute(which int32) (value int32, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch cudrv.FunctionAttribute(which) {
	case cudrv.FuncAttributeNonPortableClusterSizeAllowed:
		if e.anyCluster {
			return 1, true
		}
		return 0, true
	case cudrv.FuncAttributeClusterSizeMustBeSet, cudrv.FuncAttributeRequiredClusterWidth,
		cudrv.FuncAttributeRequiredClusterHeight, cudrv.FuncAttributeRequiredClusterDepth,
		cudrv.FuncAttributeClusterSchedulingPolicyPreference:
		return 0, true
	}
	return 0, false
}

// setFunctionAttribute is CUDA's. HIP's takes the address of a host function.
func (f *face) setFunctionAttribute(call string, fn uintptr, which, value int32) code {
	e, fault := f.entry(call, fn)
	if fault != success {
		return fault
	}
	return f.setAttributeOf(e, which, value)
}

func (f *face) setAttributeOf(e *entryPoint, which, value int32) code {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch cudrv.FunctionAttribute(which) {
	case cudrv.FuncAttributeMaxDynamicSharedSizeBytes:
		if value < 0 || value > f.limits().optIn-e.spec.shared {
			return invalidValue
		}
		e.dynamic = value
	case cudrv.FuncAttributePreferredSharedMemoryCarveout:
		if value < -1 || value > 100 {
			return invalidValue
		}
		e.carveout = value
	case cudrv.FuncAttributeNonPortableClusterSizeAllowed:
		e.anyCluster = value != 0
	default:
		return invalidValue
	}
	return success
}

func (f *face) functionParam(call string, fn, i uintptr, offset, size *uintptr) code {
	e, fault := f.entry(call, fn)
	if fault != success {
		return fault
	}
	return e.spec.param(i, offset, size)
}

// param tells where a parameter lies.
func (k *kernelSpec) param(i uintptr, offset, size *uintptr) code {
	if offset == nil || i >= uintptr(len(k.params)) {
		return invalidValue
	}
	*offset = k.params[i].offset
	if size != nil {
		*size = k.params[i].size
	}
	return success
}
