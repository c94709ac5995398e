package computesoak

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/native"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// Report is what came of a run.
type Report struct {
	Config   Config
	Took     time.Duration
	Ops      int64
	Kinds    map[string]int64
	Faults   int64 // driver calls that were made to fail
	Failures int64 // operations that failed
	Wrong    []string
	// Impossible is why there was no run on a device: [ErrOpen], [ErrNoGate],
	// compute.ErrNotInstalled. Wrong has it too.
	Impossible error
}

// String is the report in two lines.
func (r Report) String() string {
	var kinds []string
	for k, n := range r.Kinds {
		kinds = append(kinds, fmt.Sprintf("%s %d", k, n))
	}
	slices.Sort(kinds)
	return fmt.Sprintf("soak of compute %s %s seed %d: %d operations in %v (%d/s), %d faults, "+
		"%d operations failed, %d wrong\n  %s", r.Config.Form, r.Config.Profile+r.Config.Devices,
		r.Config.Seed, r.Ops,
		r.Took.Round(time.Millisecond), int64(float64(r.Ops)/max(r.Took.Seconds(), 1e-3)), r.Faults,
		r.Failures, len(r.Wrong), strings.Join(kinds, ", "))
}

// Run makes one run. If something hangs it prints what is known and ends the process.
func Run(c Config) Report {
	w, err := open(c)
	if err != nil {
		return Report{Config: c, Wrong: []string{"start: " + err.Error()}, Impossible: err}
	}
	r := Report{Config: c, Kinds: map[string]int64{}}
	var workers []*worker
	for i := range w.Workers {
		workers = append(workers, &worker{world: w, done: map[string]int64{},
			rand: rand.New(rand.NewPCG(c.Seed, uint64(i)))})
	}
	ended := make(chan struct{})
	go w.watch(workers, ended)
	began := time.Now()
	w.work(workers)
	r.Took = time.Since(began)
	for _, k := range workers {
		for name, n := range k.done {
			r.Kinds[name] += n
			r.Ops += n
		}
	}
	if len(w.found()) == 0 {
		w.finish()
	}
	close(ended)
	r.Wrong, r.Failures = w.found(), w.failures.Load()
	if w.machine != nil {
		r.Faults = int64(w.machine.FaultCount())
	}
	event.SetErrorHandler(nil)
	if w.restore != nil {
		empty(w.machine)
		w.restore()
	}
	return r
}

// empty waits a moment until a machine has no streams and events. Package event destroys some on
// the side, which must not reach the machine that takes this one's place.
func empty(m *sim.Machine) {
	for began := time.Now(); time.Since(began) < time.Second; time.Sleep(time.Millisecond) {
		cuda, hip := m.CUDALive(), m.HIPLive()
		if cuda.Streams+cuda.Events+hip.Streams+hip.Events == 0 {
			return
		}
		runtime.GC() // which closes dropped events
	}
}

// work has all workers at it until the time is up, or something was found.
func (w *world) work(workers []*worker) {
	var all sync.WaitGroup
	for _, k := range workers {
		all.Go(k.run)
	}
	r := rand.New(rand.NewPCG(w.Seed, 1<<40))
	killed := w.Duration/4 + time.Duration(r.Int64N(int64(w.Duration/2)))
	const turn = 5 * time.Millisecond
	for began := time.Now(); !w.stop.Load() && time.Since(began) < w.Duration; time.Sleep(turn) {
		if r.IntN(8) == 0 {
			runtime.GC() // dropped objects are collected while others work
		}
		switch {
		case w.Form == Faults:
			w.wild.Store(true)
			w.fault(r)
		case w.Form == Kill && time.Since(began) > killed && !w.wild.Load():
			w.wild.Store(true)
			w.kill(r)
		}
	}
	w.stop.Store(true)
	if w.machine != nil {
		w.machine.FaultRate(0, 0, 0)
	}
	all.Wait()
}

// fault has a share of the driver's calls fail, with one code after the other: plain ones and too
// little memory. Those that destroy are left out, since what a driver refuses to destroy stays.
func (w *world) fault(r *rand.Rand) {
	codes := []int32{2, 201, 304}
	w.machine.FaultRate(faultRate, codes[r.IntN(len(codes))], r.Int64(), spared...)
}

