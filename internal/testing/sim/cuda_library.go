package sim

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
)

func defineCUDALibraries(a *api) {
	defineLibraryLoad(a, "cuLibraryLoadData", (*face).libraryLoad)
	defineLibraryLoad(a, "cuLibraryLoadFromFile", (*face).libraryLoadFile)
	def1(a, "cuLibraryUnload", "12.0", destroys, func(f *face, l uintptr) code {
		return f.libraryUnload("cuLibraryUnload", l)
	})
	def3(a, "cuLibraryGetKernel", "12.0", 0, func(f *face, out *uintptr, h uintptr, name *byte) code {
		l, fault := f.library("cuLibraryGetKernel", h)
		switch {
		case out == nil || name == nil:
			return invalidValue
		case fault != success:
			return fault
		}
		k := l.kernel(goText(name))
		if k == nil {
			return notFound
		}
		*out = k.handle
		return success
	})
	def2(a, "cuLibraryGetKernelCount", "12.4", 0, func(f *face, out *uint32, h uintptr) code {
		l, fault := f.library("cuLibraryGetKernelCount", h)
		switch {
		case out == nil:
			return invalidValue
		case fault != success:
			return fault
		}
		*out = uint32(len(l.names()))
		return success
	})
	def3(a, "cuLibraryEnumerateKernels", "12.4", 0,
		func(f *face, out *uintptr, n uint32, h uintptr) code {
			l, fault := f.library("cuLibraryEnumerateKernels", h)
			switch {
			case fault != success:
				return fault
			case n == 0:
				return success
			case out == nil:
				return invalidValue
			}
			kernels := unsafe.Slice(out, n)
			for i, name := range l.names()[:min(int(n), len(l.names()))] {
				kernels[i] = l.kernel(name).handle
			}
			return success
		})
	def2(a, "cuLibraryGetModule", "12.0", wantsThread, func(f *face, out *uintptr, h uintptr) code {
		m, fault := f.libraryHere("cuLibraryGetModule", h)
		switch {
		case out == nil:
			return invalidValue
		case fault != success:
			return fault
		}
		*out = m.handle
		return success
	})
	def4(a, "cuLibraryGetGlobal", "12.0", wantsThread,
		func(f *face, at, size *uintptr, h uintptr, name *byte) code {
			m, fault := f.libraryHere("cuLibraryGetGlobal", h)
			if fault != success {
				return fault
			}
			return f.moduleGlobal("cuLibraryGetGlobal", at, size, m.handle, name)
		})
}

// defineLibraryLoad defines a function that loads a library from an image or a path. The options of
// libraries have no effect here.
func defineLibraryLoad(a *api, name string, load func(*face, *uintptr, *byte, *jitLog) code) {
	fn := a.define(name, "12.0", 8, 0)
	fn.impl = func(fr *frame) uintptr {
		e := fn.enter(fr)
		if e.run {
			log := readJITLog(arg[uint32](fr, 4), arg[*cudrv.JitOption](fr, 2), arg[*uintptr](fr, 3))
			e.result = load(e.face, arg[*uintptr](fr, 0), arg[*byte](fr, 1), log)
			log.done()
		}
		return e.leave()
	}
}

// libraryHere returns the module that a library is in the current context.
func (f *face) libraryHere(call string, h uintptr) (*module, code) {
	l, fault := f.library(call, h)
	if fault != success {
		return nil, fault
	}
	c, fault := f.here()
	if fault != success {
		return nil, fault
	}
	return l.in(c)
}

func defineCUDAKernels(a *api) {
	def2(a, "cuKernelGetFunction", "12.0", wantsThread, func(f *face, out *uintptr, h uintptr) code {
		k, fault := f.libraryKernel("cuKernelGetFunction", h)
		switch {
		case out == nil:
			return invalidValue
		case fault != success:
			return fault
		}
		c, fault := f.here()
		if fault != success {
			return fault
		}
		e, fault := k.in(c)
		if fault == success {
			*out = e.handle
		}
		return fault
	})
	def2(a, "cuKernelGetLibrary", "12.5", 0, func(f *face, out *uintptr, h uintptr) code {
		k, fault := f.libraryKernel("cuKernelGetLibrary", h)
		switch {
		case out == nil:
			return invalidValue
		case fault != success:
			return fault
		}
		*out = k.library.handle
		return success
	})
	def2(a, "cuKernelGetName", "12.3", 0, func(f *face, out **byte, h uintptr) code {
		if out == nil || h == 0 {
			return invalidValue
		}
		k, fault := f.libraryKernel("cuKernelGetName", h)
		switch {
		case fault != success:
			return fault
		}
		*out = &k.name[0]
		return success
	})
	def4(a, "cuKernelGetAttribute", "12.0", 0,
		func(f *face, out *int32, which int32, h uintptr, device int32) code {
			k, d, fault := f.kernelOn("cuKernelGetAttribute", h, device)
			if fault != success {
				return fault
			}
			return f.giveAttribute(k.onDevice(d), out, which)
		})
	def4(a, "cuKernelSetAttribute", "12.0", 0,
		func(f *face, which, value int32, h uintptr, device int32) code {
			k, d, fault := f.kernelOn("cuKernelSetAttribute", h, device)
			if fault != success {
				return fault
			}
			return k.set(d, which, value)
		})
	def4(a, "cuKernelGetParamInfo", "12.4", 0,
		func(f *face, h, i uintptr, offset, size *uintptr) code {
			k, fault := f.libraryKernel("cuKernelGetParamInfo", h)
			if fault != success {
				return fault
			}
			if _, fault := f.here(); fault != success {
				return fault
			}
			return k.spec.param(i, offset, size)
		})
	def2(a, "cuKernelGetParamCount", "13.2", 0, func(f *face, h uintptr, out *uintptr) code {
		k, fault := f.libraryKernel("cuKernelGetParamCount", h)
		switch {
		case fault != success:
			return fault
		case out == nil:
			return invalidValue
		}
		*out = uintptr(len(k.spec.params))
		return success
	})
}

// kernelOn resolves a library's kernel and a device.
func (f *face) kernelOn(call string, h uintptr, ordinal int32) (*libraryKernel, *device,
	code) {
	k, fault := f.libraryKernel(call, h)
	if fault != success {
		return nil, nil, fault
	}
	d, fault := f.device(ordinal)
	return k, d, fault
}
