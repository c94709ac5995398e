package sim

import "unsafe"

func defineHIPModules(a *api) {
	def2(a, "hipModuleLoadData", "5.2.3", 0, func(f *face, out *uintptr, image *byte) code {
		return f.moduleLoad(out, image, nil)
	})
	def5(a, "hipModuleLoadDataEx", "5.2.3", 0, // which ignores all options
		func(f *face, out *uintptr, image *byte, _ uint32, _, _ unsafe.Pointer) code {
			return f.moduleLoad(out, image, nil)
		})
	def1(a, "hipModuleUnload", "5.2.3", destroys, func(f *face, m uintptr) code {
		return f.moduleUnload("hipModuleUnload", m)
	})
	def3(a, "hipModuleGetFunction", "5.2.3", 0,
		func(f *face, out *uintptr, m uintptr, name *byte) code {
			return f.moduleFunction("hipModuleGetFunction", out, m, name)
		})
	def4(a, "hipModuleGetGlobal", "5.2.3", 0,
		func(f *face, at, size *uintptr, m uintptr, name *byte) code {
			return f.moduleGlobal("hipModuleGetGlobal", at, size, m, name)
		})
	def3(a, "hipFuncGetAttribute", "5.2.3", 0,
		func(f *face, out *int32, which int32, fn uintptr) code {
			return f.functionAttribute("hipFuncGetAttribute", out, which, fn)
		})
	def4(a, "hipKernelGetParamInfo", "7.15", 0,
		func(f *face, fn, i uintptr, offset, size *uintptr) code {
			return f.functionParam("hipKernelGetParamInfo", fn, i, offset, size)
		})
}
