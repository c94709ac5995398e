package sim

var hipAPI = api{name: "HIP runtime", hip: true, fill: defineHIP}

func defineHIP(a *api) {
	defineHIPDevices(a)
	defineHIPErrors(a)
	defineHIPStreams(a)
	defineHIPEvents(a)
	defineHIPCaptures(a)
	defineHIPMemory(a)
}
