package sim

// Quirk is a thing that drivers do differently: by vendor, by version, or unlike what one would expect. docs/driver-facts.md has the
// sources. The code asks [profile.plays]; the table is the only place with versions.
type Quirk struct {
	ID           string // kebab-case; begins with the vendor: cuda, amd, chip (HIP on a CPU), or gpu for CUDA and AMD
	API          string // as the vendor in ID
	From, Before string // the versions that have it, "" where the range is open
}

// Quirks lists all of them.
func Quirks() []Quirk { return append([]Quirk(nil), quirkTable[:]...) }

// Profiles are the profiles that play the quirk, as "cuda-12.4" or "hip-cpu".
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

// playedBy tells whether the version of p is one that the quirk speaks of.
func (q Quirk) playedBy(p *profile) bool {
	if q.API != p.vendor && !(q.API == "gpu" && p.vendor != vendorChip) {
		return false
	}
	v := versionNumber(p.version)
	return (q.From == "" || v >= versionNumber(q.From)) && (q.Before == "" || v < versionNumber(q.Before))
}

// quirk is a place in the table.
type quirk uint8

// Captures.
const (
	// The legacy stream can't be captured, and refuses all work while a blocking stream of its context is.
	gpuLegacyStreamInCapture quirk = iota
	// An unsafe call in a thread that heeds a capture gives 900 and spoils the capture.
	gpuCaptureModes
	// Query of a captured event is 907, and stays it after the capture.
	cudaCapturedEventQuery
	// Synchronize and elapsed of an event that was recorded in a capture: 907 while it goes on, 1 afterwards.
	cudaCapturedEventCode
	// Query and synchronize of an event of a capture that goes on: 907, and the capture ends.
	amdCaptureAsksItsEvent
	// Query, synchronize and elapsed of an event last recorded on a stream that captures now: 907, and the capture ends, also where
	// the record was made before.
	amdCaptureAsksNotedStream
	// A captured event counts as complete.
	amdCapturedEventSucceeds
	// Once a capture is over, its events read as never recorded.
	amdCapturedEventForgotten
	// The null stream is refused during a capture, whatever the captured stream's flags.
	amdNullStreamInCapture
	// A stream outside the capture that waits for an event of it gives 905.
	amdWaitCapturedIsolation
	// Waiting for an event whose capture is over is no delay.
	amdWaitCapturedNoop
	// External records and waits outside a capture give 1.
	cudaExternalNeedsCapture
	// External records and waits outside a capture are plain ones.
	amdExternalOutsideCapture

	// Streams.

	// A query or synchronize of the null stream looks at the per-thread streams too.
	gpuNullStreamAsksPerThread
	// Destroying a stream returns at once; its work goes on.
	cudaStreamDestroyReturns
	// Destroying a stream waits for its work.
	amdStreamDestroyWaits
	// hipStreamLegacy is understood.
	amdLegacyHandle
	// hipStreamPerThread is understood.
	amdPerThreadHandle
	// A destroyed stream is found out: 709, or 400.
	amdDestroyedStreamChecked
	// A destroyed stream is followed: a crash.
	amdDestroyedStreamCrashes
	// A destroyed stream is found out by hipStreamWaitEvent as by all others: 709.
	amdWaitDestroyedStream
	// Priorities are 0 to -5, and others are moved into the range.
	cudaPriorities
	// Priorities are 1 to -1, and others are moved into the range.
	amdPriorities
	// hipStreamGetFlags refuses the null stream.
	amdNullStreamFlags

	// Events.

	// A destroyed event is found out: 400.
	cudaDestroyedEventChecked
	// A destroyed event is followed: a crash, but for hipEventDestroy.
	amdDestroyedEventCrashes
	// Destroying an event twice gives 709.
	amdDoubleDestroyChecked
	// Destroying an event twice is a crash.
	amdDoubleDestroyCrashes
	// Asking about an event whose last stream was destroyed reads freed memory.
	amdEventOutlivesStream
	// hipEventSynchronize holds the event's lock while it waits; all other calls on the event, elapsed included, want it.
	amdEventLock
	// Release flags exist, one at a time.
	amdReleaseFlags
	// hipEventDisableSystemFence exists.
	amdSystemFenceFlag
	// Interprocess needs DisableTiming.
	gpuInterprocessUntimed
	// Interprocess without DisableTiming is fine.
	amdInterprocessAlone
	// A null event is 400 before cuInit too.
	cudaNullEventBeforeInit
	// Elapsed times come in steps of half a microsecond.
	cudaElapsedSteps
	// Elapsed times come in steps of a microsecond.
	amdElapsedSteps
	// cuEventElapsedTime_v2 need not report earlier failures.
	cudaElapsedV2

	// Events between processes.

	// The process that exported an event can't open it: 201.
	gpuIPCSameProcess
	// Query and wait of an event between processes always succeed.
	amdIPCOrdersNothing
	// A null event given to hipIpcGetEventHandle is 1.
	amdIPCNullEvent
	// The handle of an event that is not Interprocess: 9.
	amdIPCNotShared
	// The same on CUDA: 400.
	cudaIPCNotShared

	// Host functions.

	// A host function that calls the API gets 800.
	cudaHostFuncNoAPI
	// A host function may call the API, at the caller's risk.
	amdHostFuncAPI
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
	// hipGetLastError tells of every call, success and 600 included.
	amdLastErrorAlways
	// hipGetLastError tells of the last real failure.
	amdLastErrorReal
	// hipGetErrorString gives the name.
	amdErrorStringIsName
	// Only the old layout of the properties exists.
	amdOldProperties
	// An allocation of nothing is null, and freeing null is fine.
	amdEmptyAllocation
	// An allocation of nothing gives 1.
	cudaEmptyAllocation

	// HIP on a CPU.

	// hipStreamIsCapturing and captures give 801.
	chipIsCapturingUnsupported
	// Handles of events between processes give 801.
	chipIPCUnsupported
	// A query of an event that was never recorded gives 600.
	chipUnrecordedNotReady
	// hipLaunchHostFunc waits for the stream, and calls the function on the caller's thread.
	chipHostFuncBlocksCaller
	// hipStreamDestroy waits for the whole device.
	chipDestroyWaitsForDevice
	// Functions are missing that AMD has since long.
	chipMissingSymbols
	// No device is 3.
	chipNoDeviceCode

	quirks // their number
)

