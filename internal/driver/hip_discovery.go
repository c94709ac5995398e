package driver

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// Versions as hipRuntimeGetVersion returns them.
const (
	rocm50 = 5_00_00000 // lower numbers are not AMD's runtime
	rocm62 = 6_02_00000
	rocm64 = 6_04_00000
	rocm70 = 7_00_00000
	rocm72 = 7_02_00000
	rocm73 = 7_03_00000
)

// OpenHIP finds the devices of the HIP runtime.
func OpenHIP() ([]Driver, error) {
	n, err := hip.GetDeviceCount()
	if err != nil {
		return nil, hipError("hipGetDeviceCount", err)
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
		return nil, hipError("hipRuntimeGetVersion", err)
	}
	var ds []Driver
	for i := range n {
		h := &hipDevice{device: hip.Device(first + i), version: version,
			generation: libs.HIP.Generation()}
		if err := h.describe(first + i); err != nil {
			return nil, fmt.Errorf("describe device hip:%d: %w", i, err)
		}
		h.info.number(i)
		h.polling = newPolling(relaxCaptureHIP)
		h.words.alloc = h.allocWords
		ds = append(ds, h)
	}
	return ds, nil
}

// describe fills in what never changes.
func (h *hipDevice) describe(ordinal int) (err error) {
	i := &h.info
	i.Backend = HIP
	if i.Name, err = hip.DeviceGetName(h.device); err != nil {
		return hipError("hipDeviceGetName", err)
	}
	memory, err := hip.DeviceTotalMem(h.device)
	if err != nil {
		return hipError("hipDeviceTotalMem", err)
	}
	i.Memory = uint64(memory)
	if i.PCI, err = hip.DeviceGetPCIBusId(int32(ordinal)); err != nil {
		return hipError("hipDeviceGetPCIBusId", err)
	}
	if uuid, err := hip.DeviceGetUuid(h.device); err == nil { // missing in old runtimes
		i.UUID = uuid.Bytes
	}
	i.Architecture = hipArchitecture(int32(ordinal))
	i.Traits = hipTraits(h.version)
	i.Promises = h.promised()
	return nil
}

// hipTraits returns the traits of a version of the runtime. 7.2.1 no longer ends captures of
// streams, but the runtime's version number does not include the patch: all of 7.2 is treated
// alike.
func hipTraits(version int32) Traits {
	return Traits{
		EventsNeedStream:      true,
		StreamsNeedIdle:       true,
		StreamsNeedIdleDevice: version < rocm50,
		SharedNeedIdle:        version >= rocm72,
		CaptureHearsQuestions: true,
		StreamHearsQuestions:  version >= rocm62 && version < rocm73,
		ElapsedLocksBoth:      true,
	}
}

// hipArchitecture returns "gfx90a" of "gfx90a:sramecc+:xnack-". ROCm 5 has it in the older layout
// of the properties.
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
	return name
}

// Can tries out, once, what symbols don't show: some runtimes export functions that they do not
// support.
func (h *hipDevice) Can() Can {
	if !h.tried.Load() {
		h.trying.Lock()
		defer h.trying.Unlock()
		if !h.tried.Load() {
			h.can.Store(uint32(h.try(h.info.Promises)))
			h.tried.Store(true)
		}
	}
	return Can(h.can.Load())
}

func (h *hipDevice) May() Can {
	if h.tried.Load() {
		return Can(h.can.Load())
	}
	return h.info.Promises
}

// promised returns what the runtime should be able to do by its version, symbols and attributes.
func (h *hipDevice) promised() Can {
	can := CanTime | CanCapture
	if hip.Has("hipLaunchHostFunc") {
		can |= CanHostFunc
	}
	values, err := hip.DeviceGetAttribute(hip.DeviceAttributeCanUseStreamWaitValue, int32(h.device))
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
		can &^= CanCapture | CanRecordExternal
	}
	if can.Has(CanHostFunc) && blocksCaller(h, s) {
		can &^= CanHostFunc
	}
	return can
}

// tryShared tests sharing with an event that nobody uses.
func (h *hipDevice) tryShared(can Can) Can {
	if !can.Has(CanShare) {
		return can
	}
	e, err := h.CreateEvent(EventFlags{IPC: true})
	if err == nil {
		_, err = h.ExportEvent(e)
		_ = h.DestroyEvent(e)
	}
	if errors.Is(err, hip.ErrNotSupported) {
		can &^= CanShare
	}
	return can
}
