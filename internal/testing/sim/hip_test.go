package sim

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/clock"
)

// hipMachine installs a machine for the test, whose goroutine stays on its thread.
func hipMachine(t *testing.T, o Options, profile string) *Machine {
	t.Helper()
	m := NewMachine(o)
	t.Cleanup(m.InstallHIP(profile))
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	return m
}

func hipEvent(t *testing.T, flags hip.EventFlags) hip.Event {
	t.Helper()
	e, err := hip.EventCreateWithFlags(flags)
	require.NoError(t, err)
	return e
}

func hipStream(t *testing.T) hip.Stream {
	t.Helper()
	s, err := hip.StreamCreateWithFlags(hip.StreamNonBlocking)
	require.NoError(t, err)
	return s
}

// each runs a test under every HIP profile.
func eachHIP(t *testing.T, o Options, f func(t *testing.T, m *Machine, p *profile)) {
	for _, name := range HIPProfiles() {
		t.Run(name, func(t *testing.T) {
			m := hipMachine(t, o, name)
			f(t, m, m.amd.profile.Load())
		})
	}
}

func TestHIPWithoutDevice(t *testing.T) {
	eachHIP(t, Options{Devices: -1}, func(t *testing.T, m *Machine, p *profile) {
		first, want, count := hip.ErrNoDevice, hip.ErrNoDevice, hip.ErrNoDevice
		switch {
		case p.plays(amdNoDeviceCode):
			first, want = hip.ErrInvalidDevice, hip.ErrInvalidDevice
		case p.plays(amdFirstNoDeviceCode):
			first = hip.ErrInvalidDevice
		case p.plays(chipNoDeviceCode):
			first, want, count = hip.ErrNotInitialized, hip.ErrNotInitialized, hip.ErrNotInitialized
		}
		n, err := hip.GetDeviceCount()
		assert.Equal(t, count, bare(err))
		assert.Zero(t, n)
		assert.Equal(t, first, bare(hip.Init(0)))
		assert.Equal(t, want, bare(second(hip.EventCreate())))
		assert.Equal(t, want, bare(hip.EventQuery(0)))
		assert.Equal(t, want, bare(hip.SetDevice(0)))
		assert.True(t, hip.IsNoDevice(hip.Available()))
		assert.NoError(t, second(hip.RuntimeGetVersion()))
	})
}

func TestHIPErrorTexts(t *testing.T) {
	eachHIP(t, Options{}, func(t *testing.T, m *Machine, p *profile) {
		text := func(f func(hip.Result) (string, error), r hip.Result) string {
			s, err := f(r)
			assert.NoError(t, err)
			return s
		}
		assert.Equal(t, "hipErrorNoDevice", text(hip.GetErrorName, hip.ErrNoDevice))
		assert.Equal(t, "hipErrorUnknown", text(hip.GetErrorName, 123456))
		if p.plays(amdErrorStringIsName) {
			assert.Equal(t, "hipErrorNoDevice", text(hip.GetErrorString, hip.ErrNoDevice), "the name")
			assert.Equal(t, "hipErrorUnknown", text(hip.GetErrorString, 123456))
			assert.ErrorIs(t, second(hip.DrvGetErrorString(hip.ErrNoDevice)), hip.ErrSymbolNotFound)
			return
		}
		assert.Equal(t, "no ROCm-capable device is detected", text(hip.GetErrorString, hip.ErrNoDevice))
		assert.Equal(t, "device not ready", text(hip.GetErrorString, hip.ErrNotReady))
		assert.Equal(t, "unknown error", text(hip.GetErrorString, 123456))
		assert.Equal(t, "hipErrorNotReady", text(hip.DrvGetErrorName, hip.ErrNotReady))
		assert.ErrorIs(t, second(hip.DrvGetErrorString(123456)), hip.ErrInvalidValue)
	})
}