const (
	vendorCUDA = "cuda"
	vendorAMD  = "amd"
	vendorChip = "chip"
)

var quirkTable = [quirks]Quirk{
	gpuLegacyStreamInCapture:  {"gpu-legacy-stream-in-capture", "gpu", "", ""},
	gpuCaptureModes:           {"gpu-capture-modes", "gpu", "", ""},
	cudaCapturedEventQuery:    {"cuda-captured-event-query", "cuda", "", ""},
	cudaCapturedEventCode:     {"cuda-captured-event-code", "cuda", "", ""},
	amdCaptureAsksItsEvent:    {"amd-capture-asks-its-event", "amd", "5.7", ""},
	amdCaptureAsksNotedStream: {"amd-capture-asks-noted-stream", "amd", "6.2", "7.2.1"},
	amdCapturedEventSucceeds:  {"amd-captured-event-succeeds", "amd", "", "5.7"},
	amdCapturedEventForgotten: {"amd-captured-event-forgotten", "amd", "5.7", ""},
	amdNullStreamInCapture:    {"amd-null-stream-in-capture", "amd", "6.4", ""},
	amdWaitCapturedIsolation:  {"amd-wait-captured-isolation", "amd", "6.4", ""},
	amdWaitCapturedNoop:       {"amd-wait-captured-noop", "amd", "", "6.4"},
	cudaExternalNeedsCapture:  {"cuda-external-needs-capture", "cuda", "", ""},
	amdExternalOutsideCapture: {"amd-external-outside-capture", "amd", "", ""},

	gpuNullStreamAsksPerThread: {"gpu-null-stream-asks-per-thread", "gpu", "", ""},
	cudaStreamDestroyReturns:   {"cuda-stream-destroy-returns", "cuda", "", ""},
	amdStreamDestroyWaits:      {"amd-stream-destroy-waits", "amd", "", ""},
	amdLegacyHandle:            {"amd-legacy-handle", "amd", "6.2", ""},
	amdPerThreadHandle:         {"amd-per-thread-handle", "amd", "", ""},
	amdDestroyedStreamChecked:  {"amd-destroyed-stream-checked", "amd", "", "7.0"},
	amdDestroyedStreamCrashes:  {"amd-destroyed-stream-crashes", "amd", "7.0", ""},
	amdWaitDestroyedStream:     {"amd-wait-destroyed-stream", "amd", "", "5.7"},
	cudaPriorities:             {"cuda-priorities", "cuda", "", ""},
	amdPriorities:              {"amd-priorities", "amd", "", ""},
	amdNullStreamFlags:         {"amd-null-stream-flags", "amd", "", ""},

	cudaDestroyedEventChecked: {"cuda-destroyed-event-checked", "cuda", "", ""},
	amdDestroyedEventCrashes:  {"amd-destroyed-event-crashes", "amd", "", ""},
	amdDoubleDestroyChecked:   {"amd-double-destroy-checked", "amd", "5.7", ""},
	amdDoubleDestroyCrashes:   {"amd-double-destroy-crashes", "amd", "", "5.7"},
	amdEventOutlivesStream:    {"amd-event-outlives-stream", "amd", "5.7", ""},
	amdEventLock:              {"amd-event-lock", "amd", "", ""},
	amdReleaseFlags:           {"amd-release-flags", "amd", "", ""},
	amdSystemFenceFlag:        {"amd-system-fence-flag", "amd", "5.7", ""},
	gpuInterprocessUntimed:    {"gpu-interprocess-untimed", "gpu", "", ""},
	amdInterprocessAlone:      {"amd-interprocess-alone", "amd", "", "5.7"},
	cudaNullEventBeforeInit:   {"cuda-null-event-before-init", "cuda", "", ""},
	cudaElapsedSteps:          {"cuda-elapsed-steps", "cuda", "", ""},
	amdElapsedSteps:           {"amd-elapsed-steps", "amd", "", ""},
	cudaElapsedV2:             {"cuda-elapsed-v2", "cuda", "12.8", ""},

	gpuIPCSameProcess:   {"gpu-ipc-same-process", "gpu", "", ""},
	amdIPCOrdersNothing: {"amd-ipc-orders-nothing", "amd", "5.7", "7.0"},
	amdIPCNullEvent:     {"amd-ipc-null-event", "amd", "", ""},
	amdIPCNotShared:     {"amd-ipc-not-shared", "amd", "", ""},
	cudaIPCNotShared:    {"cuda-ipc-not-shared", "cuda", "", ""},

	cudaHostFuncNoAPI:    {"cuda-hostfunc-no-api", "cuda", "", ""},
	amdHostFuncAPI:       {"amd-hostfunc-api", "amd", "", ""},
	gpuHostFuncOneThread: {"gpu-hostfunc-one-thread", "gpu", "", ""},
	amdHostFuncMissing:   {"amd-hostfunc-missing", "amd", "", "5.3"},

	cudaInitFirst:           {"cuda-init-first", "cuda", "", ""},
	cudaAttributesOfVersion: {"cuda-attributes-of-version", "cuda", "", ""},
	amdNoDeviceCode:         {"amd-no-device-code", "amd", "", "6.0"},
	amdLastErrorAlways:      {"amd-last-error-always", "amd", "", "7.0"},
	amdLastErrorReal:        {"amd-last-error-real", "amd", "7.0", ""},
	amdErrorStringIsName:    {"amd-error-string-is-name", "amd", "", "5.7"},
	amdOldProperties:        {"amd-old-properties", "amd", "", "6.0"},
	amdEmptyAllocation:      {"amd-empty-allocation", "amd", "", ""},
	cudaEmptyAllocation:     {"cuda-empty-allocation", "cuda", "", ""},

	chipIsCapturingUnsupported: {"chip-is-capturing-unsupported", "chip", "", ""},
	chipIPCUnsupported:         {"chip-ipc-unsupported", "chip", "", ""},
	chipUnrecordedNotReady:     {"chip-unrecorded-not-ready", "chip", "", ""},
	chipHostFuncBlocksCaller:   {"chip-hostfunc-blocks-caller", "chip", "", ""},
	chipDestroyWaitsForDevice:  {"chip-destroy-waits-for-device", "chip", "", ""},
	chipMissingSymbols:         {"chip-missing-symbols", "chip", "", ""},
	chipNoDeviceCode:           {"chip-no-device-code", "chip", "", ""},
}
