package sim

const everyBit = ^uint64(0)

func defineCUDAValues(a *api) {
	for _, version := range []struct{ suffix, since32, since64 string }{{"", "8.0", "9.0"},
		{"_v2", "11.7", "11.7"}} {
		wait32, wait64 := "cuStreamWaitValue32"+version.suffix, "cuStreamWaitValue64"+version.suffix
		write32, write64 := "cuStreamWriteValue32"+version.suffix, "cuStreamWriteValue64"+version.suffix
		def4(a, wait32, version.since32, wantsThread,
			func(f *face, s, at uintptr, value, flags uint32) code {
				return f.waitValue(wait32, s, at, 4, uint64(value), everyBit, flags)
			})
		def4(a, wait64, version.since64, wantsThread,
			func(f *face, s, at uintptr, value uint64, flags uint32) code {
				return f.waitValue(wait64, s, at, 8, value, everyBit, flags)
			})
		def4(a, write32, version.since32, wantsThread,
			func(f *face, s, at uintptr, value, _ uint32) code {
				return f.writeValue(write32, s, at, 4, uint64(value))
			})
		def4(a, write64, version.since64, wantsThread,
			func(f *face, s, at uintptr, value uint64, _ uint32) code {
				return f.writeValue(write64, s, at, 8, value)
			})
	}
}
