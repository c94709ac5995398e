package sim

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/host"
)

// Options of a machine. The zero value is a machine with two devices per API, real time and no log.
type Options struct {
	Devices int        // per API; 2 if zero, none if negative
	Clock   host.Clock // of all devices; a real clock if nil
	Memory  uintptr    // of each device, in bytes; 16 GiB if 0

	// StrictContext makes every CUDA call that the vendor's documentation wants a current context
	// for fail with 201 where there is none. Else only those calls do that create something,
	// concern the default stream or speak of the current context.
	StrictContext bool
	// ReuseHandles gives the handle of a destroyed object to the next one created, as drivers like
	// to do.
	ReuseHandles bool
	// SameProcessIPC lets a process open the IPC events that it exported itself, which real drivers
	// refuse with 201.
	SameProcessIPC bool
	// OneHostThread has all host functions of an API run one after the other on one thread, as
	// drivers may do: one that blocks holds up those of all streams.
	OneHostThread bool
	// OnCrash is called at each [Crash], on the thread of the call.
	OnCrash func(Crash)
	// Missing are symbols that the machine does not export, beyond those that the profile's version
	// lacks.
	Missing []string
	// Log has every call logged, see [Machine.Log].
	Log bool
	// LogLimit is how many of the latest calls the log keeps; all if 0.
	LogLimit int
}

// Machine is a computer with GPUs. All methods are safe for concurrent use.
type Machine struct {
	options Options
	cuda    *face
	amd     *face
	skew    atomic.Int64
	rate    atomic.Pointer[faultRate]
	faults  atomic.Int64

	logMu  sync.Mutex
	logged []Call

	notesMu sync.Mutex
	crashes []Crash
	misuse  []Crash
	blocked []Blocked
}

var machines atomic.Uint64

// NewMachine makes a machine. Nothing reaches it before it is installed.
func NewMachine(o Options) *Machine {
	if o.Devices == 0 {
		o.Devices = 2
	}
	if o.Clock == nil {
		o.Clock = host.NewRealClock()
	}
	if o.Memory == 0 {
		o.Memory = min(16<<30, math.MaxUint)
	}
	m := &Machine{options: o}
	id := uintptr(machines.Add(1))%(1<<idBits-1) + 1
	m.cuda = newFace(m, &cudaAPI, id)
	m.amd = newFace(m, &hipAPI, id)
	m.SetLog(o.Log)
	return m
}

func (m *Machine) faces() []*face { return []*face{m.cuda, m.amd} }

// CUDAProfiles are the driver versions that [Machine.InstallCUDA] can play, oldest first.
func CUDAProfiles() []string { return names(cudaProfiles) }

// HIPProfiles are the runtime versions that [Machine.InstallHIP] can play: "cpu", which is HIP on a
// CPU, then AMD's, oldest first.
func HIPProfiles() []string { return names(hipProfiles) }

// InstallCUDA puts the machine in the place of the CUDA driver library until restore is called. An
// unknown profile panics: it is a mistake in the test.
func (m *Machine) InstallCUDA(profile string) (restore func()) {
	return m.cuda.install(&dl.CUDA, profileOf(cudaProfiles, profile))
}

// InstallHIP puts the machine in the place of the HIP runtime library, like [Machine.InstallCUDA].
func (m *Machine) InstallHIP(profile string) (restore func()) {
	return m.amd.install(&dl.HIP, profileOf(hipProfiles, profile))
}

func (f *face) install(library *dl.Library, p *profile) (restore func()) {
	f.profile.Store(p)
	return f.driver.install(library, p, f.m.options.Missing)
}

// Shutdown makes every call of both APIs fail with 4, as after a driver was unloaded at the
// process's end.
func (m *Machine) Shutdown() {
	for _, f := range m.faces() {
		f.down.Store(true)
	}
}

// SetSkew is added to every elapsed time that is measured, before it is rounded: timestamps of real
// devices are slightly out of order.
func (m *Machine) SetSkew(d time.Duration) { m.skew.Store(int64(d)) }