func TestHIPDevices(t *testing.T) {
	eachHIP(t, Options{Devices: 3}, func(t *testing.T, m *Machine, p *profile) {
		for i := range int32(3) {
			name, err := hip.DeviceGetName(hip.Device(i))
			require.NoError(t, err)
			pci, err := hip.DeviceGetPCIBusId(i)
			require.NoError(t, err)
			again, err := hip.DeviceGetByPCIBusId(pci)
			require.NoError(t, err)
			assert.Equal(t, i, again)
			uuid, err := hip.DeviceGetUuid(hip.Device(i))
			require.NoError(t, err)
			id := *(*[16]byte)(unsafe.Pointer(&uuid))
			assert.EqualValues(t, i, id[15])
			properties, err := hip.GetDeviceProperties(i)
			if p.plays(amdOldProperties) {
				assert.ErrorIs(t, err, hip.ErrSymbolNotFound, "R0600 is of 6.0")
			} else {
				require.NoError(t, err)
				assert.Contains(t, string(properties.Name[:]), name)
				if p.plays(chipNoArchitecture) {
					assert.Equal(t, "unavailable", properties.GcnArchNameString())
				} else {
					assert.Contains(t, string(properties.GcnArchName[:]), "gfx942:")
				}
				assert.EqualValues(t, 16<<30, properties.TotalGlobalMem)
			}
			//lint:ignore SA1019 libraries have it still
			old, err := hip.GetDevicePropertiesR0000(i)
			if p.plays(chipMissingSymbols) {
				assert.ErrorIs(t, err, hip.ErrSymbolNotFound)
			} else {
				require.NoError(t, err)
				assert.Contains(t, string(old.GcnArchName[:]), "gfx942:")
			}
			warp, err := hip.DeviceGetAttribute(hip.DeviceAttributeWarpSize, i)
			require.NoError(t, err)
			assert.EqualValues(t, 64, warp)
		}
		assert.ErrorIs(t, hip.SetDevice(3), hip.ErrInvalidDevice)
		assert.ErrorIs(t, second(hip.DeviceGetName(-1)), hip.ErrInvalidDevice)
	})
}

func TestHIPDeviceIsPerThread(t *testing.T) {
	m := hipMachine(t, Options{}, "7.2")
	require.NoError(t, hip.SetDevice(1))
	e1, s1 := hipEvent(t, 0), hipStream(t)
	assert.Equal(t, 1, m.DeviceOf(uintptr(e1)))
	assert.Equal(t, map[uint64]int{threadID(): 1}, m.HIPThreads())
	onThread(func() {
		d, err := hip.GetDevice()
		assert.NoError(t, err)
		assert.Zero(t, d, "new threads begin with device 0")
		e0, err := hip.EventCreate()
		assert.NoError(t, err)
		assert.Equal(t, 0, m.DeviceOf(uintptr(e0)))
		assert.NoError(t, hip.EventRecord(e1, s1), "explicit handles carry their device")
		assert.ErrorIs(t, hip.EventRecord(e0, s1), hip.ErrInvalidHandle)
		assert.ErrorIs(t, hip.EventRecord(e1, 0), hip.ErrInvalidHandle,
			"the default stream is the thread's")
		assert.ErrorIs(t, second(hip.EventElapsedTime(e0, e1)), hip.ErrInvalidHandle)
		d, err = streamDevice(0)
		assert.NoError(t, err)
		assert.Zero(t, d)
	})
	d, err := streamDevice(0)
	require.NoError(t, err)
	assert.EqualValues(t, 1, d)
	require.NoError(t, hip.SetDevice(0))
	d, err = streamDevice(s1)
	require.NoError(t, err)
	assert.EqualValues(t, 1, d)
}

func streamDevice(s hip.Stream) (int32, error) {
	d, err := hip.StreamGetDevice(s)
	return int32(d), err
}

