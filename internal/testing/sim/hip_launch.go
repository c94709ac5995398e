package sim

func defineHIPLaunches(a *api) {
	defLaunch(a, "hipModuleLaunchKernel", "5.2.3", 0, true)
	defLaunch(a, "hipModuleLaunchCooperativeKernel", "5.7.1", 0, false)
	def5(a, "hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "5.2.3", 0,
		func(f *face, out *int32, fn uintptr, block int32, dynamic uintptr, flags uint32) code {
			return f.occupancy("hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", out, fn,
				block, dynamic, flags)
		})
	def6(a, "hipModuleOccupancyMaxPotentialBlockSizeWithFlags", "5.2.3", 0,
		func(f *face, grid, block *int32, fn, dynamic uintptr, limit int32, flags uint32) code {
			return f.potentialBlock("hipModuleOccupancyMaxPotentialBlockSizeWithFlags", grid, block,
				fn, 0, dynamic, limit, flags)
		})
}
