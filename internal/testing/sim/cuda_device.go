package sim

import (
	"strings"

	"github.com/gpuevent/gpuevent/cudrv"
)

func defineCUDADevices(a *api) {
	def1(a, "cuInit", "2.0", early, func(f *face, flags uint32) code {
		switch {
		case flags != 0:
			return invalidValue
		case len(f.devices) == 0:
			return noDevice
		}
		f.initialized.Store(true)
		return success
	})
	def1(a, "cuDriverGetVersion", "2.2", early, (*face).version)
	def2(a, "cuGetErrorName", "6.0", early, func(f *face, c int32, out *uintptr) code {
		return f.cudaError(code(c), out, false)
	})
	def2(a, "cuGetErrorString", "6.0", early, func(f *face, c int32, out *uintptr) code {
		return f.cudaError(code(c), out, true)
	})
	def1(a, "cuDeviceGetCount", "2.0", 0, (*face).deviceCount)
	def2(a, "cuDeviceGet", "2.0", 0, (*face).deviceGet)
	def3(a, "cuDeviceGetName", "2.0", 0, (*face).deviceName)
	def2(a, "cuDeviceGetUuid", "9.2", 0, (*face).deviceUUID)
	def2(a, "cuDeviceGetUuid_v2", "11.4", 0, (*face).deviceUUID)
	def2(a, "cuDeviceTotalMem_v2", "3.2", 0, (*face).deviceMemory)
	def3(a, "cuDeviceGetPCIBusId", "4.1", 0, (*face).devicePCI)
	def2(a, "cuDeviceGetByPCIBusId", "4.1", 0, (*face).deviceByPCI)
	def3(a, "cuDeviceGetAttribute", "2.0", 0, func(f *face, out *int32, attribute, device int32) code {
		if _, fault := f.device(device); fault != success {
			return fault
		}
		if out == nil || attribute <= 0 || attribute >= f.profile.Load().attributes &&
			f.plays(cudaAttributesOfVersion) {
			return invalidValue
		}
		*out = cudaAttributes[cudrv.DeviceAttribute(attribute)]
		return success
	})
	def3(a, "cuDeviceCanAccessPeer", "4.0", 0, (*face).canAccessPeer)
}

func (f *face) version(out *int32) code {
	if out == nil {
		return invalidValue
	}
	*out = f.profile.Load().number
	return success
}

// driverVersion is what hipDriverGetVersion gives.
func (f *face) driverVersion(out *int32) code {
	c := f.version(out)
	if c == success && f.plays(chipDriverVersion) {
		*out = 4
	}
	return c
}

func (f *face) deviceCount(out *int32) code {
	if out == nil {
		return invalidValue
	}
	*out = int32(len(f.devices))
	return success
}

func (f *face) deviceGet(out *int32, ordinal int32) code {
	if out == nil {
		return invalidValue
	}
	if _, fault := f.device(ordinal); fault != success {
		return fault
	}
	*out = ordinal
	return success
}

func (f *face) deviceName(buffer *byte, size, device int32) code {
	d, fault := f.device(device)
	if fault != success {
		return fault
	}
	return fillText(buffer, size, d.name)
}

func (f *face) deviceUUID(out *[16]byte, device int32) code {
	d, fault := f.device(device)
	if fault != success {
		return fault
	}
	if out == nil {
		return invalidValue
	}
	*out = d.uuid
	return success
}

func (f *face) deviceMemory(out *uintptr, device int32) code {
	d, fault := f.device(device)
	if fault != success {
		return fault
	}
	if out == nil {
		return invalidValue
	}
	*out = d.memory
	return success
}

func (f *face) devicePCI(buffer *byte, size, device int32) code {
	d, fault := f.device(device)
	if fault != success {
		return fault
	}
	return fillText(buffer, size, d.pci)
}

func (f *face) deviceByPCI(out *int32, id *byte) code {
	if out == nil || id == nil {
		return invalidValue
	}
	for _, d := range f.devices {
		if strings.EqualFold(goText(id), d.pci) {
			*out = int32(d.ordinal)
			return success
		}
	}
	return invalidDevice
}