func TestHIPEventFlags(t *testing.T) {
	eachHIP(t, Options{}, func(t *testing.T, m *Machine, p *profile) {
		bad := []hip.EventFlags{8}
		if !p.plays(chipReleaseFlags) {
			bad = append(bad, hip.EventReleaseToDevice|hip.EventReleaseToSystem,
				hip.EventReleaseToDevice|hip.EventDisableSystemFence)
		}
		good := []hip.EventFlags{0, hip.EventBlockingSync,
			hip.EventDisableTiming | hip.EventInterprocess, hip.EventReleaseToDevice,
			hip.EventReleaseToSystem}
		for flag, fine := range map[hip.EventFlags]bool{
			hip.EventDisableSystemFence: p.plays(amdSystemFenceFlag),
			hip.EventInterprocess:       p.plays(amdInterprocessAlone),
		} {
			if fine {
				good = append(good, flag)
			} else {
				bad = append(bad, flag)
			}
		}
		for _, flags := range bad {
			assert.ErrorIs(t, second(hip.EventCreateWithFlags(flags)), hip.ErrInvalidValue, "%#x", flags)
		}
		for _, flags := range good {
			e := hipEvent(t, flags)
			assert.Equal(t, flags, hip.EventFlags(m.EventFlags(uintptr(e))))
			require.NoError(t, hip.EventDestroy(e))
		}
	})
}

func TestHIPEvents(t *testing.T) {
	eachHIP(t, Options{Clock: clock.NewManual()}, func(t *testing.T, m *Machine, p *profile) {
		clock := m.options.Clock.(*clock.Manual)
		s := hipStream(t)
		a, b, untimed := hipEvent(t, 0), hipEvent(t, 0), hipEvent(t, hip.EventDisableTiming)
		if p.plays(chipUnrecordedNotReady) {
			assert.Equal(t, hip.ErrNotReady, hip.EventQuery(a), "unrecorded is not ready")
		} else {
			assert.NoError(t, hip.EventQuery(a), "unrecorded is done")
		}
		assert.NoError(t, hip.EventSynchronize(a))
		assert.ErrorIs(t, second(hip.EventElapsedTime(a, a)), hip.ErrInvalidHandle)
		require.NoError(t, hip.EventRecord(a, s))
		g := m.Gate(uintptr(s))
		require.NoError(t, hip.EventRecord(b, s))
		require.NoError(t, hip.EventRecord(untimed, s))
		assert.Equal(t, hip.ErrNotReady, hip.EventQuery(b))
		assert.Equal(t, hip.ErrNotReady, second(hip.EventElapsedTime(a, b)))
		assert.ErrorIs(t, second(hip.EventElapsedTime(a, untimed)), hip.ErrInvalidHandle)
		clock.Advance(2*time.Millisecond + 1400*time.Nanosecond)
		g.Open()
		ms, err := hip.EventElapsedTime(a, b)
		require.NoError(t, err)
		assert.Equal(t, float32(2.0014), ms, "nanoseconds")
		ms, err = hip.EventElapsedTime(b, a)
		require.NoError(t, err)
		assert.Equal(t, float32(-2.0014), ms)
		ms, err = hip.EventElapsedTime(b, b)
		require.NoError(t, err)
		assert.Zero(t, ms)
		if hip.Has("hipEventRecordWithFlags") {
			assert.ErrorIs(t, hip.EventRecordWithFlags(a, s, 2), hip.ErrInvalidValue)
			assert.NoError(t, hip.EventRecordWithFlags(a, s, 0))
		}
		assert.ErrorIs(t, hip.StreamWaitEvent(s, a, 2), hip.ErrInvalidValue)
		assert.NoError(t, hip.StreamWaitEvent(s, a, 0))
	})
}