// spared are the functions that end something, and those without which a thread or a capture
// stays as it is.
var spared = []string{
	"cuCtxGetCurrent", "cuCtxSetCurrent", "cuEventDestroy_v2", "cuGraphDestroy", "cuGraphExecDestroy",
	"cuMemFreeHost", "cuMemFree_v2", "cuModuleUnload", "cuStreamDestroy_v2", "cuStreamEndCapture",
	"cuThreadExchangeStreamCaptureMode",
	"hipEventDestroy", "hipFree", "hipGetDevice", "hipGraphDestroy", "hipGraphExecDestroy",
	"hipHostFree", "hipModuleUnload", "hipSetDevice", "hipStreamDestroy", "hipStreamEndCapture",
	"hipThreadExchangeStreamCaptureMode",
}

// kill breaks a device.
func (w *world) kill(r *rand.Rand) {
	n := r.IntN(len(w.devices))
	if w.devices[n].Backend() == event.CUDA {
		w.machine.FailCUDA(n, 700)
	} else {
		w.machine.FailHIP(n, 700)
	}
}

// finish closes everything, and looks at what is left.
func (w *world) finish() {
	first := &worker{world: w, rand: rand.New(rand.NewPCG(w.Seed, 1<<41)), done: map[string]int64{}}
	for _, h := range w.homes {
		h.finish(first)
	}
	w.homes = nil // the collector closes the events behind closed streams
	w.accounts()
}

func (h *home) finish(w *worker) {
	for _, g := range h.graphs {
		if g.g != nil {
			w.fine("Graph.Close", g.g.Close())
			g.g, g.cells, g.steps = nil, nil, nil
		}
	}
	for i := range h.cells {
		c := h.cells[i].Load()
		if w.Form != Kill && !c.retired {
			w.last(h, c)
		}
		w.fine("Buffer.Close", c.buf.Close())
	}
	for _, p := range h.pinned {
		w.fine("Pinned.Close", p.mem.Close())
	}
	for i := range h.modules {
		w.fine("Module.Close", h.modules[i].Load().Close())
	}
	w.fine("Buffer.Close", h.shared.Load().Close())
	for i := range h.lanes {
		w.fine("Stream.Close", h.lanes[i].Load().close())
	}
}

// last reads a cell at the end.
func (w *worker) last(h *home, c *cell) {
	l := h.lanes[0].Load()
	got := make([]int32, len(c.want))
	if w.fine("wait", c.after(l)) && w.fine("CopyTo", c.buf.CopyTo(l.s, got)) && c.known {
		w.compare(c.id, "the end", got, c.want)
	}
}

// accounts wants nothing to be left.
func (w *world) accounts() {
	var left string
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		runtime.GC()
		if left = w.left(); left == "" {
			break
		}
		if time.Since(began) > 10*time.Second {
			w.find("leak: %s", left)
			break
		}
	}
	if w.machine == nil {
		return
	}
	if misuse := w.machine.Misuse(); len(misuse) > 0 && w.Form != Kill {
		w.find("misuse: %d calls: %v", len(misuse), misuse[:min(len(misuse), 5)])
	}
	if w.Form == Plain {
		for _, err := range w.machine.KernelFailures() {
			w.find("a kernel failed: %v", err)
		}
	}
}

// left says what is still there.
func (w *world) left() (text string) {
	for _, d := range w.devices {
		native.DeviceOf(d).Settle()
		u, err := compute.UsageOf(d)
		if err != nil || u.Buffers != 0 || u.Bytes != 0 || u.PinnedBuffers != 0 || u.PinnedBytes != 0 {
			text += fmt.Sprintf("the account of %v: %+v %v; ", d, u, err)
		}
	}
	if w.machine == nil || w.Form == Kill {
		return text
	}
	live := map[string]sim.Handles{"cuda": w.machine.CUDALive(), "hip": w.machine.HIPLive()}
	for name, h := range live {
		h.Contexts = 0
		if h.Events -= w.machine.GraphEvents(); h != (sim.Handles{}) && h.Events >= 0 {
			text += fmt.Sprintf("%s: %+v; ", name, h)
		}
	}
	return text
}

// watch ends the process if a run takes too long.
func (w *world) watch(workers []*worker, ended chan struct{}) {
	select {
	case <-ended:
		return
	case <-time.After(w.deadline()):
	}
	text := "hang:"
	for i, k := range workers {
		k.mu.Lock()
		if k.what != "" {
			text += fmt.Sprintf(" goroutine %d is in %s for %v;", i, k.what, time.Since(k.at))
		}
		k.mu.Unlock()
	}
	buf := make([]byte, 1<<20)
	fmt.Fprintf(os.Stderr, "%s\nrepeat with %v\nfound: %q\n%s\n", text, w.Config, w.found(),
		buf[:runtime.Stack(buf, true)])
	os.Exit(exitHang)
}

// exitHang is the process's end when something hung.
const exitHang = 3
