package sim

// Quirk is a difference between drivers: by vendor, by version, or from what one would expect.
// docs/driver-facts.md has the sources. The code calls [profile.plays]; the table is the only place
// with versions.
type Quirk struct {
	// ID is in kebab-case and begins with the vendor: cuda, amd, chip (HIP on a CPU), or gpu for
	// several.
	ID string
	// API is the API that has it: cuda, amd, chip, gpu (cuda and amd), or hip (amd and chip, which
	// counts as older than all of AMD's versions).
	API string
	// From and Before are the versions that have it, "" if the range is open.
	From, Before string
}

// Quirks lists all of them.
func Quirks() []Quirk { return append([]Quirk(nil), quirkTable[:]...) }

// Profiles returns the profiles with the quirk, as "cuda-12.4" or "hip-cpu".
func (q Quirk) Profiles() []string {
	var names []string
	for _, set := range [][]profile{cudaProfiles, hipProfiles} {
		for i := range set {
			if q.playedBy(&set[i]) {
				names = append(names, set[i].fullName())
			}
		}
	}
	return names
}

// playedBy reports whether the version of p is one that the quirk speaks of.
func (q Quirk) playedBy(p *profile) bool {
	switch q.API {
	case p.vendor:
	case "hip":
		if p.vendor == vendorCUDA {
			return false
		}
	case "gpu":
		if p.vendor == vendorChip {
			return false
		}
	default:
		return false
	}
	v := versionNumber(p.version)
	return (q.From == "" || v >= versionNumber(q.From)) &&
		(q.Before == "" || v < versionNumber(q.Before))
}

const (
	vendorCUDA = "cuda"
	vendorAMD  = "amd"
	vendorChip = "chip"
)

// quirk is a place in the table.
type quirk uint8

