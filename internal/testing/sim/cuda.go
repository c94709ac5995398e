package sim

var cudaAPI = api{name: "CUDA driver", mark: 0xc, fill: defineCUDA}

func defineCUDA(a *api) {
	defineCUDADevices(a)
	defineCUDAContexts(a)
	defineCUDAStreams(a)
	defineCUDAEvents(a)
	defineCUDACaptures(a)
	defineCUDAMemory(a)
	defineCUDAModules(a)
	defineCUDAFunctions(a)
	defineCUDALibraries(a)
	defineCUDAKernels(a)
	defineCUDALaunches(a)
	defineCUDAGraphs(a)
	defineCUDAGraphBuilding(a)
	defineCUDAGraphQueries(a)
	defineCUDAGraphParams(a)
	defineCUDAUserObjects(a)
	defineCUDACopies(a)
	defineCUDAPools(a)
	defineCUDAValues(a)
}
