package sim

func defineHIPValues(a *api) {
	def5(a, "hipStreamWaitValue32", "5.2.3", 0,
		func(f *face, s, at uintptr, value, flags, mask uint32) code {
			return f.waitValue("hipStreamWaitValue32", s, at, 4, uint64(value), uint64(mask), flags)
		})
	def5(a, "hipStreamWaitValue64", "5.2.3", 0,
		func(f *face, s, at uintptr, value uint64, flags uint32, mask uint64) code {
			return f.waitValue("hipStreamWaitValue64", s, at, 8, value, mask, flags)
		})
	def4(a, "hipStreamWriteValue32", "5.2.3", 0, func(f *face, s, at uintptr, value, _ uint32) code {
		return f.writeValue("hipStreamWriteValue32", s, at, 4, uint64(value))
	})
	def4(a, "hipStreamWriteValue64", "5.2.3", 0,
		func(f *face, s, at uintptr, value uint64, _ uint32) code {
			return f.writeValue("hipStreamWriteValue64", s, at, 8, value)
		})
}
