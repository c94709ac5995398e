package event_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventtest"
	"github.com/gpuevent/gpuevent/internal/host"
	"github.com/gpuevent/gpuevent/internal/testing/clock"
	"github.com/gpuevent/gpuevent/internal/testing/images"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
	"github.com/gpuevent/gpuevent/internal/testing/simrtc"
)

// peerEnv makes a process the other one, and names its device.
const peerEnv = "EVENTTEST_PEER"

func TestMain(m *testing.M) {
	if name := os.Getenv(peerEnv); name != "" {
		os.Exit(servePeer(name))
	}
	os.Exit(m.Run())
}

// servePeer is the other process's main. The name is that of a device, or of a profile:
// "sim-cuda-13.5".
func servePeer(name string) int {
	if api, version, ok := strings.Cut(strings.TrimPrefix(name, "sim-"), "-"); ok {
		m := sim.NewMachine(sim.Options{})
		install(m, api, version)
		name = api + ":0"
	}
	d, err := event.Open(name)
	if err == nil {
		err = eventtest.ServePeer(d, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// endAtOnce spares a child under the race detector the second that it sleeps at its end.
const endAtOnce = "GORACE=atexit_sleep_ms=0"

func peer(name string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), peerEnv+"="+name, endAtOnce)
		return cmd
	}
}

func install(m *sim.Machine, api, version string) (restore func()) {
	if api == "cuda" {
		return m.InstallCUDA(version)
	}
	return m.InstallHIP(version)
}

// offsetClock is a clock that can be moved.
type offsetClock struct {
	host.Clock
	offset atomic.Int64
}

func (c *offsetClock) Now() time.Duration {
	return c.Clock.Now() + time.Duration(c.offset.Load())
}
func (c *offsetClock) move(d time.Duration) { c.offset.Add(int64(d)) }

// TestConformanceOfTheHost runs the suite on the host, with real time and with a clock that only
// the test moves.
func TestConformanceOfTheHost(t *testing.T) {
	for name, clock := range map[string]func() host.Clock{
		"real":   func() host.Clock { return host.NewRealClock() },
		"manual": func() host.Clock { return clock.NewManual() },
	} {
		t.Run(name, func(t *testing.T) {
			eventtest.Run(t, func(t testing.TB) eventtest.Target { return hostTarget(t, clock()) })
		})
	}
}

func hostTarget(t testing.TB, base host.Clock) eventtest.Target {
	clock := &offsetClock{Clock: base}
	engine := host.New(host.Options{Clock: clock})
	m := newMachine(t, sim.Options{}, "cuda", "13.5")
	return eventtest.Target{
		Device: event.NewHostDevice(engine),
		Second: event.NewHostDevice(host.New(host.Options{Clock: clock})),
		Other:  open(t, "cuda:0"),
		Pass:   clock.move,
		Skew:   clock.move,
		Break:  func() { engine.Fail(nil) },
		Check:  func(t testing.TB) { check(t, m) },
		Peer:   peer("host"),
	}
}

func open(t testing.TB, name string) *event.Device {
	d, err := event.Open(name)
	require.NoError(t, err)
	return d
}

func newMachine(t testing.TB, o sim.Options, api, version string) *sim.Machine {
	m := sim.NewMachine(o)
	t.Cleanup(install(m, api, version))
	return m
}

// TestConformanceOfDrivers runs it on the software GPUs, through the generated code and the C call
// path.
func TestConformanceOfDrivers(t *testing.T) {
	for api, versions := range map[string][]string{"cuda": sim.CUDAProfiles(),
		"hip": sim.HIPProfiles()} {
		for _, version := range versions {
			t.Run(api+"-"+version, func(t *testing.T) {
				eventtest.Run(t, func(t testing.TB) eventtest.Target {
					return simTarget(t, sim.Options{}, api, version)
				})
			})
		}
	}
	// a driver that insists on a current context for everything
	t.Run("strict-context", func(t *testing.T) {
		eventtest.Run(t, func(t testing.TB) eventtest.Target {
			return simTarget(t, sim.Options{StrictContext: true, SameProcessIPC: true}, "cuda", "12.4")
		})
	})
}

