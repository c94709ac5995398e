package sim

import (
	"slices"

	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// Shared is a driver that finds the devices of several machines, which can be added and removed
// while it is installed. A call goes to the machine whose object, device or memory it names,
// otherwise to the one that is current on the calling thread. A call without either reaches no
// machine: it finds a driver without devices.
//
// Device numbers keep growing: a number is never used for another machine.
type Shared struct {
	driver  *driver
	library *dl.Library
	profile *profile
}

// firstShared is the number of the first device of all: 0 is what threads of HIP begin with.
const firstShared = 1 << 10

// NewShared makes a driver of NVIDIA's, or of AMD's. It panics if the profile is unknown.
func NewShared(amd bool, profile string) *Shared {
	s := &Shared{library: &libs.CUDA}
	empty := NewMachine(Options{Devices: -1})
	f, profiles := empty.cuda, cudaProfiles
	if amd {
		f, profiles, s.library = empty.amd, hipProfiles, &libs.HIP
	}
	s.profile = profileOf(profiles, profile)
	f.profile.Store(s.profile)
	f.initialized.Store(true)
	s.driver = f.driver
	s.driver.shared = true
	s.driver.faces.Store(&[]*face{})
	s.driver.next.Store(firstShared)
	return s
}

// Install replaces the vendor's library by the driver until restore is called.
func (s *Shared) Install() (restore func()) {
	return s.driver.install(s.library, s.profile, func(string) bool { return false })
}

// Add adds the devices of a new machine, and returns the number of the first one. It is not safe
// for concurrent use with Add and Remove.
func (s *Shared) Add(m *Machine) (first int) {
	f := m.cuda
	if s.driver.api.hip {
		f = m.amd
	}
	first = int(s.driver.next.Add(int64(len(f.devices)))) - len(f.devices)
	f.driver, f.first = s.driver, first
	for _, d := range f.devices {
		d.ordinal += first
		d.uuid[12], d.uuid[13] = byte(d.ordinal>>8), byte(d.ordinal)
	}
	f.profile.Store(s.profile)
	f.initialized.Store(true)
	faces := append(slices.Clone(*s.driver.faces.Load()), f)
	s.driver.faces.Store(&faces)
	return first
}

// Remove ends a machine: later calls on its objects return 4, as after a driver was unloaded.
// Nothing of it stays current on any thread.
func (s *Shared) Remove(m *Machine) {
	var faces []*face
	for _, f := range *s.driver.faces.Load() {
		if f.m != m {
			faces = append(faces, f)
			continue
		}
		defer f.hostThread.stop()
		defer s.driver.eachThread(f.leave)
	}
	s.driver.faces.Store(&faces)
}

// leave clears a thread's current state that belongs to a machine.
func (f *face) leave(t *thread) {
	for i, c := range t.stack {
		if c != nil && c.f == f {
			t.stack[i] = nil
		}
	}
	if f.hip() && f.owns(t.device) {
		t.device = 0
	}
}

func (f *face) owns(ordinal int) bool {
	return ordinal >= f.first && ordinal < f.first+len(f.devices)
}

// remembers reports whether a thread may go back to a device that does not exist, or no longer
// exists.
func (d *driver) remembers(ordinal int) bool {
	return d.shared && (ordinal == 0 || ordinal >= firstShared && ordinal < int(d.next.Load()))
}

// deviceArgument is which argument of a function is a device's number, counted from 1.
var deviceArgument = map[string]int{
	"cuDeviceGet":                   2,
	"cuDeviceGetName":               3,
	"cuDeviceGetUuid":               2,
	"cuDeviceGetUuid_v2":            2,
	"cuDeviceTotalMem_v2":           2,
	"cuDeviceGetPCIBusId":           3,
	"cuDeviceGetAttribute":          3,
	"cuDeviceCanAccessPeer":         2,
	"cuKernelGetAttribute":          4,
	"cuKernelSetAttribute":          4,
	"cuDevicePrimaryCtxRetain":      2,
	"cuDevicePrimaryCtxRelease_v2":  1,
	"cuDevicePrimaryCtxReset_v2":    1,
	"cuDevicePrimaryCtxGetState":    1,
	"cuDevicePrimaryCtxSetFlags_v2": 1,
	"cuCtxCreate_v2":                3,
	"cuCtxCreate_v4":                4,
	"hipDeviceGet":                  2,
	"hipDeviceGetName":              3,
	"hipDeviceGetUuid":              2,
	"hipDeviceTotalMem":             2,
	"hipDeviceGetPCIBusId":          3,
	"hipDeviceCanAccessPeer":        2,
	"hipDeviceComputeCapability":    3,
	"hipDeviceGetAttribute":         3,
	"hipSetDevice":                  1,
	"hipGetDevicePropertiesR0600":   2,
	"cuDeviceGetDefaultMemPool":     2,
	"cuDeviceGetMemPool":            2,
	"hipDeviceGetDefaultMemPool":    2,
	"hipDeviceGetMemPool":           2,
	"hipDeviceEnablePeerAccess":     1,
	"hipDeviceDisablePeerAccess":    1,
	"hipGetDeviceProperties":        2,
}

// memoryArgument lists the functions whose first argument is memory, which identifies the machine
// if no handle does.
var memoryArgument = map[string]bool{
	"cuMemFree_v2":        true,
	"cuMemFreeHost":       true,
	"hipFree":             true,
	"hipHostFree":         true,
	"cuMemHostUnregister": true,
	"hipHostUnregister":   true,
}

// inLobby lists the functions of HIP that work on a thread without a valid device: they concern the
// thread.
var inLobby = map[string]bool{
	"hipGetDevice":                       true,
	"hipSetDevice":                       true,
	"hipThreadExchangeStreamCaptureMode": true,
}

func (f *face) mayRunInLobby(fn *function) bool { return f.driver.shared && inLobby[fn.name] }

// route finds the face that a call is for.
func (d *driver) route(fn *function, fr *frame) *face {
	faces := *d.faces.Load()
	for _, word := range fr.args[:min(fn.params, frameRegs)] {
		if word>>idShift != 0 && word>>markShift&(1<<markBits-1) == d.api.mark {
			return faceOf(faces, func(f *face) bool { return f.handles.mark == word>>markShift })
		}
		if isDeviceAddress(word) {
			if f := faceOf(faces, func(f *face) bool { return f.bytes(word, 1) != nil }); f != nil {
				return f
			}
		}
	}
	var found *face
	switch {
	case fn.device > 0:
		ordinal := int(arg[int32](fr, fn.device-1))
		found = faceOf(faces, func(f *face) bool { return f.owns(ordinal) })
	case memoryArgument[fn.name]:
		found = faceOf(faces, func(f *face) bool { return f.bytes(fr.args[0], 1) != nil })
	default:
		found = d.current(faces)
	}
	if found == nil {
		return d.lobby
	}
	return found
}

// current returns the face of what is current on the calling thread.
func (d *driver) current(faces []*face) *face {
	t := d.lobby.thread()
	if d.api.hip {
		ordinal := t.hipDevice()
		return faceOf(faces, func(f *face) bool { return f.owns(ordinal) })
	}
	if c := t.current(); c != nil {
		return c.f
	}
	return nil
}

func faceOf(faces []*face, is func(*face) bool) *face {
	for _, f := range faces {
		if is(f) {
			return f
		}
	}
	return nil
}
