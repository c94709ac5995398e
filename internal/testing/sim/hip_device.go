package sim

import "github.com/gpuevent/gpuevent/hip"

const (
	hipArchitecture    = "gfx942:sramecc+:xnack-"
	hipMajor, hipMinor = 9, 4
)

const hipAttributeLast = 20000

func defineHIPDevices(a *api) {
	def1(a, "hipInit", "5.2.3", 0, func(_ *face, flags uint32) code {
		if flags != 0 {
			return invalidValue
		}
		return success
	})
	def1(a, "hipDriverGetVersion", "5.2.3", early, (*face).driverVersion)
	def1(a, "hipRuntimeGetVersion", "5.2.3", early, (*face).version)
	def1(a, "hipGetDeviceCount", "5.2.3", early, func(f *face, out *int32) code {
		if c := f.deviceCount(out); c != success || len(f.devices) > 0 {
			return c
		}
		if f.plays(chipNoDeviceCode) {
			return notInitialized
		}
		return noDevice
	})
	def2(a, "hipDeviceGet", "5.2.3", 0, (*face).deviceGet)
	def3(a, "hipDeviceGetName", "5.2.3", 0, (*face).deviceName)
	def2(a, "hipDeviceGetUuid", "5.2.3", 0, (*face).deviceUUID)
	def2(a, "hipDeviceTotalMem", "5.2.3", 0, (*face).deviceMemory)
	def3(a, "hipDeviceGetPCIBusId", "5.2.3", 0, (*face).devicePCI)
	def2(a, "hipDeviceGetByPCIBusId", "5.2.3", 0, (*face).deviceByPCI)
	def3(a, "hipDeviceCanAccessPeer", "5.2.3", 0, (*face).canAccessPeer)
	def3(a, "hipDeviceComputeCapability", "5.2.3", 0,
		func(f *face, major, minor *int32, device int32) code {
			if _, fault := f.device(device); fault != success {
				return fault
			}
			if major == nil || minor == nil {
				return invalidValue
			}
			*major, *minor = hipMajor, hipMinor
			return success
		})
	def3(a, "hipDeviceGetAttribute", "5.2.3", 0,
		func(f *face, out *int32, attribute, device int32) code {
			if _, fault := f.device(device); fault != success {
				return fault
			}
			if out == nil || attribute < 0 || attribute > hipAttributeLast {
				return invalidValue
			}
			*out = hipAttributes[hip.DeviceAttribute(attribute)]
			if hip.DeviceAttribute(attribute) == hip.DeviceAttributeCanUseStreamWaitValue &&
				f.plays(amdWaitValueMemory) {
				*out = 1
			}
			return success
		})
	def1(a, "hipGetDevice", "5.2.3", 0, func(f *face, out *int32) code {
		if out == nil {
			return invalidValue
		}
		*out = int32(f.thread().hipDevice())
		return success
	})
	def1(a, "hipSetDevice", "5.2.3", 0, func(f *face, device int32) code {
		if _, fault := f.device(device); fault != success && !f.driver.remembers(int(device)) {
			return fault
		}
		t := f.thread()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.device = int(device)
		return success
	})
	def0(a, "hipDeviceSynchronize", "5.2.3", 0, func(f *face) code { return f.ctxSynchronize(0) })
	def2(a, "hipDeviceGetStreamPriorityRange", "5.2.3", 0, (*face).priorityRange)
	def2(a, "hipGetDevicePropertiesR0600", "6.1", 0,
		func(f *face, out *hip.DeviceProp, device int32) code {
			d, fault := f.device(device)
			switch {
			case out == nil:
				return invalidValue
			case fault != success:
				return fault
			}
			*out = hip.DeviceProp{TotalGlobalMem: d.memory, PciBusID: int32(0x10*(d.ordinal+1) + 0xa),
				WarpSize: hipLimits.warp, Major: hipMajor, Minor: hipMinor,
				MultiProcessorCount: hipLimits.processors,
				MaxThreadsPerBlock:  int32(hipLimits.blockThreads),
				SharedMemPerBlock:   uintptr(hipLimits.shared)}
			copy(out.Name[:], d.name)
			copy(out.Uuid.Bytes[:], d.uuid[:])
			copy(out.GcnArchName[:], f.architectureName())
			return success
		})
	def2(a, "hipGetDeviceProperties", "5.2.3", 0,
		//lint:ignore SA1019 old libraries export this layout's function
		func(f *face, out *hip.DevicePropR0000, device int32) code {
			d, fault := f.device(device)
			switch {
			case out == nil:
				return invalidValue
			case fault != success:
				return fault
			}
			//lint:ignore SA1019 see above
			*out = hip.DevicePropR0000{TotalGlobalMem: d.memory, PciBusID: int32(0x10*(d.ordinal+1) + 0xa),
				WarpSize: hipLimits.warp, Major: hipMajor, Minor: hipMinor,
				MultiProcessorCount: hipLimits.processors,
				MaxThreadsPerBlock:  int32(hipLimits.blockThreads),
				SharedMemPerBlock:   uintptr(hipLimits.shared)}
			copy(out.Name[:], d.name)
			copy(out.GcnArchName[:], f.architectureName())
			return success
		})
}
