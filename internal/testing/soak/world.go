package soak

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// world is one run: the machine, what lives on it, and what was found.
type world struct {
	Config
	machine *sim.Machine // nil in form Real
	devices []*device
	streams []atomic.Pointer[stream]
	events  []atomic.Pointer[ev]
	workers []*worker
	table   []opKind // each operation as often as its weight says

	ticks  atomic.Uint64
	watch  atomic.Int64 // turns of the watchdog
	gates  atomic.Int64 // closed ones
	stop   atomic.Bool
	faulty atomic.Bool // calls may fail now, or could a moment ago

	leftMu sync.Mutex
	left   []func() error // what to destroy at the end
	graphs atomic.Int64
	wraps  atomic.Int64
	stays  atomic.Int32
	nodes  atomic.Int64

	handing sync.Mutex // held while a worker is in handOver

	recordsMade atomic.Int64
	recordsDone atomic.Int64 // those of recordsMade that succeeded
	stalled     atomic.Int64 // queries that were held up
	stalling    atomic.Int32 // those that are
	exits       atomic.Int64 // host functions that left their goroutines
	late        lateness
	ends        lateEnds
	queued      time.Duration // what queuedTime returned at the start
	findMu      sync.Mutex
	findings    []string
	tolerated   atomic.Int64
	lost        atomic.Int64 // failures to destroy something
	began       time.Time
}

func (w *world) now() tick { return w.ticks.Add(1) }

// turn is how often the watchdog looks.
const turn = 20 * time.Millisecond

// find reports something that must not be. The run ends.
func (w *world) find(format string, args ...any) {
	w.findMu.Lock()
	defer w.findMu.Unlock()
	if len(w.findings) < 5 {
		w.findings = append(w.findings, fmt.Sprintf(format, args...))
	}
	w.stop.Store(true)
}

func (w *world) found() bool {
	w.findMu.Lock()
	defer w.findMu.Unlock()
	return len(w.findings) > 0
}

func newWorld(c Config) (*world, error) {
	c.fill()
	w := &world{Config: c, table: tableWithout(c.Without), began: time.Now()}
	w.queued, _ = queuedTime()
	if c.Form != Real {
		w.simulate()
	}
	event.SetErrorHandler(w.reported)
	event.EnableStats(c.Seed%2 == 1)
	cudrv.SetPanicHandler(func(name string, value any, stack []byte) {
		w.find("a %s ended with %v, which cudrv and hip reported\n%s", name, value, stack)
	})
	found, err := w.open()
	if err != nil {
		return nil, err
	}
	vendors := map[event.Backend]*device{}
	for _, d := range found {
		dev := &device{dev: d, name: d.String(), backend: d.Backend(), caps: d.Capabilities(),
			dead: new(atomic.Bool), shares: w.shares(d)}
		if v := vendors[dev.backend]; v != nil {
			dev.failing, dev.asking, dev.syncing = v.failing, v.asking, v.syncing
		} else {
			dev.failing = new(atomic.Bool)
			dev.asking, dev.syncing = new(sync.RWMutex), new(sync.RWMutex)
			vendors[dev.backend] = dev
		}
		dev.blocksCaller = dev.backend == event.HIP && c.HIP == "cpu"
		dev.ipcOrders = dev.backend != event.HIP || c.Form != Real &&
			!strings.HasPrefix(c.HIP, "5.") && !strings.HasPrefix(c.HIP, "6.")
		w.devices = append(w.devices, dev)
	}
	return w, w.populate()
}

// simulate loads the simulated drivers, for the rest of the process.
func (w *world) simulate() {
	w.machine = sim.NewMachine(sim.Options{ReuseHandles: true, SameProcessIPC: true,
		OneHostThread: w.Form == OneThread, OnCrash: func(crash sim.Crash) {
			w.find("a real driver would have crashed: %v\n%s", crash, debug.Stack())
		}})
	if w.CUDA != "" {
		w.machine.InstallCUDA(w.CUDA)
	}
	if w.HIP != "" {
		w.machine.InstallHIP(w.HIP)
	}
}

// open finds the devices under test.
func (w *world) open() ([]*event.Device, error) {
	if w.Form == Real {
		return w.openReal()
	}
	found, want := event.Devices(), 1
	for _, p := range []string{w.CUDA, w.HIP} {
		if p != "" {
			want += 2
		}
	}
	if len(found) != want {
		return nil, fmt.Errorf("%d devices instead of %d: %w", len(found), want,
			errors.Join(event.Unavailable(event.CUDA), event.Unavailable(event.HIP)))
	}
	return found, nil
}

// populate makes the first streams and events.
func (w *world) populate() error {
	w.streams = make([]atomic.Pointer[stream], w.Streams+len(w.devices))
	w.events = make([]atomic.Pointer[ev], w.Events)
	for i := range w.Workers {
		r := rand.New(rand.NewPCG(w.Seed, uint64(i)))
		w.workers = append(w.workers, &worker{world: w, id: i, rand: r})
	}
	first := w.workers[0]
	for i := range w.streams {
		if i >= w.Streams { // the default streams come last
			d := w.devices[i-w.Streams]
			s := &stream{dev: d, progress: new(progress), isDefault: true}
			s.obj.Store(d.dev.DefaultStream())
			w.streams[i].Store(s)
			continue
		}
		s, err := first.newStream(w.devices[i%len(w.devices)])
		if err != nil {
			return err
		}
		w.streams[i].Store(s)
	}
	for i := range w.events {
		e, err := first.newEvent(w.devices[i%len(w.devices)])
		if err != nil {
			return err
		}
		w.events[i].Store(e)
	}
	return nil
}

// planned marks failures that the soak itself causes.
const planned = "planned by the soak"

// reported is the error handler. It uses the package, as handlers do.
func (w *world) reported(err error) {
	if strings.Contains(err.Error(), planned) || strings.Contains(err.Error(), "Goexit") {
		return
	}
	if w.plain() {
		w.find("the error handler heard: %v", err)
		return
	}
	w.tolerated.Add(1)
	w.lost.Add(1)
	// What concerns a host function is reported on a thread of the driver's.
	if w.stop.Load() || strings.Contains(err.Error(), "Stream.HostFunc") {
		return
	}
	e, s := w.events[int(w.now())%len(w.events)].Load(), w.streams[int(w.now())%w.Streams].Load()
	if e == nil || s == nil || e.dev != s.dev || !e.recording.TryRLock() {
		return
	}
	defer e.recording.RUnlock()
	st := s.share()
	if st == nil {
		return
	}
	defer s.unshare()
	if o := e.obj.Load(); o != nil {
		w.record(e, o, s, st)
	}
}

// run has all workers at it until the time is up, or something was found.
func (w *world) run() {
	var all sync.WaitGroup
	for _, k := range w.workers {
		all.Go(k.run)
	}
	began := time.Now()
	for !w.stop.Load() && time.Since(began) < w.Duration {
		time.Sleep(min(200*time.Millisecond, w.Duration/5))
		runtime.GC() // dropped objects are collected while others work
	}
	w.stop.Store(true)
	all.Wait()
}