// What the runtime checks, and what it would crash on.
func TestHIPDeadHandles(t *testing.T) {
	eachHIP(t, Options{}, func(t *testing.T, m *Machine, p *profile) {
		e, e2, s, live := hipEvent(t, 0), hipEvent(t, 0), hipStream(t), hipStream(t)
		require.NoError(t, hip.EventDestroy(e))
		require.NoError(t, hip.StreamDestroy(s))
		assert.Equal(t, Handles{Contexts: 2, Events: 1, Streams: 1}, m.HIPLive())
		assert.ErrorIs(t, hip.EventDestroy(0), hip.ErrInvalidHandle)
		assert.ErrorIs(t, hip.EventRecord(0, live), hip.ErrInvalidHandle)
		assert.ErrorIs(t, hip.StreamWaitEvent(live, 0, 0), hip.ErrInvalidHandle)
		assert.ErrorIs(t, hip.StreamDestroy(0), hip.ErrInvalidHandle)
		assert.Empty(t, m.Crashes())
		assert.Len(t, m.Misuse(), 4)

		calls := []struct {
			name    string
			call    func() error
			checked bool
			want    error // where it is
		}{
			{"hipEventDestroy", func() error {
				return hip.EventDestroy(e)
			}, !p.plays(amdDoubleDestroyCrashes), hip.ErrContextIsDestroyed},
			{"hipEventQuery", func() error { return hip.EventQuery(e) }, false, nil},
			{"hipEventSynchronize", func() error { return hip.EventSynchronize(e) }, false, nil},
			{"hipEventRecord", func() error { return hip.EventRecord(e, live) }, false, nil},
			{"hipEventElapsedTime", func() error { return second(hip.EventElapsedTime(e2, e)) }, false, nil},
			{"hipStreamWaitEvent", func() error { return hip.StreamWaitEvent(live, e, 0) }, false, nil},
		}
		for _, tt := range calls {
			n := len(m.Crashes())
			err := tt.call()
			crashes := m.Crashes()
			if tt.checked {
				assert.Equal(t, tt.want, bare(err), tt.name)
				assert.Len(t, crashes, n)
				continue
			}
			require.Len(t, crashes, n+1, tt.name)
			assert.Equal(t, Crash{tt.name, uintptr(e), "event is destroyed or none"}, crashes[n])
		}
		n := len(m.Crashes())
		checked := p.plays(amdDestroyedStreamChecked) || p.plays(chipDestroyedStreamChecked)
		want, wantWait := hip.ErrInvalidHandle, hip.ErrInvalidHandle
		if checked {
			want, wantWait = hip.ErrContextIsDestroyed, hip.ErrContextIsDestroyed
		}
		if p.plays(amdWaitDestroyedStream) {
			wantWait = hip.ErrInvalidHandle
		}
		assert.Equal(t, want, bare(hip.StreamQuery(s)))
		assert.Equal(t, want, bare(hip.StreamSynchronize(s)))
		assert.Equal(t, want, bare(hip.StreamDestroy(s)))
		assert.Equal(t, want, bare(hip.EventRecord(e2, s)))
		assert.Equal(t, wantWait, bare(hip.StreamWaitEvent(s, e2, 0)))
		if checked {
			assert.Len(t, m.Crashes(), n)
		} else {
			assert.Len(t, m.Crashes(), n+5)
		}
	})
}

func TestHIPStreams(t *testing.T) {
	eachHIP(t, Options{}, func(t *testing.T, m *Machine, p *profile) {
		least, greatest, err := hip.DeviceGetStreamPriorityRange()
		require.NoError(t, err)
		wants := map[int32]int32{0: 0, 1: 1, -1: -1, 5: 1, -5: -1}
		if p.plays(chipPriorities) {
			wants[-1], wants[-5], wants[5] = 0, 0, 2
			assert.EqualValues(t, 2, least)
		} else {
			assert.True(t, p.plays(amdPriorities))
		}
		assert.Equal(t, wants[5], least)
		assert.Equal(t, wants[-5], greatest)
		for priority, want := range wants {
			s, err := hip.StreamCreateWithPriority(0, priority)
			require.NoError(t, err)
			got, err := hip.StreamGetPriority(s)
			require.NoError(t, err)
			assert.Equal(t, want, got)
			require.NoError(t, hip.StreamDestroy(s))
		}
		assert.ErrorIs(t, second(hip.StreamGetFlags(0)), hip.ErrInvalidValue)
		priority, err := hip.StreamGetPriority(0)
		require.NoError(t, err)
		assert.Zero(t, priority)
		assert.NoError(t, hip.StreamQuery(hip.StreamPerThread))
		err = hip.StreamQuery(hip.StreamLegacy)
		if p.vendor == vendorAMD && !p.plays(amdLegacyHandle) {
			assert.ErrorIs(t, err, hip.ErrContextIsDestroyed)
		} else {
			assert.NoError(t, err)
		}
		assert.Empty(t, m.Crashes())
		if p.plays(chipOneLock) { // see TestOneLock
			return
		}

		// A destroy waits for the work.
		s := hipStream(t)
		g := m.Gate(uintptr(s))
		destroyed := make(chan error)
		go func() { destroyed <- hip.StreamDestroy(s) }()
		select {
		case <-destroyed:
			t.Error("did not wait")
		case <-time.After(20 * time.Millisecond):
		}
		g.Open()
		assert.NoError(t, <-destroyed)

		// The null stream waits for the blocking ones.
		b, err := hip.StreamCreate()
		require.NoError(t, err)
		g = m.Gate(uintptr(b))
		assert.Equal(t, hip.ErrNotReady, hip.StreamQuery(0))
		g.Open()
		assert.NoError(t, hip.StreamSynchronize(0))
		assert.NoError(t, hip.DeviceSynchronize())
	})
}