func simTarget(t testing.TB, o sim.Options, api, version string) eventtest.Target {
	manual := clock.NewManual()
	o.Clock, o.ReuseHandles = manual, true
	m := newMachine(t, o, api, version)
	x := eventtest.Target{
		Device:         open(t, api+":0"),
		Second:         open(t, api+":1"),
		Other:          open(t, "host"),
		Pass:           manual.Advance,
		Break:          func() { m.FailCUDA(0, 700) },
		Skew:           m.SetSkew,
		Check:          func(t testing.TB) { check(t, m) },
		Peer:           peer("sim-" + api + "-" + version),
		SameProcessIPC: o.SameProcessIPC,
		Calls: func() int {
			n := 0
			for call, calls := range m.AllCalls() {
				if call != "cuCtxGetCurrent" && call != "cuCtxSetCurrent" {
					n += calls
				}
			}
			return n
		},
	}
	x.Load = func(t testing.TB) *compute.Module { return loadKernels(t, m, x.Device) }
	if version == "cpu" { // whose streams are queried all the time whether they may be destroyed
		x.Calls, x.Load = nil, nil
		for name, fn := range eventtest.KernelSource.Host {
			m.Kernel(name, fn)
		}
		t.Cleanup(simrtc.New(version, m.KernelParams).InstallHIPRTC())
	}
	if !x.Device.Capabilities().Has(event.CapHostFunc) {
		x.Gate = func(s *event.Stream) func() {
			// Destroying a stream waits for the whole device there, and blocks all other calls: a
			// goroutine that makes such calls must not be the one to open a gate enqueued
			// meanwhile.
			require.Eventually(t, func() bool { return !event.Retiring(s.Device()) },
				10*time.Second, 100*time.Microsecond)
			if s.IsDefault() {
				return m.HIPDefaultGate(s.Device().Ordinal()).Open
			}
			return m.Gate(event.NativeHandle(s)).Open
		}
	}
	if api == "hip" {
		x.Break = func() { m.FailHIP(0, 700) }
	}
	return x
}

// loadKernels loads the suite's kernels on a software GPU.
func loadKernels(t testing.TB, m *sim.Machine, d *event.Device) *compute.Module {
	var all []images.Kernel
	for name, fn := range eventtest.KernelSource.Host {
		m.Kernel(name, fn)
		k, err := images.KernelOf(name, fn)
		require.NoError(t, err)
		all = append(all, k)
	}
	code := images.PTX("7.0", "sm_70", all...)
	if d.Backend() == event.HIP {
		code = images.CodeObject(d.Architecture(), all...)
	}
	module, err := compute.Load(d, code)
	require.NoError(t, err)
	return module
}

// check wants a machine on which nothing is left and nothing was done that would crash a real
// driver or keep others waiting.
func check(t testing.TB, m *sim.Machine) {
	left := func() (n int) {
		event.DrainPools()
		for _, h := range []sim.Handles{m.CUDALive(), m.HIPLive()} {
			n += h.Events + h.Streams + h.Graphs + h.Execs + h.Modules
		}
		for _, name := range []string{"cuda:0", "cuda:1", "hip:0", "hip:1"} { // Memory is also event's
			if d, err := event.Open(name); err == nil {
				u, err := compute.UsageOf(d)
				require.NoError(t, err)
				n += u.Buffers + u.PinnedBuffers
			}
		}
		return n - m.GraphEvents()
	}
	for began := time.Now(); left() > 0 && time.Since(began) < 10*time.Second; {
		runtime.GC() // what was dropped is destroyed a moment later
		runtime.Gosched()
	}
	require.Zero(t, left(), "handles left behind: %+v %+v", m.CUDALive(), m.HIPLive())
	require.Empty(t, m.Misuse())
	require.Empty(t, m.Crashes())
	require.Empty(t, m.Blocked())
}
