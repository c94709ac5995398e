package sim

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/host"
)

// face is a machine as seen through one API.
type face struct {
	m       *Machine
	api     *api
	driver  *driver
	profile atomic.Pointer[profile]
	devices []*device
	first   int // the number of the first device
	handles handleTable
	calls   []callState

	initialized atomic.Bool
	down        atomic.Bool
	asked       atomic.Bool // a call has asked for a device, and there is none
	logging     atomic.Bool
	inCallbacks atomic.Int32
	ids         atomic.Uint64

	capturing atomic.Int32 // captures in the list
	captureMu sync.Mutex
	captures  []*capture // those in progress
	stuck     []*capture // those whose end has failed

	hostThread hostThread
	oneLock    sync.Mutex // HIP on a CPU: held in every call

	memory  memory
	pooled  atomic.Bool // there is a pool
	created [kinds]atomic.Int64
	ended   [kinds]atomic.Int64
}

// device is a GPU.
type device struct {
	ordinal   int
	name      string
	pci       string
	uuid      [16]byte
	memory    uintptr
	lost      atomic.Int32   // the code of all later calls; 0 if it is there
	used      uintptr        // bytes of memory; guarded by the face's memory
	graphMost uintptr        // the most of it that graphs had; guarded likewise
	graphIdle uintptr        // what ended graphs have left, kept for others; guarded likewise
	pool      *pool          // the same; nil before its first use
	managed   *pool          // the same, of managed memory
	pools     map[*pool]bool // the same; those that programs have made

	mu      sync.Mutex
	primary *context // made at the first use
	refs    int      // CUDA: retains of the primary context
	flags   uint32
}

func newFace(m *Machine, a *api, id uintptr) *face {
	a.functions()
	f := &face{m: m, api: a, calls: make([]callState, len(a.all))}
	f.driver = &driver{api: a, lobby: f}
	f.handles.mark, f.handles.reuse = id<<markBits|a.mark, m.options.ReuseHandles
	f.handles.first = id * 7919 & (1<<genBits - 1)
	f.profile.Store(&cudaProfiles[len(cudaProfiles)-1])
	if f.hip() {
		f.profile.Store(&hipProfiles[len(hipProfiles)-1])
	}
	for i := range max(m.options.Devices, 0) {
		d := &device{ordinal: i, name: fmt.Sprintf("Simulated %s GPU %d", a.name, i),
			pci:    fmt.Sprintf("0000:%02x:00.0", 0x10*(i+1)+int(a.mark)),
			memory: deviceMemory(m.options.Memory)}
		copy(d.uuid[:], "gpuevent-sim")
		d.uuid[14], d.uuid[15] = byte(a.mark), byte(i)
		if f.hip() { // in practice without contexts: each device always has one
			f.activate(d)
		}
		f.devices = append(f.devices, d)
	}
	return f
}

func (f *face) hip() bool { return f.api.hip }

func (f *face) plays(q quirk) bool { return f.profile.Load().plays(q) }

// noDevice returns the runtime's code for no device.
func (f *face) noDevice() code {
	switch {
	case f.plays(chipNoDeviceCode):
		return notInitialized
	case f.plays(amdNoDeviceCode), f.plays(amdFirstNoDeviceCode) && !f.asked.Swap(true):
		return invalidDevice
	}
	return noDevice
}

// device returns the device with an ordinal.
func (f *face) device(ordinal int32) (*device, code) {
	i := int(ordinal) - f.first
	if i < 0 || i >= len(f.devices) {
		return nil, invalidDevice
	}
	return f.devices[i], success
}

// newEngine makes the engine of a context: everything in one context belongs to one engine.
func (f *face) newEngine(d *device) *host.Engine {
	return host.New(
		host.Options{Name: d.name, Clock: f.m.options.Clock, LeastPriority: 2, GreatestPriority: -5})
}

// priorities returns the range of the installed version.
func (f *face) priorities() (least, greatest int32) {
	switch {
	case f.plays(amdPriorities):
		return 1, -1
	case f.plays(chipPriorities):
		return 2, 0
	}
	return 0, -5
}

func (f *face) begin(o *object, k kind) uintptr {
	o.kind = k
	f.created[k].Add(1)
	return f.handles.add(o)
}

// end removes the object's handle. It reports whether this call did.
func (f *face) end(o *object) bool {
	if !f.handles.remove(o) {
		return false
	}
	f.ended[o.kind].Add(1)
	return true
}
