package sim

import "github.com/gpuevent/gpuevent/cudrv"

func defineCUDAModules(a *api) {
	def2(a, "cuModuleLoadData", "2.0", wantsThread, func(f *face, out *uintptr, image *byte) code {
		return f.moduleLoad(out, image, nil)
	})
	def5(a, "cuModuleLoadDataEx", "2.1", wantsThread,
		func(f *face, out *uintptr, image *byte, n uint32, options *cudrv.JitOption,
			values *uintptr) code {
			log := readJITLog(n, options, values)
			defer log.done()
			return f.moduleLoad(out, image, log)
		})
	def1(a, "cuModuleUnload", "2.0", wantsThread|destroys, func(f *face, m uintptr) code {
		return f.moduleUnload("cuModuleUnload", m)
	})
	def3(a, "cuModuleGetFunction", "2.0", wantsThread,
		func(f *face, out *uintptr, m uintptr, name *byte) code {
			return f.moduleFunction("cuModuleGetFunction", out, m, name)
		})
	def4(a, "cuModuleGetGlobal_v2", "3.2", wantsThread,
		func(f *face, at, size *uintptr, m uintptr, name *byte) code {
			return f.moduleGlobal("cuModuleGetGlobal_v2", at, size, m, name)
		})
	def1(a, "cuModuleGetLoadingMode", "11.7", 0, func(_ *face, out *int32) code {
		if out == nil {
			return invalidValue
		}
		*out = int32(cudrv.ModuleLazyLoading)
		return success
	})
}

func defineCUDAFunctions(a *api) {
	def3(a, "cuFuncGetAttribute", "2.2", wantsThread,
		func(f *face, out *int32, which int32, fn uintptr) code {
			return f.functionAttribute("cuFuncGetAttribute", out, which, fn)
		})
	def3(a, "cuFuncSetAttribute", "9.0", wantsThread,
		func(f *face, fn uintptr, which, value int32) code {
			return f.setFunctionAttribute("cuFuncSetAttribute", fn, which, value)
		})
	def2(a, "cuFuncGetModule", "11.0", wantsThread, func(f *face, out *uintptr, fn uintptr) code {
		e, fault := f.entry("cuFuncGetModule", fn)
		switch {
		case fault != success:
			return fault
		case out == nil:
			return invalidValue
		}
		*out = e.module.handle
		return success
	})
	def2(a, "cuFuncGetName", "12.3", wantsThread, func(f *face, out **byte, fn uintptr) code {
		if out == nil || fn == 0 {
			return invalidValue
		}
		e, fault := f.entry("cuFuncGetName", fn)
		if fault == success {
			*out = e.nameInC()
		}
		return fault
	})
	def1(a, "cuFuncLoad", "12.4", wantsThread, func(f *face, fn uintptr) code {
		e, fault := f.entry("cuFuncLoad", fn)
		if fault == success {
			e.setLoaded()
		}
		return fault
	})
	def2(a, "cuFuncIsLoaded", "12.4", wantsThread, func(f *face, out *int32, fn uintptr) code {
		e, fault := f.entry("cuFuncIsLoaded", fn)
		switch {
		case fault != success:
			return fault
		case out == nil:
			return invalidValue
		}
		*out = e.loadingState()
		return success
	})
	def4(a, "cuFuncGetParamInfo", "12.4", wantsThread,
		func(f *face, fn, i uintptr, offset, size *uintptr) code {
			return f.functionParam("cuFuncGetParamInfo", fn, i, offset, size)
		})
	def2(a, "cuFuncGetParamCount", "13.2", wantsThread, func(f *face, fn uintptr, out *uintptr) code {
		e, fault := f.entry("cuFuncGetParamCount", fn)
		switch {
		case fault != success:
			return fault
		case out == nil:
			return invalidValue
		}
		*out = uintptr(len(e.spec.params))
		return success
	})
}

// setLoaded is what a launch does as well, to a function that is loaded lazily.
func (e *entryPoint) setLoaded() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.loaded = true
}

func (e *entryPoint) loadingState() int32 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.loaded {
		return int32(cudrv.FunctionLoadingStateLoaded)
	}
	return int32(cudrv.FunctionLoadingStateUnloaded)
}