func TestHIPSynchronizeHoldsTheEvent(t *testing.T) {
	m := hipMachine(t, Options{}, "7.2")
	s, e, other := hipStream(t), hipEvent(t, 0), hipEvent(t, 0)
	g := m.Gate(uintptr(s))
	require.NoError(t, hip.EventRecord(e, s))
	require.NoError(t, hip.EventRecord(other, s))
	assert.Equal(t, hip.ErrNotReady, hip.EventQuery(e))
	synced, queried := make(chan error), make(chan error)
	go func() { synced <- hip.EventSynchronize(e) }()
	for m.synchronizing(uintptr(e)) == 0 {
		runtime.Gosched()
	}
	go func() { queried <- hip.EventQuery(e) }()
	for len(m.Blocked()) == 0 {
		runtime.Gosched()
	}
	assert.Equal(t, "hipEventQuery", m.Blocked()[0].Call)
	assert.Equal(t, uintptr(e), m.Blocked()[0].Handle)
	assert.Equal(t, hip.ErrNotReady, hip.EventQuery(other), "only that event")
	select {
	case <-queried:
		t.Error("the query got through")
	case <-time.After(20 * time.Millisecond):
	}
	g.Open()
	assert.NoError(t, <-synced)
	assert.NoError(t, <-queried)
}

func (m *Machine) synchronizing(event uintptr) int32 {
	return m.amd.handles.find(event).event.synchronizing.Load()
}

func TestHIPGraphs(t *testing.T) {
	m := hipMachine(t, Options{}, "6.4")
	s := hipStream(t)
	p, err := hip.HostMalloc(8, 0)
	require.NoError(t, err)
	require.NoError(t, hip.StreamBeginCapture(s, hip.StreamCaptureModeRelaxed))
	require.NoError(t, hip.MemsetAsync(p, 7, 3, s))
	require.NoError(t, hip.MemsetAsync(p, 7, 3, s))
	g, err := hip.StreamEndCapture(s)
	require.NoError(t, err)
	var nodes [3]hip.GraphNode
	n := uintptr(0)
	require.NoError(t, hip.GraphGetNodes(g, nil, &n))
	assert.EqualValues(t, 2, n)
	n = 3
	require.NoError(t, hip.GraphGetNodes(g, &nodes[0], &n))
	assert.EqualValues(t, 2, n)
	assert.NotEqual(t, nodes[0], nodes[1])
	assert.NotZero(t, nodes[1])
	assert.Zero(t, nodes[2])
	x, err := hip.GraphInstantiateWithFlags(g, 0)
	require.NoError(t, err)
	assert.Zero(t, *(*uint64)(p))
	require.NoError(t, hip.GraphLaunch(x, s))
	require.NoError(t, hip.StreamSynchronize(s))
	assert.EqualValues(t, 0x070707, *(*uint64)(p))
	require.NoError(t, hip.GraphExecDestroy(x))
	require.NoError(t, hip.GraphDestroy(g))
	require.NoError(t, hip.HostFree(p))
	assert.Equal(t, Handles{Contexts: 2, Streams: 1}, m.HIPLive())
}