// Captures.
const (
	// A query, synchronize or wait foreverything in a thread that heeds a capture gives 900 and
	// spoils the capture.
	cudaCaptureModes quirk = iota
	// The legacy stream refuses all work and queries while a blocking stream of its context is
	// captured: 906, and the capture is spoilt.
	cudaLegacyStreamInCapture
	// Query, synchronize and elapsed of an event that was recorded in a capture: 907.
	cudaCapturedEvent
	// Synchronize and elapsed of such an event when the capture is over: 1.
	cudaCapturedEventCode
	// An Interprocess event can't be recorded in a capture: 900.
	cudaIPCEventInCapture
	// External records outside a capture give 1.
	cudaExternalNeedsCapture

	// No query spoils a capture, not even one about the captured stream.
	amdCapturesUnguarded
	// Nothing invalidates a capture: refused calls have no effect, and hipDeviceSynchronize is not
	// refused.
	amdCapturesUnspoilt
	// hipStreamEndCapture that fails with 901 or 904 leaves all streams in the capture, until its
	// origin is destroyed.
	amdFailedCaptureStays
	// Ending such a capture again is a crash if it is relaxed. Otherwise it gives 908.
	amdSecondEndCrashes
	// The graph of such a capture is gone, and work on its streams is a crash. Before, such work
	// never ran.
	amdFailedGraphReleased
	// Every record stores its stream in the event, and later calls look at that stream first.
	amdRecordNotesStream
	// Query and synchronize of a stream that does not capture heed captures elsewhere: 900, and
	// they are spoilt. So does hipEventSynchronize, unless the event's last record was on the null
	// stream.
	amdStreamHeedsCaptures
	// These calls are refused in a thread in relaxed mode too.
	amdRelaxedThreadsHeed
	// A global capture concerns threads in thread-local mode too.
	amdGlobalCaptureHeededByAll
	// hipEventQuery heeds captures elsewhere too.
	amdQueryHeedsCaptures
	// Query and synchronize of an event heed captures by the rules of CUDA.
	amdEventHeedsModes
	// Query and synchronize of an event of a capture in progress: 907, and the capture is spoilt.
	amdCaptureAsksItsEvent
	// The same of an event that was last recorded on a stream that is capturing, be it before the
	// capture.
	amdCaptureAsksNotedStream
	// hipEventSynchronize of such events is 900. A query answers about the record before.
	amdCaptureSyncUnsupported
	// A record into a spoilt capture is an ordinary one.
	amdSpoiltCaptureRecords
	// A stream that waits for an event whose last stream is capturing, where the event is no part
	// of the capture: 905.
	amdWaitCapturedIsolation
	// A captured stream's wait for an event from outside is no error, and no part of the graph: it
	// happens at once.
	amdWaitNotIsolated
	// The null stream's wait for an event of a capture is 400.
	amdNullStreamInCapture
	// hipStreamIsCapturing of the null stream is 906 while a blocking stream captures.
	amdNullStreamStatus
	// hipStreamAddCallback on the null stream is 906 while a blocking stream captures, and all
	// captures are spoilt. Other work of the null stream is accepted.
	amdLegacyStreamInCapture
	// hipStreamAddCallback into a capture is 900, and the capture is spoilt. Before, it worked on
	// the stream itself.
	amdCallbackInCapture
	// hipStreamEndCapture of a stream that does not capture: 903.
	amdEndCaptureUnmatched
	// An external record outside a capture is an ordinary one.
	amdExternalOutsideCapture
	// An external record in a capture makes the event one of the capture as well.
	amdExternalRecordMarks
	// hipStreamWaitEvent takes the external flag; outside a capture it then follows a null pointer.
	amdExternalWait
	// In a capture it takes an array of pointers for nodes, if the stream has captured work.
	amdExternalWaitCorrupts
	// The null stream's wait for an event of a capture is accepted, and the end of the capture
	// follows a null pointer.
	amdNullStreamJoins
	// What a capture does not record, and what runs at once instead: hipModuleLaunchKernel,
	amdLaunchNotCaptured
	// hipModuleLaunchCooperativeKernel,
	amdCooperativeNotCaptured
	// hipGraphLaunch,
	amdGraphNotCaptured
	// hipMemcpyPeerAsync,
	amdPeerCopyNotCaptured
	// waits for values in memory, and writes of such.
	amdValueNotCaptured

	// Streams.

	// A query or synchronize of the null stream looks at the per-thread streams too.
	gpuNullStreamAsksPerThread
	amdWaitValueMemory
	// Destroying a stream waits for its work.
	amdStreamDestroyWaits
	// hipStreamLegacy is understood.
	amdLegacyHandle
	// hipStreamPerThread is understood.
	amdPerThreadHandle
	// A destroyed stream is detected: 709, or 400 from hipStreamWaitEvent. Otherwise the pointer is
	// followed: a crash.
	amdDestroyedStreamChecked
	// hipStreamWaitEvent gives 400 for a destroyed stream where others give 709.
	amdWaitDestroyedStream
	// Priorities are 1 to -1.
	amdPriorities
	// hipStreamGetFlags refuses the null stream.
	amdNullStreamFlags

	// Events.

	// A destroyed event, stream or graph is detected: 400. Otherwise the pointer is followed: a
	// crash.
	cudaHandlesChecked
	// A null event is 400 before cuInit too.
	cudaNullEventBeforeInit
	// Elapsed times come in steps of half a microsecond.
	cudaElapsedSteps
	// cuEventElapsedTime_v2 need not report earlier failures.
	cudaElapsedV2
	// Destroying an event twice is a crash. Later it gives 709.
	amdDoubleDestroyCrashes
	// hipEventSynchronize of an event whose last stream was destroyed reads freed memory.
	amdEventOutlivesStream
	// hipEventQuery does so too.
	amdQueryOutlivesStream
	// hipStreamWaitEvent did so once. Now it sees that the stream is gone, and has nothing to wait
	// for.
	amdWaitOutlivesStream
	// hipEventSynchronize holds the event's lock while it waits; record, query, wait and elapsed
	// want it.
	amdEventLock
	// hipEventElapsedTime takes the lock of its first event, then that of the second.
	amdElapsedLocksBoth
	// Release flags exist, one at a time.
	amdReleaseFlags
	// hipEventDisableSystemFence exists.
	amdSystemFenceFlag
	// Interprocess without DisableTiming is fine.
	amdInterprocessAlone

	// Events between processes.

	// The process that exported an event can't open it: 201.
	gpuIPCSameProcess
	// Query, synchronize and wait of an event between processes always succeed.
	amdIPCOrdersNothing
	// A stream's wait for such an event is 1 from its 33rd record on, and before its first. If it has
	// no shared memory yet, the wait follows a null pointer.
	amdIPCWaitSlots
	// Destroying an event of that kind waits for the whole device, once the event has shared memory.
	amdIPCDestroyWaits
	// A null event given to hipIpcGetEventHandle is 1.
	amdIPCNullEvent
	// The handle of an event that is not Interprocess: 9, where CUDA has 400.
	amdIPCNotShared

	// Host functions.

	// A host function that calls the API gets 800.
	cudaHostFuncNoAPI
	// All host functions of a process can share one thread; see Options.OneHostThread.
	gpuHostFuncOneThread
	// There is no hipLaunchHostFunc.
	amdHostFuncMissing

	// Devices and errors.

	// Every call before cuInit gives 3.
	cudaInitFirst
	// Attributes newer than the driver give 1.
	cudaAttributesOfVersion
	// No device is 101.
	amdNoDeviceCode
	// No device is 101 to the first call that asks, and 100 to later ones.
	amdFirstNoDeviceCode
	// hipGetLastError reports every call, success and 600 included; later versions report the last
	// failure.
	amdLastErrorAlways
	// hipGetErrorString gives the name.
	amdErrorStringIsName
	// Only the old layout of the properties exists.
	amdOldProperties
	// An allocation of nothing is null, and freeing null is fine.
	amdEmptyAllocation
	// A null graph, executable graph or node is 1. So are those that are gone, but destroying such a
	// graph is 401.
	amdNullGraph
	// hipMemGetAddressRange of memory that is not known is 17.
	amdAddressRangePointer

	// Modules.

	// A plain code object is not copied: its memory is read until the module is unloaded.
	amdImageNotCopied
	// Unloading a module does not wait for its kernels.
	amdUnloadAtOnce
	// Unloading a module heeds captures as freeing memory does.
	amdUnloadHeedsCaptures

	// Memory.

	// Freeing memory of a pool by the function for other memory does not wait for the device.
	cudaPoolFreeReturns
	// The address that is filled must be a multiple of the value's size.
	cudaFillAligned
	// Allocating, freeing and registering heed captures: 900.
	amdAllocationHeedsCaptures
	// Such calls and synchronous copies invalidate the captures, and those refuse a synchronous copy
	// in every mode.
	amdMemoryCallsSpoilCaptures
	// hipMallocAsync and hipFreeAsync are no part of a capture: they happen at once.
	amdMallocAsyncNotCaptured
	// hipMallocAsync and hipFreeAsync on a stream that does not capture are 900 while a blocking
	// stream of the device captures. On the null stream they follow a null pointer.
	amdAsyncMemoryHeedsCaptures
	// hipFreeAsync takes memory from hipMalloc, and waits for the device then.
	amdFreeAsyncAnything
	// A graph that allocates can be copied.
	amdMemoryGraphIsCloned
	// Freeing and unregistering memory of the host waits for the device.
	amdHostFreeWaits
	// An asynchronous copy from pageable memory waits for its end.
	amdPageableCopyWaits
	// It does so if it is large.
	amdLargePageableCopyWaits
	// An asynchronous copy within memory of the host that is all pinned does not wait.
	amdPinnedCopyIsAsynchronous
	// A synchronous copy between devices waits for its end.
	amdPeerCopyWaits
	// A synchronous fill waits for its end.
	amdFillWaits
	// It does so if it does not begin where its allocation does.
	amdInnerFillWaits
	// Work that goes to memory which is not there ends the process.
	amdFaultAborts
	// The numbers of types of memory are those of old headers.
	amdOldMemoryTypes

	// HIP on a CPU.

	// Functions of pools give 801; allocation and free in stream order happen at once.
	chipPoolsUnsupported
	// One lock is held in every call, also while it waits. A host function that calls the API waits
	// forever.
	chipOneLock
	// hipStreamIsCapturing, hipStreamGetCaptureInfo and hipThreadExchangeStreamCaptureMode give
	// 801.
	chipIsCapturingUnsupported
	// Query and synchronize of a captured stream give 901, and the capture is spoilt.
	chipCapturingStreamCode
	// Work in a capture runs at once, and the graph is empty.
	chipCapturesRunAtOnce
	// Handles of events between processes give 801.
	chipIPCUnsupported
	// A query of an event that was never recorded gives 600.
	chipUnrecordedNotReady
	// Both release flags of events are accepted, also together.
	chipReleaseFlags
	// hipLaunchHostFunc waits for the stream, and calls the function on the caller's thread.
	chipHostFuncBlocksCaller
	// hipStreamDestroy waits for the whole device.
	chipDestroyWaitsForDevice
	// A destroyed stream gives 709.
	chipDestroyedStreamChecked
	// Priorities are 2 to 0.
	chipPriorities
	// hipStreamQuery gives 600 for an idle stream too.
	chipStreamQueryWrong
	// The sign of the time between two events follows the order of the records' calls.
	chipElapsedFollowsRecords
	// hipFuncGetAttribute and the functions of occupancy give 801.
	chipFunctionAttributesUnsupported
	// A name that a module lacks gives 719.
	chipUnknownKernel
	// The architecture is "unavailable"; modules are bundles with SPIR-V.
	chipNoArchitecture
	// hipDriverGetVersion gives 4, whatever the version.
	chipDriverVersion
	// Functions are missing that AMD has had for long.
	chipMissingSymbols
	// No device is 3, also to hipGetDeviceCount.
	chipNoDeviceCode

	quirks // their number
)

