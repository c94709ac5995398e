package sim

// Handles counts objects of one API.
type Handles struct {
	Contexts, Streams, Events, Graphs, Execs, Memory, Modules int
}

// CUDALive counts the CUDA objects that were created and not destroyed. Active primary contexts
// count as contexts.
func (m *Machine) CUDALive() Handles { return m.cuda.count(1, -1) }

// HIPLive counts the HIP objects that were created and not destroyed. Contexts are the devices.
func (m *Machine) HIPLive() Handles { return m.amd.count(1, -1) }

// CUDACreated counts the CUDA objects ever created.
func (m *Machine) CUDACreated() Handles { return m.cuda.count(1, 0) }

// HIPCreated counts the HIP objects ever created.
func (m *Machine) HIPCreated() Handles { return m.amd.count(1, 0) }

// GraphEvents counts the live events of both APIs that are part of a graph. Their owner may have to
// keep them, since nothing reports the end of a graph.
func (m *Machine) GraphEvents() (n int) {
	for _, f := range m.faces() {
		n += len(f.handles.live(func(o *object) bool { return o.event != nil && o.event.noded.Load() }))
	}
	return n
}

func (f *face) count(created, ended int64) Handles {
	n := func(k kind) int { return int(created*f.created[k].Load() + ended*f.ended[k].Load()) }
	return Handles{n(contextKind), n(streamKind), n(eventKind), n(graphKind), n(execKind),
		n(memoryKind), n(moduleKind)}
}

// CUDALiveOn counts a user's objects on a CUDA device: contexts that are not primary, streams,
// events that are not part of a graph, modules, graphs that were captured there, and memory: of the
// device, and of the host if it was allocated or registered while the device was current.
func (m *Machine) CUDALiveOn(device int) Handles { return m.cuda.liveOn(device) }

// HIPLiveOn counts a user's objects on a HIP device, like [Machine.CUDALiveOn].
func (m *Machine) HIPLiveOn(device int) Handles { return m.amd.liveOn(device) }

func (f *face) liveOn(ordinal int) (h Handles) {
	d := f.devices[ordinal]
	f.handles.live(func(o *object) bool {
		switch {
		case o.stream != nil && o.stream.context.device == d:
			h.Streams++
		case o.event != nil && o.event.context.device == d && !o.event.noded.Load():
			h.Events++
		case o.kind == contextKind && o.context.device == d && !o.context.primary:
			h.Contexts++
		case o.module != nil && o.module.home.device == d:
			h.Modules++
		case o.kind == graphKind && o.graph.origin.device == d:
			h.Graphs++
		case o.kind == execKind && o.graph.origin.device == d:
			h.Execs++
		}
		return false
	})
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	for _, b := range f.memory.live {
		if b.kind != signalBlock && b.owner() == d && (!b.node.made || b.node.out) {
			h.Memory++
		}
	}
	return h
}

// CUDACurrent returns the current context of the calling OS thread, 0 if none. The goroutine must
// be locked to its thread for the answer to be meaningful.
func (m *Machine) CUDACurrent() uintptr {
	if c := m.cuda.thread().current(); c != nil {
		return c.handle
	}
	return 0
}

// HIPCurrent returns the current device of the calling OS thread.
func (m *Machine) HIPCurrent() int { return m.amd.thread().hipDevice() }

// CUDAThreads returns the context stack of every OS thread that has one, the current context last.
func (m *Machine) CUDAThreads() map[uint64][]uintptr {
	stacks := map[uint64][]uintptr{}
	m.cuda.driver.eachThread(func(t *thread) {
		for _, c := range t.stack {
			h := uintptr(0)
			if c != nil {
				h = c.handle
			}
			stacks[t.id] = append(stacks[t.id], h)
		}
	})
	return stacks
}

// HIPThreads returns the current device of every OS thread whose device is not 0.
func (m *Machine) HIPThreads() map[uint64]int {
	devices := map[uint64]int{}
	m.amd.driver.eachThread(func(t *thread) {
		if t.device != 0 {
			devices[t.id] = t.device
		}
	})
	return devices
}

// ContextOf returns the context of a live CUDA stream, event, module or function, 0 if the handle
// is none of these.
func (m *Machine) ContextOf(handle uintptr) uintptr {
	if c := m.owner(handle); c != nil {
		return c.handle
	}
	return 0
}

// DeviceOf returns the device of a live context, stream, event, module or function of either API,
// -1 if the handle is none of these.
func (m *Machine) DeviceOf(handle uintptr) int {
	if c := m.owner(handle); c != nil {
		return c.device.ordinal
	}
	return -1
}

func (m *Machine) owner(handle uintptr) *context {
	for _, f := range m.faces() {
		if o := f.handles.find(handle); o != nil {
			return o.owner()
		}
	}
	return nil
}

// EventFlags returns the flags that a live event was created with.
func (m *Machine) EventFlags(handle uintptr) uint32 {
	for _, f := range m.faces() {
		if o := f.handles.find(handle); o != nil && o.event != nil {
			return o.event.flags
		}
	}
	return 0
}
