package computesoak

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/images"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// world is one run.
type world struct {
	Config
	machine *sim.Machine // nil for the host, and in form Real
	restore func()
	devices []*event.Device
	homes   []*home
	renewal sync.Mutex // held while a lane is replaced

	stop     atomic.Bool
	wild     atomic.Bool // calls may fail
	reports  atomic.Int64
	failures atomic.Int64

	mu       sync.Mutex
	findings []string
}

// home is what lives on one device.
type home struct {
	world   *world
	number  int
	device  *event.Device
	lanes   [manyLanes]atomic.Pointer[lane]
	cells   [manyCells]atomic.Pointer[cell]
	pinned  [manyPinned]*pinned
	graphs  [manyGraphs]*graph
	modules [manyModules]atomic.Pointer[module]
	shared  atomic.Pointer[compute.Buffer[int32]] // all elements are sharedValue
	code    []byte                                // the kernels, once they are compiled
}

// sharedValue is the content of the buffer that launches read while it is replaced.
const sharedValue = 3

// module is a loaded module.
type module struct {
	*compute.Module
	add, axpy *compute.Kernel
}

// find reports something that must not be. The run ends.
func (w *world) find(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.findings) < 5 {
		w.findings = append(w.findings, fmt.Sprintf(format, args...))
	}
	w.stop.Store(true)
}

func (w *world) found() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.findings...)
}

// fine reports whether an operation has succeeded. In a plain run it must.
func (w *world) fine(what string, err error) bool {
	switch {
	case err == nil:
		return true
	case w.wild.Load():
		w.failures.Add(1)
	default:
		w.find("%s: %v", what, err)
	}
	return false
}

// open finds the devices and puts the first objects there.
func open(c Config) (w *world, err error) {
	w = &world{Config: c}
	if w.Workers == 0 {
		w.Workers = 8
	}
	backend, version, _ := strings.Cut(c.Profile, "-")
	if backend != "host" && c.Form != Real {
		w.machine = sim.NewMachine(sim.Options{ReuseHandles: true, OnCrash: func(crash sim.Crash) {
			w.find("a real driver would have crashed: %v\n%s", crash, debug.Stack())
		}})
		install := w.machine.InstallCUDA
		if backend == "hip" {
			install = w.machine.InstallHIP
		}
		w.restore = install(version)
		for name, f := range kernels {
			w.machine.Kernel(name, f)
		}
	}
	event.SetErrorHandler(func(err error) {
		w.reports.Add(1)
		if !w.wild.Load() {
			w.find("the error handler heard: %v", err)
		}
	})
	names := []string{backend + ":0", backend + ":1"}
	switch {
	case c.Form == Real:
		names = strings.Split(c.Devices, ",")
	case w.machine == nil:
		names = []string{"host"}
	}
	for i, name := range names {
		d, err := w.device(name)
		if err != nil {
			return w, err
		}
		w.devices = append(w.devices, d)
		h := &home{world: w, number: i, device: d}
		w.homes = append(w.homes, h)
		if err := h.settle(); err != nil {
			return w, err
		}
	}
	return w, nil
}

// settle makes the first objects of a device.
func (h *home) settle() (err error) {
	for i := range h.lanes {
		if err := h.newLane(i); err != nil {
			return err
		}
	}
	for i := range h.modules {
		if err := h.newModule(i); err != nil {
			return err
		}
	}
	for i := range h.pinned {
		p := &pinned{id: h.id(1, i)}
		if p.mem, err = compute.AllocPinned[int32](h.device, mostLen); err != nil {
			return err
		}
		h.pinned[i] = p
	}
	for i := range h.graphs {
		h.graphs[i] = &graph{}
	}
	for i := range h.cells {
		c := &cell{id: h.id(0, i), home: h}
		if c.buf, err = compute.AllocOn[int32](h.device, mostLen); err != nil {
			return err
		}
		c.want = make([]int32, mostLen)
		h.cells[i].Store(c)
	}
	return h.renewShared()
}

var ids atomic.Int64

// id is a number by which locks are taken in order.
func (h *home) id(int, int) int64 { return ids.Add(1) }

func (h *home) newModule(i int) error {
	m, err := h.load()
	if err != nil {
		return err
	}
	x := &module{Module: m}
	if x.add, err = m.Kernel("add"); err == nil {
		x.axpy, err = m.Kernel("axpy")
	}
	if err != nil {
		return errors.Join(err, m.Close())
	}
	if old := h.modules[i].Swap(x); old != nil {
		return old.Close()
	}
	return nil
}

func (h *home) load() (*compute.Module, error) {
	if h.world.Form == Real && !h.device.IsHost() {
		return h.loadReal()
	}
	if h.world.machine == nil {
		return compute.Compile(context.Background(), h.device, compute.Source{Host: kernels})
	}
	list, err := described()
	if err != nil {
		return nil, err
	}
	if h.device.Backend() == event.HIP {
		return compute.Load(h.device, images.CodeObject(h.device.Architecture(), list...))
	}
	return compute.Load(h.device, images.PTX("7.0", "sm_70", list...))
}

// renewShared replaces the buffer that launches read.
func (h *home) renewShared() error {
	x, err := compute.AllocOn[int32](h.device, mostLen)
	if err != nil {
		return err
	}
	l := h.lanes[0].Load()
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return x.Close()
	}
	if err = x.Fill(l.s, sharedValue); err == nil {
		err = l.s.Sync()
	}
	if err != nil {
		return errors.Join(err, x.Close())
	}
	if old := h.shared.Swap(x); old != nil {
		return old.Close()
	}
	return nil
}

// now ends work that is late.
func (w *world) deadline() time.Duration { return w.Duration + patience }
