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
	// Every record stores its stream in the event, and later calls look at that stream first.
	amdRecordNotesStream
	// Query and synchronize of a stream that does not capture heed captures elsewhere: 900, and
	// they are spoilt. So does hipEventSynchronize, unless the event's last record was on the null
	// stream.
	amdStreamHeedsCaptures
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
	// hipEventSynchronize of such events is 900, which spoils the event's own capture. A query
	// answers about the record before.
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
	// The null stream refuses work while a blocking stream is captured: 906, and the capture is
	// spoilt.
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
	// Destroying a recorded event of that kind waits for the whole device.
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

	// Modules.

	// A plain code object is not copied: its memory is read until the module is unloaded.
	amdImageNotCopied
	// Unloading a module does not wait for its kernels.
	amdUnloadAtOnce

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
	// hipFreeAsync takes memory from hipMalloc, and waits for the device then.
	amdFreeAsyncAnything
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
	// Work that goes to memory which is not there ends the process.
	amdFaultAborts
	// The numbers of types of memory are those of old headers.
	amdOldMemoryTypes

	// HIP on a CPU.

	// Stream-ordered allocation gives 801.
	chipPoolsUnsupported
	// One lock is held in every call, also while it waits. A host function that calls the API waits
	// forever.
	chipOneLock
	// hipStreamIsCapturing, hipStreamGetCaptureInfo and hipThreadExchangeStreamCaptureMode give
	// 801.
	chipIsCapturingUnsupported
	// Query and synchronize of a captured stream give 901, and the capture is spoilt.
	chipCapturingStreamCode
	// Records and waits in a capture become nodes; no other stream joins in.
	chipCapturedRecordIsNode
	// Handles of events between processes give 801.
	chipIPCUnsupported
	// A query of an event that was never recorded gives 600.
	chipUnrecordedNotReady
	// All flags of events are taken.
	chipEventFlagsUnchecked
	// hipLaunchHostFunc waits for the stream, and calls the function on the caller's thread.
	chipHostFuncBlocksCaller
	// hipStreamDestroy waits for the whole device.
	chipDestroyWaitsForDevice
	// A destroyed stream gives 709.
	chipDestroyedStreamChecked
	// Priorities are 1 and 0.
	chipPriorities
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

	amdCapturesUnguarded:        {"amd-captures-unguarded", "amd", "", "5.7"},
	amdRecordNotesStream:        {"amd-record-notes-stream", "amd", "5.7", ""},
	amdStreamHeedsCaptures:      {"amd-stream-heeds-captures", "amd", "5.7", ""},
	amdGlobalCaptureHeededByAll: {"amd-global-capture-heeded-by-all", "amd", "5.7", "7.2.1"},
	amdQueryHeedsCaptures:       {"amd-query-heeds-captures", "amd", "7.0", ""},
	amdEventHeedsModes:          {"amd-event-heeds-modes", "amd", "7.2.1", ""},
	amdCaptureAsksItsEvent:      {"amd-capture-asks-its-event", "amd", "6.2", ""},
	amdCaptureAsksNotedStream:   {"amd-capture-asks-noted-stream", "amd", "6.2", "7.2.1"},
	amdCaptureSyncUnsupported:   {"amd-capture-sync-unsupported", "amd", "5.7", "6.2"},
	amdSpoiltCaptureRecords:     {"amd-spoilt-capture-records", "amd", "", ""},
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
	amdIPCDestroyWaits:  {"amd-ipc-destroy-waits", "amd", "7.2", ""},
	amdIPCNullEvent:     {"amd-ipc-null-event", "amd", "", ""},
	amdIPCNotShared:     {"amd-ipc-not-shared", "amd", "", ""},

	cudaHostFuncNoAPI:    {"cuda-hostfunc-no-api", "cuda", "", ""},
	gpuHostFuncOneThread: {"gpu-hostfunc-one-thread", "gpu", "", ""},
	amdHostFuncMissing:   {"amd-hostfunc-missing", "amd", "", "5.3"},

	cudaInitFirst:           {"cuda-init-first", "cuda", "", ""},
	cudaAttributesOfVersion: {"cuda-attributes-of-version", "cuda", "", ""},
	amdNoDeviceCode:         {"amd-no-device-code", "amd", "", "5.7"},
	amdFirstNoDeviceCode:    {"amd-first-no-device-code", "amd", "5.7", "6.0"},
	amdLastErrorAlways:      {"amd-last-error-always", "hip", "", "7.0"},
	amdErrorStringIsName:    {"amd-error-string-is-name", "amd", "", "5.7"},
	amdOldProperties:        {"amd-old-properties", "amd", "", "6.0"},
	amdEmptyAllocation:      {"amd-empty-allocation", "hip", "", ""},

	amdImageNotCopied: {"amd-image-not-copied", "amd", "", ""},
	amdUnloadAtOnce:   {"amd-unload-at-once", "amd", "", ""},

	cudaPoolFreeReturns:         {"cuda-pool-free-returns", "cuda", "", ""},
	cudaFillAligned:             {"cuda-fill-aligned", "cuda", "", ""},
	amdAllocationHeedsCaptures:  {"amd-allocation-heeds-captures", "amd", "", ""},
	amdMemoryCallsSpoilCaptures: {"amd-memory-calls-spoil-captures", "amd", "6.2", ""},
	amdMallocAsyncNotCaptured:   {"amd-malloc-async-not-captured", "amd", "", "5.5"},
	amdFreeAsyncAnything:        {"amd-free-async-anything", "amd", "", ""},
	amdHostFreeWaits:            {"amd-host-free-waits", "amd", "", ""},
	amdPageableCopyWaits:        {"amd-pageable-copy-waits", "amd", "", "6.3"},
	amdLargePageableCopyWaits:   {"amd-large-pageable-copy-waits", "amd", "", ""},
	amdPinnedCopyIsAsynchronous: {"amd-pinned-copy-is-asynchronous", "amd", "", ""},
	amdPeerCopyWaits:            {"amd-peer-copy-waits", "amd", "", ""},
	amdFaultAborts:              {"amd-fault-aborts", "amd", "", ""},
	amdOldMemoryTypes:           {"amd-old-memory-types", "amd", "", "6.0"},

	chipPoolsUnsupported:       {"chip-pools-unsupported", "chip", "", ""},
	chipOneLock:                {"chip-one-lock", "chip", "", ""},
	chipIsCapturingUnsupported: {"chip-is-capturing-unsupported", "chip", "", ""},
	chipCapturingStreamCode:    {"chip-capturing-stream-code", "chip", "", ""},
	chipCapturedRecordIsNode:   {"chip-captured-record-is-node", "chip", "", ""},
	chipIPCUnsupported:         {"chip-ipc-unsupported", "chip", "", ""},
	chipUnrecordedNotReady:     {"chip-unrecorded-not-ready", "chip", "", ""},
	chipEventFlagsUnchecked:    {"chip-event-flags-unchecked", "chip", "", ""},
	chipHostFuncBlocksCaller:   {"chip-hostfunc-blocks-caller", "chip", "", ""},
	chipDestroyWaitsForDevice:  {"chip-destroy-waits-for-device", "chip", "", ""},
	chipDestroyedStreamChecked: {"chip-destroyed-stream-checked", "chip", "", ""},
	chipPriorities:             {"chip-priorities", "chip", "", ""},
	chipDriverVersion:          {"chip-driver-version", "chip", "", ""},
	chipMissingSymbols:         {"chip-missing-symbols", "chip", "", ""},
	chipNoDeviceCode:           {"chip-no-device-code", "chip", "", ""},
}