var quirkTable = [quirks]Quirk{
	cudaCaptureModes:          {"cuda-capture-modes", "cuda", "", ""},
	cudaLegacyStreamInCapture: {"cuda-legacy-stream-in-capture", "cuda", "", ""},
	cudaCapturedEvent:         {"cuda-captured-event", "cuda", "", ""},
	cudaCapturedEventCode:     {"cuda-captured-event-code", "cuda", "", ""},
	cudaIPCEventInCapture:     {"cuda-ipc-event-in-capture", "cuda", "", ""},
	cudaExternalNeedsCapture:  {"cuda-external-needs-capture", "cuda", "", ""},

	amdCapturesUnguarded:        {"amd-captures-unguarded", "amd", "", "5.5"},
	amdCapturesUnspoilt:         {"amd-captures-unspoilt", "amd", "", "6.2"},
	amdFailedCaptureStays:       {"amd-failed-capture-stays", "amd", "", ""},
	amdSecondEndCrashes:         {"amd-second-end-crashes", "amd", "5.5", ""},
	amdFailedGraphReleased:      {"amd-failed-graph-released", "amd", "7.0", ""},
	amdRecordNotesStream:        {"amd-record-notes-stream", "amd", "5.7", ""},
	amdStreamHeedsCaptures:      {"amd-stream-heeds-captures", "amd", "5.5", ""},
	amdRelaxedThreadsHeed:       {"amd-relaxed-threads-heed", "amd", "5.5", "6.1"},
	amdGlobalCaptureHeededByAll: {"amd-global-capture-heeded-by-all", "amd", "5.7", "7.2.1"},
	amdQueryHeedsCaptures:       {"amd-query-heeds-captures", "amd", "7.0", ""},
	amdEventHeedsModes:          {"amd-event-heeds-modes", "amd", "7.2.1", ""},
	amdCaptureAsksItsEvent:      {"amd-capture-asks-its-event", "amd", "6.2", ""},
	amdCaptureAsksNotedStream:   {"amd-capture-asks-noted-stream", "amd", "6.2", "7.2.1"},
	amdCaptureSyncUnsupported:   {"amd-capture-sync-unsupported", "amd", "5.7", "6.2"},
	amdSpoiltCaptureRecords:     {"amd-spoilt-capture-records", "amd", "6.2", ""},
	amdWaitCapturedIsolation:    {"amd-wait-captured-isolation", "amd", "5.7", ""},
	amdWaitNotIsolated:          {"amd-wait-not-isolated", "amd", "", ""},
	amdNullStreamInCapture:      {"amd-null-stream-in-capture", "amd", "5.7", "7.1"},
	amdNullStreamStatus:         {"amd-null-stream-status", "amd", "5.7", ""},
	amdLegacyStreamInCapture:    {"amd-legacy-stream-in-capture", "amd", "7.1", ""},
	amdCallbackInCapture:        {"amd-callback-in-capture", "amd", "7.0", ""},
	amdEndCaptureUnmatched:      {"amd-end-capture-unmatched", "amd", "", "5.7"},
	amdExternalOutsideCapture:   {"amd-external-outside-capture", "amd", "6.4", ""},
	amdExternalRecordMarks:      {"amd-external-record-marks", "amd", "6.4", ""},
	amdExternalWait:             {"amd-external-wait", "amd", "6.4", ""},
	amdExternalWaitCorrupts:     {"amd-external-wait-corrupts", "amd", "6.4", ""},
	amdNullStreamJoins:          {"amd-null-stream-joins", "amd", "7.1", ""},
	amdLaunchNotCaptured:        {"amd-launch-not-captured", "amd", "", "5.3"},
	amdCooperativeNotCaptured:   {"amd-cooperative-not-captured", "amd", "5.5", "7.1"},
	amdGraphNotCaptured:         {"amd-graph-not-captured", "amd", "", ""},
	amdPeerCopyNotCaptured:      {"amd-peer-copy-not-captured", "amd", "5.6", ""},
	amdValueNotCaptured:         {"amd-value-not-captured", "amd", "", "10.0"},

	gpuNullStreamAsksPerThread: {"gpu-null-stream-asks-per-thread", "gpu", "", ""},
	amdWaitValueMemory:         {"amd-wait-value-memory", "amd", "5.7", ""},
	amdStreamDestroyWaits:      {"amd-stream-destroy-waits", "amd", "", ""},
	amdLegacyHandle:            {"amd-legacy-handle", "amd", "6.3", ""},
	amdPerThreadHandle:         {"amd-per-thread-handle", "amd", "", ""},
	amdDestroyedStreamChecked:  {"amd-destroyed-stream-checked", "amd", "", "7.0"},
	amdWaitDestroyedStream:     {"amd-wait-destroyed-stream", "amd", "5.7", "7.0"},
	amdPriorities:              {"amd-priorities", "amd", "", ""},
	amdNullStreamFlags:         {"amd-null-stream-flags", "hip", "", ""},

	cudaHandlesChecked:      {"cuda-handles-checked", "cuda", "", ""},
	cudaNullEventBeforeInit: {"cuda-null-event-before-init", "cuda", "", ""},
	cudaElapsedSteps:        {"cuda-elapsed-steps", "cuda", "", ""},
	cudaElapsedV2:           {"cuda-elapsed-v2", "cuda", "12.8", ""},
	amdDoubleDestroyCrashes: {"amd-double-destroy-crashes", "hip", "", "5.4"},
	amdEventOutlivesStream:  {"amd-event-outlives-stream", "amd", "5.7", ""},
	amdQueryOutlivesStream:  {"amd-query-outlives-stream", "amd", "6.2", ""},
	amdWaitOutlivesStream:   {"amd-wait-outlives-stream", "amd", "5.7", "6.2"},
	amdEventLock:            {"amd-event-lock", "amd", "", ""},
	amdElapsedLocksBoth:     {"amd-elapsed-locks-both", "amd", "", ""},
	amdReleaseFlags:         {"amd-release-flags", "amd", "", ""},
	amdSystemFenceFlag:      {"amd-system-fence-flag", "amd", "5.6", ""},
	amdInterprocessAlone:    {"amd-interprocess-alone", "amd", "", "5.4"},

	gpuIPCSameProcess:   {"gpu-ipc-same-process", "gpu", "", ""},
	amdIPCOrdersNothing: {"amd-ipc-orders-nothing", "amd", "5.6", "7.0"},
	amdIPCWaitSlots:     {"amd-ipc-wait-slots", "amd", "7.0", ""},
	amdIPCDestroyWaits:  {"amd-ipc-destroy-waits", "amd", "", ""},
	amdIPCNullEvent:     {"amd-ipc-null-event", "amd", "", ""},
	amdIPCNotShared:     {"amd-ipc-not-shared", "amd", "", ""},

	cudaHostFuncNoAPI:    {"cuda-hostfunc-no-api", "cuda", "", ""},
	gpuHostFuncOneThread: {"gpu-hostfunc-one-thread", "gpu", "", ""},
	amdHostFuncMissing:   {"amd-hostfunc-missing", "amd", "", "5.3"},

	cudaInitFirst:           {"cuda-init-first", "cuda", "", ""},
	cudaAttributesOfVersion: {"cuda-attributes-of-version", "cuda", "", ""},
	amdNoDeviceCode:         {"amd-no-device-code", "amd", "", "5.6"},
	amdFirstNoDeviceCode:    {"amd-first-no-device-code", "amd", "5.7", "6.0"},
	amdLastErrorAlways:      {"amd-last-error-always", "amd", "", "7.0"},
	amdErrorStringIsName:    {"amd-error-string-is-name", "amd", "", "5.3"},
	amdOldProperties:        {"amd-old-properties", "amd", "", "6.0"},
	amdEmptyAllocation:      {"amd-empty-allocation", "hip", "", ""},
	amdNullGraph:            {"amd-null-graph", "amd", "", ""},
	amdAddressRangePointer:  {"amd-address-range-pointer", "amd", "", "5.5"},

	amdImageNotCopied:      {"amd-image-not-copied", "amd", "", ""},
	amdUnloadAtOnce:        {"amd-unload-at-once", "amd", "", ""},
	amdUnloadHeedsCaptures: {"amd-unload-heeds-captures", "amd", "7.1", ""},

	cudaPoolFreeReturns:         {"cuda-pool-free-returns", "cuda", "", ""},
	cudaFillAligned:             {"cuda-fill-aligned", "cuda", "", ""},
	amdAllocationHeedsCaptures:  {"amd-allocation-heeds-captures", "amd", "", ""},
	amdMemoryCallsSpoilCaptures: {"amd-memory-calls-spoil-captures", "amd", "6.2", ""},
	amdMallocAsyncNotCaptured:   {"amd-malloc-async-not-captured", "amd", "", "5.5"},
	amdAsyncMemoryHeedsCaptures: {"amd-async-memory-heeds-captures", "amd", "6.4", ""},
	amdFreeAsyncAnything:        {"amd-free-async-anything", "amd", "", ""},
	amdMemoryGraphIsCloned:      {"amd-memory-graph-is-cloned", "amd", "5.5", "6.3"},
	amdHostFreeWaits:            {"amd-host-free-waits", "amd", "", ""},
	amdPageableCopyWaits:        {"amd-pageable-copy-waits", "amd", "", "6.3"},
	amdLargePageableCopyWaits:   {"amd-large-pageable-copy-waits", "amd", "", ""},
	amdPinnedCopyIsAsynchronous: {"amd-pinned-copy-is-asynchronous", "amd", "", "6.4"},
	amdPeerCopyWaits:            {"amd-peer-copy-waits", "amd", "", ""},
	amdInnerFillWaits:           {"amd-inner-fill-waits", "amd", "", ""},
	amdFillWaits:                {"amd-fill-waits", "amd", "", "5.4"},
	amdFaultAborts:              {"amd-fault-aborts", "amd", "", "7.0"},
	amdOldMemoryTypes:           {"amd-old-memory-types", "amd", "", "6.0"},

	chipPoolsUnsupported:              {"chip-pools-unsupported", "chip", "", ""},
	chipOneLock:                       {"chip-one-lock", "chip", "", ""},
	chipIsCapturingUnsupported:        {"chip-is-capturing-unsupported", "chip", "", ""},
	chipCapturingStreamCode:           {"chip-capturing-stream-code", "chip", "", ""},
	chipCapturesRunAtOnce:             {"chip-captures-run-at-once", "chip", "1.3", ""},
	chipIPCUnsupported:                {"chip-ipc-unsupported", "chip", "", ""},
	chipUnrecordedNotReady:            {"chip-unrecorded-not-ready", "chip", "", ""},
	chipReleaseFlags:                  {"chip-release-flags", "chip", "", ""},
	chipHostFuncBlocksCaller:          {"chip-hostfunc-blocks-caller", "chip", "", ""},
	chipDestroyWaitsForDevice:         {"chip-destroy-waits-for-device", "chip", "", ""},
	chipDestroyedStreamChecked:        {"chip-destroyed-stream-checked", "chip", "", ""},
	chipPriorities:                    {"chip-priorities", "chip", "", ""},
	chipStreamQueryWrong:              {"chip-stream-query-wrong", "chip", "", ""},
	chipElapsedFollowsRecords:         {"chip-elapsed-follows-records", "chip", "", ""},
	chipFunctionAttributesUnsupported: {"chip-function-attributes-unsupported", "chip", "", ""},
	chipUnknownKernel:                 {"chip-unknown-kernel", "chip", "", ""},
	chipNoArchitecture:                {"chip-no-architecture", "chip", "", ""},
	chipDriverVersion:                 {"chip-driver-version", "chip", "", ""},
	chipMissingSymbols:                {"chip-missing-symbols", "chip", "", ""},
	chipNoDeviceCode:                  {"chip-no-device-code", "chip", "", ""},
}
