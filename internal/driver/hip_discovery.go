package driver

import (
	"errors"
	"runtime"
	"strings"

	"github.com/gpuevent/gpuevent/hip"
)

// Versions as hipRuntimeGetVersion returns them.
const (
	rocm50 = 5_00_00000 // lower numbers are not AMD's runtime
	rocm53 = 5_03_00000
	rocm56 = 5_06_00000
	rocm62 = 6_02_00000
	rocm64 = 6_04_00000
	rocm70 = 7_00_00000
	rocm71 = 7_01_00000
	rocm73 = 7_03_00000
)

// OpenHIP finds the devices of the HIP runtime.
func OpenHIP() ([]Driver, error) {
	n, err := hip.GetDeviceCount()
	if err != nil {
		return nil, Failed("hipGetDeviceCount", err)
	}
	if n == 0 {
		return nil, hip.ErrNoDevice
	}
	return OpenHIPDevices(0, int(n))
}

// OpenHIPDevices finds n devices of the HIP runtime, like [OpenCUDADevices].
func OpenHIPDevices(first, n int) ([]Driver, error) {
	version, err := hip.RuntimeGetVersion()
	if err != nil {
		return nil, Failed("hipRuntimeGetVersion", err)
	}
	return openDevices(&amd, n, func(i int) (Driver, *gpu, error) {
		h := &hipDevice{version: version}
		h.number, h.elapsed, h.words.alloc = int32(first+i), eventElapsed, h.allocWords
		return h, &h.gpu, h.describe()
	})
}

// describe fills in what never changes.
func (h *hipDevice) describe() (err error) {
	i, device := &h.info, hip.Device(h.number)
	i.Backend = HIP
	if i.Name, err = hip.DeviceGetName(device); err != nil {
		return Failed("hipDeviceGetName", err)
	}
	memory, err := hip.DeviceTotalMem(device)
	if err != nil {
		return Failed("hipDeviceTotalMem", err)
	}
	i.Memory = uint64(memory)
	if i.PCI, err = hip.DeviceGetPCIBusId(h.number); err != nil {
		return Failed("hipDeviceGetPCIBusId", err)
	}
	if uuid, err := hip.DeviceGetUuid(device); err == nil { // missing in old runtimes
		i.UUID = uuid.Bytes
	}
	i.Architecture = hipArchitecture(h.number)
	i.Traits = hipTraits(h.version)
	i.Promises = h.promised()
	h.can.Store(uint32(i.Promises))
	return nil
}

// hipTraits returns the traits of a version of the runtime. 7.2.1 no longer ends captures of
// streams, but the runtime's version number does not include the patch: all of 7.2 is treated
// alike.
func hipTraits(version int32) Traits {
	return Traits{
		EventsNeedStream:         true,
		StreamsNeedIdle:          true,
		StreamsNeedIdleDevice:    version < rocm50,
		SharedNeedIdle:           true,
		SharedWaitsFail:          true,
		CapturedQueryEndsCapture: true,
		QueryEndsStreamCapture:   version >= rocm62 && version < rocm73,
		ElapsedLocksBoth:         true,
		ElapsedFollowsRecords:    version < rocm50,
		CooperativeNotCaptured:   version < rocm71,
		GraphNotCaptured:         true,
		PeerCopyNotCaptured:      version >= rocm56,
	}
}

// hipArchitecture returns "gfx90a" of "gfx90a:sramecc+:xnack-", and "" for the device of another
// vendor. ROCm 5 has it in the older layout of the properties.
// fact: chip-no-architecture
func hipArchitecture(ordinal int32) string {
	name := ""
	if p, err := hip.GetDeviceProperties(ordinal); err == nil {
		name = p.GcnArchNameString()
	} else if errors.Is(err, hip.ErrSymbolNotFound) {
		//lint:ignore SA1019 the only one in old libraries
		if p, err := hip.GetDevicePropertiesR0000(ordinal); err == nil {
			name = p.GcnArchNameString()
		}
	}
	name, _, _ = strings.Cut(name, ":")
	if !strings.HasPrefix(name, "gfx") {
		return ""
	}
	return name
}

// Can tries out, once, what symbols don't show: some runtimes export functions that they do not
// support.
func (h *hipDevice) Can() Can {
	h.tried.Do(func() { h.can.Store(uint32(h.try(h.info.Promises))) })
	return h.May()
}

func (h *hipDevice) May() Can { return Can(h.can.Load()) }

// promised returns what the runtime should be able to do by its version, symbols and attributes.
func (h *hipDevice) promised() Can {
	can := CanTime | CanCapture
	if h.version >= rocm53 { // fact: amd-launch-not-captured
		can |= CanCaptureLaunch
	}
	if hip.Has("hipLaunchHostFunc") {
		can |= CanHostFunc
	}
	values, err := hip.DeviceGetAttribute(hip.DeviceAttributeCanUseStreamWaitValue, h.number)
	if err == nil && values != 0 && // an old runtime may not know the attribute
		hip.Has("hipStreamWaitValue64") && hip.Has("hipExtMallocWithFlags") {
		can |= CanWaitValue
	}
	if h.version >= rocm64 && hip.Has("hipEventRecordWithFlags") {
		can |= CanRecordExternal
	}
	// Before 7.0 an event shared between processes orders nothing. fact: amd-ipc-orders-nothing
	if h.version >= rocm70 && runtime.GOOS == "linux" && hip.Has("hipIpcGetEventHandle") {
		can |= CanShare
	}
	return can
}

// try returns the promises that hold. A test that fails for another reason than lack of support
// proves nothing, and changes nothing.
func (h *hipDevice) try(promised Can) Can {
	can := h.tryShared(promised)
	least, _, err := h.Priorities()
	if err != nil {
		return can
	}
	s, err := h.CreateStream(true, least)
	if err != nil {
		return can
	}
	defer func() { _ = h.DestroyStream(s) }()
	_, err = hip.StreamIsCapturing(hip.Stream(s.Word))
	if errors.Is(err, hip.ErrNotSupported) || errors.Is(err, hip.ErrSymbolNotFound) {
		can &^= CanCapture | CanCaptureLaunch | CanRecordExternal
	}
	if can.Has(CanHostFunc) {
		if blocks, err := blocksCaller(h, s); blocks || errors.Is(err, ErrUnsupported) {
			can &^= CanHostFunc
		}
	}
	return can
}

// tryShared asks for the handle of no event, which a runtime that can share events refuses in
// another way than one that can't. An event would have to be destroyed again, which waits for the
// device.
// fact: amd-ipc-null-event
// fact: amd-ipc-destroy-waits
func (h *hipDevice) tryShared(can Can) Can {
	if !can.Has(CanShare) {
		return can
	}
	if _, err := hip.IpcGetEventHandle(0); errors.Is(err, hip.ErrNotSupported) {
		can &^= CanShare
	}
	return can
}
