package planted

// specs are mistakes in what was extracted from the headers. Everything is generated anew from it,
// so Go and the oracle agree with each other.
var specs = []plant{
	{
		name: "number of an enumerator in the spec", finder: "TestOracle", needs: aCompiler | headers,
		says: `O_N\(CU_EVENT_INTERPROCESS, 8\)`,
		edit: edit{file: "specs/cuda.json", old: `{"name":"CU_EVENT_INTERPROCESS","value":4}`,
			new: `{"name":"CU_EVENT_INTERPROCESS","value":8}`},
	},
	{
		name: "value of a macro in the spec", finder: "TestOracle", needs: aCompiler | headers,
		says: `O_N\(hipEventBlockingSync, 0x4\)`,
		edit: edit{file: "specs/hip.json", in: `{"name":"hipEventBlockingSync"`, old: `"0x1"`,
			new: `"0x4"`},
	},
	{
		name: "fields in another order in the spec", finder: "TestOracle", needs: aCompiler | headers,
		says: `O_F\(CUDA_MEMSET_NODE_PARAMS_v1, CUDA_MEMSET_NODE_PARAMS_v1, elementSize, 16\)`,
		edit: edit{file: "specs/cuda.json", in: `{"name":"CUDA_MEMSET_NODE_PARAMS_v1"`,
			old: `{"name":"value","type":"unsigned int"},{"name":"elementSize","type":"unsigned int"}`,
			new: `{"name":"elementSize","type":"unsigned int"},{"name":"value","type":"unsigned int"}`},
	},
	{
		name: "offset in the spec", finder: "TestSpecLayouts",
		says: `CUDA_MEMCPY2D_v2\.srcMemoryType: .* its offset is 20, by the fields before it 16`,
		edit: edit{file: "specs/cuda.json", in: `{"name":"CUDA_MEMCPY2D_v2"`,
			old: `"offsets":[0,8,16,24,`, new: `"offsets":[0,8,20,24,`},
	},
	{
		name: "array of a field lost in the spec", finder: "TestSpecLayouts",
		says: `CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1: .* has 88 bytes, by its fields 24`,
		edit: edit{file: "specs/cuda.json", in: `{"name":"CUDA_EXTERNAL_MEMORY_BUFFER_DESC_v1"`,
			old: `"unsigned int[16]"`, new: `"unsigned int"`},
	},
	{
		name: "array of structs declared in place lost in the spec", finder: "TestSpecLayouts",
		says: `CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1\.params\.keyedMutex.* has 24 bytes, by its fields 16`,
		edit: edit{file: "specs/cuda.json", in: `{"name":"CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_v1"`,
			old: `"layouts":[{"size":16,"align":8,"offsets":[0,8]}]`,
			new: `"layouts":[{"size":24,"align":8,"offsets":[0,8]}]`},
	},
	{
		name: "size of an older form of a struct", finder: "TestSpecLayouts",
		says: `CUDA_CHILD_GRAPH_NODE_PARAMS: .* in 12\.8 for .* has 16 bytes, by its fields 8`,
		edit: edit{file: "specs/cuda.json", in: `{"from":"12.2","to":"12.8","layouts":[{"size":8,"align":8,` +
			`"offsets":[0]}],"fields":[{"name":"graph"`, old: `"size":8`, new: `"size":16`},
	},
	{
		name: "fields of an older form of a struct", finder: "TestOldReleases",
		needs: aCompiler | headers,
		says:  `O_F\(HIP_MEMCPY3D, HIP_MEMCPY3D, Height, 112\)`,
		edit: edit{file: "specs/hip.json", in: `{"name":"HIP_MEMCPY3D"`,
			old: `{"name":"WidthInBytes","type":"unsigned int"},{"name":"Height","type":"unsigned int"}`,
			new: `{"name":"Height","type":"unsigned int"},{"name":"WidthInBytes","type":"unsigned int"}`},
	},
	{
		name: "width of a bit-field in the spec", finder: "TestOracle", needs: aCompiler | headers,
		says: `hipDeviceArch_t\.hasGlobal\w+: (C: \d bits|Go: \d bits)`,
		edit: edit{file: "specs/hip.json", in: `{"name":"hipDeviceArch_t"`,
			old: `{"name":"hasGlobalInt32Atomics","type":"unsigned int","bits":1},` +
				`{"name":"hasGlobalFloatAtomicExch","type":"unsigned int","bits":1,"bitOffset":1}`,
			new: `{"name":"hasGlobalFloatAtomicExch","type":"unsigned int","bits":1},` +
				`{"name":"hasGlobalInt32Atomics","type":"unsigned int","bits":1,"bitOffset":1}`},
		alone: true,
	},
	{
		name: "first release of a function", finder: "TestSymbols", needs: aCompiler | headers,
		says: `cuGraphGetId: the header of 12\.9 does not declare it`,
		edit: edit{file: "specs/cuda.json", in: `{"name":"cuGraphGetId"`, old: `"since":"13.1"`,
			new: `"since":"12.9"`},
	},
	{
		name: "function removed too early", finder: "TestSymbols", needs: aCompiler | headers,
		says: `cuCtxDetach: the header of 13\.5 declares it`,
		edit: edit{file: "specs/cuda.json", in: `{"name":"cuCtxDetach"`, old: `"deprecated":"11.8"`,
			new: `"removed":"13.0","deprecated":"11.8"`},
	},
	{
		name: "narrower parameter in the spec", finder: "TestOracle", needs: aCompiler | headers,
		says: `conflicting types for .cuMemAlloc_v2`,
		edit: edit{file: "specs/cuda.json", in: `{"name":"cuMemAlloc_v2"`,
			old: `{"name":"bytesize","type":"size_t"}`, new: `{"name":"bytesize","type":"unsigned int"}`},
	},
	{
		name: "signedness of a parameter in the spec", finder: "TestOracle", needs: aCompiler | headers,
		says: `conflicting types for .cuDeviceGet\W`,
		edit: edit{file: "specs/cuda.json", in: `{"name":"cuDeviceGet",`,
			old: `{"name":"ordinal","type":"int"}`, new: `{"name":"ordinal","type":"unsigned int"}`},
	},
	{
		name: "const lost in the spec", finder: "TestOracle", needs: aCompiler | headers,
		says: `conflicting types for .cuMemcpy2D_v2`,
		edit: edit{file: "specs/cuda.json", in: `{"name":"cuMemcpy2D_v2"`,
			old: `"const CUDA_MEMCPY2D *"`, new: `"CUDA_MEMCPY2D *"`},
	},
	{
		name: "parameter lost in the spec", finder: "TestOracle", needs: aCompiler | headers,
		says: `conflicting types for .cuGraphGetId`,
		edit: edit{file: "specs/cuda.json", in: `{"name":"cuGraphGetId"`,
			old: `{"name":"hGraph","type":"CUgraph"},`, new: ``},
	},
	{
		name: "parameters of one type swapped in the spec", finder: "TestSymbols",
		needs: aCompiler | headers,
		says:  `cuMemcpyDtoDAsync_v2\.\w+: the header of 13\.5 has \w+ in its place`,
		edit: edit{file: "specs/cuda.json", in: `{"name":"cuMemcpyDtoDAsync_v2"`,
			old: `{"name":"dstDevice","type":"CUdeviceptr"},{"name":"srcDevice","type":"CUdeviceptr"}`,
			new: `{"name":"srcDevice","type":"CUdeviceptr"},{"name":"dstDevice","type":"CUdeviceptr"}`},
	},
}

