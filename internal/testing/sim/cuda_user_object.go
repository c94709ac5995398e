package sim

func defineCUDAUserObjects(a *api) {
	def5(a, "cuUserObjectCreate", "11.3", 0,
		func(f *face, out *uintptr, data, destroy uintptr, refs, flags uint32) code {
			return f.userObjectCreate(out, data, destroy, refs, flags)
		})
	def2(a, "cuUserObjectRetain", "11.3", 0, func(f *face, h uintptr, n uint32) code {
		u, fault := f.userObject("cuUserObjectRetain", h)
		switch {
		case fault != success:
			return fault
		case n == 0:
			return invalidValue
		}
		u.retain(n)
		return success
	})
	def2(a, "cuUserObjectRelease", "11.3", destroys,
		func(f *face, h uintptr, n uint32) code {
			u, fault := f.userObject("cuUserObjectRelease", h)
			switch {
			case fault != success:
				return fault
			case n == 0:
				return invalidValue
			}
			return f.releaseUser(u, n)
		})
	def4(a, "cuGraphRetainUserObject", "11.3", 0,
		func(f *face, g, u uintptr, n, flags uint32) code {
			return f.graphRetain("cuGraphRetainUserObject", g, u, n, flags)
		})
	def3(a, "cuGraphReleaseUserObject", "11.3", destroys,
		func(f *face, g, u uintptr, n uint32) code {
			return f.graphRelease("cuGraphReleaseUserObject", g, u, n)
		})
}