func TestHIPLastError(t *testing.T) {
	eachHIP(t, Options{}, func(t *testing.T, m *Machine, p *profile) {
		s, e := hipStream(t), hipEvent(t, 0)
		g := m.Gate(uintptr(s))
		require.NoError(t, hip.EventRecord(e, s))
		old := p.plays(amdLastErrorAlways)

		assert.Equal(t, hip.ErrNotReady, hip.EventQuery(e))
		if old {
			assert.Equal(t, hip.ErrNotReady, hip.PeekAtLastError(), "a query leaves its mark")
		} else {
			assert.NoError(t, hip.PeekAtLastError())
		}
		assert.ErrorIs(t, second(hip.StreamCreateWithFlags(8)), hip.ErrInvalidValue)
		onThread(func() { assert.NoError(t, hip.GetLastError(), "of the thread") })
		assert.NoError(t, hip.EventRecord(e, s))
		if old {
			assert.NoError(t, hip.GetLastError(), "success wipes it")
		} else {
			assert.ErrorIs(t, hip.PeekAtLastError(), hip.ErrInvalidValue, "the last real error stays")
			assert.ErrorIs(t, hip.GetLastError(), hip.ErrInvalidValue)
			assert.NoError(t, hip.GetLastError(), "reading resets")
		}
		g.Open()
	})
}

func TestHIPHostFunctions(t *testing.T) {
	m := hipMachine(t, Options{}, "7.2")
	s := hipStream(t)
	var order []int
	require.NoError(t, hip.LaunchHostFunc(s, func() {
		order = append(order, 1)
		assert.NoError(t, second(hip.GetDevice()), "the runtime lets it pass")
	}))
	require.NoError(t, hip.StreamAddCallback(s, func(_ hip.Stream, r hip.Result) {
		assert.Equal(t, hip.Success, r)
		order = append(order, 2)
	}, 0))
	require.NoError(t, hip.StreamSynchronize(s))
	assert.Equal(t, []int{1, 2}, order)
	assert.Equal(t,
		[]Crash{{Call: "hipGetDevice", Reason: "called from a host function of a stream"}}, m.Misuse())
}

func TestHIPFailure(t *testing.T) {
	m := hipMachine(t, Options{}, "7.2")
	s, e := hipStream(t), hipEvent(t, 0)
	g := m.Gate(uintptr(s))
	m.FailWork(uintptr(s), 700)
	require.NoError(t, hip.EventRecord(e, s))
	assert.Equal(t, hip.ErrNotReady, hip.EventQuery(e))
	g.Open()
	assert.ErrorIs(t, hip.EventSynchronize(e), hip.ErrIllegalAddress)
	assert.ErrorIs(t, hip.EventQuery(e), hip.ErrIllegalAddress)
	assert.ErrorIs(t, hip.DeviceSynchronize(), hip.ErrIllegalAddress)
	require.NoError(t, hip.SetDevice(1))
	assert.NoError(t, hip.DeviceSynchronize())
}

func TestHIPWaitValue(t *testing.T) {
	m := hipMachine(t, Options{}, "7.2")
	s := hipStream(t)
	p, err := hip.HostMalloc(8, 0)
	require.NoError(t, err)
	require.NoError(t, hip.StreamWaitValue64(s, p, 0x100, hip.StreamWaitValueEq, 0xf00))
	require.NoError(t, hip.StreamWriteValue64(s, p, 3, 0))
	assert.Equal(t, hip.ErrNotReady, hip.StreamQuery(s))
	w, _ := m.amd.word(uintptr(p), 8)
	w.store(0x123)
	require.NoError(t, hip.StreamSynchronize(s))
	assert.EqualValues(t, 3, w.load())
}
