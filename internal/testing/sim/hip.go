package sim

var hipAPI = api{name: "HIP runtime", hip: true, mark: 0xa, fill: defineHIP}

func defineHIP(a *api) {
	defineHIPDevices(a)
	defineHIPErrors(a)
	defineHIPStreams(a)
	defineHIPEvents(a)
	defineHIPCaptures(a)
	defineHIPMemory(a)
	defineHIPModules(a)
	defineHIPLaunches(a)
	defineHIPGraphs(a)
	defineHIPGraphBuilding(a)
	defineHIPGraphQueries(a)
	defineHIPGraphParams(a)
	defineHIPCopies(a)
	defineHIPPools(a)
	defineHIPValues(a)
}
