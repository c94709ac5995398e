package sim

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// Options of a machine. The zero value is a machine with two devices per API, real time and no log.
type Options struct {
	Devices int        // per API; 2 if zero, none if negative
	Clock   host.Clock // of all devices; a real clock if nil
	Memory  uintptr    // of each device, in bytes; 16 GiB if 0

	// StrictContext makes every CUDA call that needs a current context by the vendor's
	// documentation fail with 201 without one. Otherwise only those calls do that create something,
	// concern the default stream or refer to the current context.
	StrictContext bool
	// NoPeers makes devices unable to access each other's memory.
	NoPeers bool
	// ReuseHandles gives the handle of a destroyed object to the next one created, as drivers often
	// do.
	ReuseHandles bool
	// SameProcessIPC lets a process open the IPC events that it exported itself, which real drivers
	// refuse with 201.
	SameProcessIPC bool
	// OneHostThread runs all host functions of an API one after the other on one thread, as drivers
	// may do: one that blocks holds up those of all streams.
	OneHostThread bool
	// OnCrash is called at each [Crash], on the thread of the call.
	OnCrash func(Crash)
	// Missing are symbols that the machine does not export, beyond those that the profile's version
	// lacks.
	Missing []string
	// Log makes the machine log every call, see [Machine.Log].
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

	kernels sync.Map // Go functions by name
	layouts sync.Map // Go functions of sources, by name, from which compilers take parameters
	missing sync.Map // names of kernels that ran without a function
	missed  sync.Map // symbols of Options.Missing that were looked up

	logMu  sync.Mutex
	logged []Call

	notesMu  sync.Mutex
	crashes  []Crash
	misuse   []Crash
	blocked  []Blocked
	failures []error
}

var machines atomic.Uint64

// NewMachine makes a machine. It gets no calls before it is installed.
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

// CUDAProfiles returns the driver versions that [Machine.InstallCUDA] can simulate, oldest first.
func CUDAProfiles() []string { return names(cudaProfiles) }

// HIPProfiles returns the runtime versions that [Machine.InstallHIP] can simulate: "cpu", which is
// HIP on a CPU, then AMD's, oldest first.
func HIPProfiles() []string { return names(hipProfiles) }

// InstallCUDA replaces the CUDA driver library by the machine until restore is called. It panics if
// the profile is unknown.
func (m *Machine) InstallCUDA(profile string) (restore func()) {
	return m.cuda.install(&libs.CUDA, profileOf(cudaProfiles, profile))
}

// InstallHIP replaces the HIP runtime library by the machine, like [Machine.InstallCUDA].
func (m *Machine) InstallHIP(profile string) (restore func()) {
	return m.amd.install(&libs.HIP, profileOf(hipProfiles, profile))
}

func (f *face) install(library *dl.Library, p *profile) (restore func()) {
	f.profile.Store(p)
	return f.driver.install(library, p, f.m.lacks)
}

// lacks reports whether a symbol is one of Options.Missing, and notes that it was looked up.
func (m *Machine) lacks(symbol string) bool {
	if !slices.Contains(m.options.Missing, symbol) {
		return false
	}
	m.missed.Store(symbol, nil)
	return true
}

// Missed reports whether a symbol of Options.Missing was looked up. Otherwise nobody has tried to
// call it.
func (m *Machine) Missed(symbol string) bool {
	_, ok := m.missed.Load(symbol)
	return ok
}

// Shutdown makes every call of both APIs fail with 4, as after a driver was unloaded at the
// process's end.
func (m *Machine) Shutdown() {
	for _, f := range m.faces() {
		f.down.Store(true)
	}
}

// SetSkew sets a time that is added to every measured elapsed time before it is rounded: timestamps
// of real devices are slightly out of order.
func (m *Machine) SetSkew(d time.Duration) { m.skew.Store(int64(d)) }