// facts are mistakes in what a maintainer wrote about functions, and in how the API becomes a
// package.
var facts = []plant{
	{
		name: "array beside a count as a result", finder: "TestOracle", needs: aCompiler,
		says:  `cuDevSmResourceSplit\.result: C writes as many elements as nbGroups says, the Go`,
		place: inFacts,
		edit: edit{file: "specs/cuda.facts.toml", old: `"cuDevSmResourceSplit.result" = "buffer:optional"`,
			new: `"cuDevSmResourceSplit.result" = "out"`},
	},
	{
		name: "array beside a count behind a pointer as a result", finder: "TestOracle", needs: aCompiler,
		says:  `cuGraphGetNodes\.nodes: C writes as many elements as numNodes says, the Go result is one`,
		place: inFacts,
		edit: edit{file: "specs/cuda.facts.toml", old: `"cuGraphGetNodes.nodes" = "buffer:optional"`,
			new: `"cuGraphGetNodes.nodes" = "out"`},
	},
	{
		name: "result that becomes a parameter", finder: "gen emit", place: inFacts, locked: true,
		says: `the signature of MemGetInfo \(cuMemGetInfo_v2\) would change`,
		edit: edit{file: "specs/cuda.facts.toml", old: `"cuMemGetInfo_v2.free" = "out"`,
			new: `"cuMemGetInfo_v2.free" = "in"`},
	},
	{
		name: "array that becomes a result", finder: "gen emit", place: inFacts, locked: true,
		says: `the signature of GraphGetNodes \(cuGraphGetNodes\) would change`,
		edit: edit{file: "specs/cuda.facts.toml", old: `"cuGraphGetNodes.nodes" = "buffer:optional"`,
			new: `"cuGraphGetNodes.nodes" = "out"`},
	},
	{
		name: "enum of another parameter", finder: "gen emit", place: inFacts, locked: true,
		says: `the signature of EventCreate \(cuEventCreate\) would change`,
		edit: edit{file: "specs/cuda.facts.toml", old: `"cuEventCreate.Flags" = "CUevent_flags"`,
			new: `"cuEventCreate.Flags" = "CUstream_flags"`},
	},
	{
		name: "struct whose size changes", finder: "gen emit", place: inSpec, locked: true,
		says: `CUlaunchMemSyncDomainMap`,
		edit: edit{file: "specs/cuda.json", in: `{"name":"CUlaunchMemSyncDomainMap"`,
			old: `{"size":2,"align":1,"offsets":[0,1]}],"fields":[`,
			new: `{"size":3,"align":1,"offsets":[1,2]}],"fields":[`},
		also: []edit{{file: "specs/cuda.json", in: `{"name":"CUlaunchMemSyncDomainMap"`,
			old: `"offsets":[1,2]}],"fields":[`,
			new: `"offsets":[0,1,2]}],"fields":[{"name":"first","type":"unsigned char"},`}},
	},
	{
		name: "fact about no parameter", finder: "gen emit", place: inFacts,
		says: `cuda\.facts\.toml:\d+: cuDeviceGetCount has no parameter "counts"`,
		edit: edit{file: "specs/cuda.facts.toml", old: `"cuDeviceGetCount.count" = "out"`,
			new: `"cuDeviceGetCount.counts" = "out"`},
	},
	{
		name: "text whose length is no parameter", finder: "gen emit", place: inFacts,
		says: `cuda\.facts\.toml:\d+: cuDeviceGetName has no parameter "length"`,
		edit: edit{file: "specs/cuda.facts.toml", old: `"cuDeviceGetName.name" = "string:len"`,
			new: `"cuDeviceGetName.name" = "string:length"`},
	},
	{
		name: "user data in a parameter that is none", finder: "gen emit", place: inFacts,
		says: `cuStreamAddCallback: parameter callback: no parameter carries the user data`,
		edit: edit{file: "specs/cuda.facts.toml",
			old: `"cuStreamAddCallback.callback" = { userdata = "userData"`,
			new: `"cuStreamAddCallback.callback" = { userdata = "data"`},
	},
	{
		name: "callback that is said to run during the call", finder: "cudrv TestLivesOfCallbacks",
		place: inFacts, says: `has ended`,
		edit: edit{file: "specs/cuda.facts.toml",
			old: `"cuLaunchHostFunc.fn" = { userdata = "userData", lifetime = "once" }`,
			new: `"cuLaunchHostFunc.fn" = { userdata = "userData", lifetime = "call" }`},
	},
	{
		name: "Go name for another symbol", finder: "gen emit", place: inRules,
		says: `(?i)GetDeviceProperties`,
		edit: edit{file: "specs/hip.toml",
			old: `hipGetDevicePropertiesR0600 = { go = "GetDeviceProperties",`,
			new: `hipGetDevicePropertiesR0600 = { go = "GetDevicePropertiesR0000",`},
		also: []edit{{file: "specs/hip.toml",
			old: `hipGetDeviceProperties = { go = "GetDevicePropertiesR0000",`,
			new: `hipGetDeviceProperties = { go = "GetDeviceProperties",`}},
	},
	{
		name: "symbols of two Go names swapped in the lock", finder: "TestNames", place: inLock,
		says: `EventElapsedTime is cuEventElapsedTime_v2, and the older cuEventElapsedTime is`,
		edit: edit{file: "specs/cuda.lock", old: "\nEventElapsedTime func cuEventElapsedTime ",
			new: "\nEventElapsedTime func cuEventElapsedTime_v2 "},
		also: []edit{{file: "specs/cuda.lock", old: "EventElapsedTimeV2 func cuEventElapsedTime_v2 ",
			new: "EventElapsedTimeV2 func cuEventElapsedTime "}},
	},
	{
		name:   "symbol that libraries are said to lack",
		finder: "internal/testing/reallibs TestRealLibraries",
		needs:  libraries, place: inRules, says: `cuEventCreate`,
		edit: edit{file: "specs/cuda.toml", old: "[missing]\n",
			new: "[missing]\ncuEventCreate = { reason = \"planted\" }\n"},
	},
}
