package sim

import (
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/testing/clock"
)

const newestCUDA = "13.5"

// cudaMachine installs a machine for the test, whose goroutine stays on its thread and has the
// primary context of device 0 current.
func cudaMachine(t *testing.T, o Options, profile string) (*Machine, cudrv.Context) {
	t.Helper()
	m := NewMachine(o)
	t.Cleanup(m.InstallCUDA(profile))
	require.NoError(t, cudrv.Init(0))
	c, err := cudrv.DevicePrimaryCtxRetain(0)
	require.NoError(t, err)
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	require.NoError(t, cudrv.CtxSetCurrent(c))
	return m, c
}

func cudaEvent(t *testing.T, flags cudrv.EventFlags) cudrv.Event {
	t.Helper()
	e, err := cudrv.EventCreate(flags)
	require.NoError(t, err)
	require.NotZero(t, e)
	return e
}

func cudaStream(t *testing.T, flags cudrv.StreamFlags) cudrv.Stream {
	t.Helper()
	s, err := cudrv.StreamCreate(flags)
	require.NoError(t, err)
	require.Greater(t, s, cudrv.StreamPerThread)
	return s
}

// onThread runs f on an OS thread of its own, which ends with it.
func onThread(f func()) {
	var wg sync.WaitGroup
	wg.Go(func() {
		runtime.LockOSThread() // never unlocked: the thread ends
		f()
	})
	wg.Wait()
}

func second[A any](_ A, err error) error { return err }

func TestCUDABeforeInit(t *testing.T) {
	m := NewMachine(Options{})
	defer m.InstallCUDA("12.4")()
	v, err := cudrv.DriverGetVersion()
	require.NoError(t, err)
	assert.EqualValues(t, 12040, v)
	assert.ErrorIs(t, second(cudrv.DeviceGetCount()), cudrv.ErrNotInitialized)
	assert.ErrorIs(t, second(cudrv.EventCreate(0)), cudrv.ErrNotInitialized)
	assert.ErrorIs(t, second(cudrv.CtxGetCurrent()), cudrv.ErrNotInitialized)
	assert.ErrorIs(t, cudrv.Init(1), cudrv.ErrInvalidValue)
	require.NoError(t, cudrv.Init(0))
	n, err := cudrv.DeviceGetCount()
	require.NoError(t, err)
	assert.EqualValues(t, 2, n)
}

func TestCUDAWithoutDevice(t *testing.T) {
	m := NewMachine(Options{Devices: -1})
	defer m.InstallCUDA("12.4")()
	assert.ErrorIs(t, cudrv.Init(0), cudrv.ErrNoDevice)
	assert.ErrorIs(t, cudrv.Available(), cudrv.ErrNoDevice)
	assert.ErrorIs(t, second(cudrv.DeviceGetCount()), cudrv.ErrNotInitialized)
}

func TestCUDADevices(t *testing.T) {
	cudaMachine(t, Options{Devices: 3}, newestCUDA)
	seen := map[string]bool{}
	for i := range int32(3) {
		d, err := cudrv.DeviceGet(i)
		require.NoError(t, err)
		name, err := cudrv.DeviceGetName(d)
		require.NoError(t, err)
		pci, err := cudrv.DeviceGetPCIBusId(d)
		require.NoError(t, err)
		uuid, err := cudrv.DeviceGetUuidV2(d)
		require.NoError(t, err)
		memory, err := cudrv.DeviceTotalMem(d)
		require.NoError(t, err)
		assert.EqualValues(t, 16<<30, memory)
		id := *(*[16]byte)(unsafe.Pointer(&uuid))
		for _, unique := range []string{name, pci, string(id[:])} {
			assert.False(t, seen[unique], unique)
			seen[unique] = true
		}
		again, err := cudrv.DeviceGetByPCIBusId(pci)
		require.NoError(t, err)
		assert.Equal(t, d, again)
		major, err := cudrv.DeviceGetAttribute(cudrv.DeviceAttributeComputeCapabilityMajor, d)
		require.NoError(t, err)
		assert.EqualValues(t, 9, major)
	}
	assert.ErrorIs(t, second(cudrv.DeviceGet(3)), cudrv.ErrInvalidDevice)
	assert.ErrorIs(t, second(cudrv.DeviceGetName(-1)), cudrv.ErrInvalidDevice)
	assert.ErrorIs(t, second(cudrv.DeviceGetAttribute(9999, 0)), cudrv.ErrInvalidValue)
}

func TestCUDAErrorTexts(t *testing.T) {
	cudaMachine(t, Options{}, newestCUDA)
	name, err := cudrv.GetErrorName(cudrv.ErrNotReady)
	require.NoError(t, err)
	assert.Equal(t, "CUDA_ERROR_NOT_READY", name)
	text, err := cudrv.GetErrorString(cudrv.ErrNoDevice)
	require.NoError(t, err)
	assert.Equal(t, "no CUDA-capable device is detected", text)
	name, err = cudrv.GetErrorName(123456)
	assert.ErrorIs(t, err, cudrv.ErrInvalidValue)
	assert.Empty(t, name)
}

func TestCUDACurrentContextIsPerThread(t *testing.T) {
	m, c := cudaMachine(t, Options{}, newestCUDA)
	onThread(func() {
		now, err := cudrv.CtxGetCurrent()
		assert.NoError(t, err)
		assert.Zero(t, now)
		assert.ErrorIs(t, second(cudrv.EventCreate(0)), cudrv.ErrInvalidContext)
		assert.ErrorIs(t, cudrv.CtxSynchronize(), cudrv.ErrInvalidContext)
		assert.ErrorIs(t, second(cudrv.CtxGetDevice()), cudrv.ErrInvalidContext)
		d1, err := cudrv.DevicePrimaryCtxRetain(1)
		assert.NoError(t, err)
		assert.NoError(t, cudrv.CtxSetCurrent(d1))
		assert.EqualValues(t, d1, m.CUDACurrent())
		device, err := cudrv.CtxGetDevice()
		assert.NoError(t, err)
		assert.EqualValues(t, 1, device)
	})
	assert.EqualValues(t, c, m.CUDACurrent())
	assert.Equal(t, []uintptr{uintptr(c)}, m.CUDAThreads()[threadID()])
}

func TestCUDAContextStack(t *testing.T) {
	m, c := cudaMachine(t, Options{}, newestCUDA)
	a, err := cudrv.CtxCreate(0, 0)
	require.NoError(t, err)
	b, err := cudrv.CtxCreateV4(nil, 0, 1)
	require.NoError(t, err)
	assert.EqualValues(t, b, m.CUDACurrent(), "a new context is current")
	assert.Equal(t, 3, m.CUDALive().Contexts)
	popped, err := cudrv.CtxPopCurrent()
	require.NoError(t, err)
	assert.Equal(t, b, popped)
	require.NoError(t, cudrv.CtxPushCurrent(b))
	require.NoError(t, cudrv.CtxSetCurrent(c))
	e := cudaEvent(t, 0)
	assert.EqualValues(t, c, m.ContextOf(uintptr(e)))
	require.NoError(t, cudrv.CtxSetCurrent(0), "null pops")
	assert.EqualValues(t, a, m.CUDACurrent())
	inA := cudaEvent(t, 0)
	require.NoError(t, cudrv.CtxDestroy(a))
	assert.EqualValues(t, c, m.CUDACurrent(), "destroying the current context pops it")
	assert.ErrorIs(t, cudrv.EventQuery(inA), cudrv.ErrInvalidHandle, "its events are gone with it")
	require.NoError(t, cudrv.CtxDestroy(b))
	assert.ErrorIs(t, cudrv.CtxDestroy(b), cudrv.ErrInvalidContext)
	assert.ErrorIs(t, cudrv.CtxSetCurrent(b), cudrv.ErrInvalidContext)
	assert.ErrorIs(t, cudrv.CtxDestroy(c), cudrv.ErrInvalidContext,
		"a primary context is released, not destroyed")
	require.NoError(t, cudrv.EventDestroy(e))
	assert.Equal(t, Handles{Contexts: 1}, m.CUDALive())
	device, err := cudrv.CtxGetDeviceV2(c)
	require.NoError(t, err)
	assert.Zero(t, device)
}

func TestCUDAPrimaryContextIsCounted(t *testing.T) {
	m, c := cudaMachine(t, Options{}, newestCUDA)
	again, err := cudrv.DevicePrimaryCtxRetain(0)
	require.NoError(t, err)
	assert.Equal(t, c, again)
	require.NoError(t, cudrv.DevicePrimaryCtxRelease(0))
	_, active, err := cudrv.DevicePrimaryCtxGetState(0)
	require.NoError(t, err)
	assert.EqualValues(t, 1, active)
	e := cudaEvent(t, 0)
	require.NoError(t, cudrv.DevicePrimaryCtxRelease(0))
	assert.ErrorIs(t, cudrv.DevicePrimaryCtxRelease(0), cudrv.ErrInvalidContext)
	assert.Equal(t, Handles{}, m.CUDALive())
	assert.ErrorIs(t, cudrv.EventQuery(e), cudrv.ErrInvalidHandle)
	assert.ErrorIs(t, second(cudrv.EventCreate(0)), cudrv.ErrContextIsDestroyed,
		"the thread still has it current")
}

func TestCUDAStrictContext(t *testing.T) {
	for _, strict := range []bool{false, true} {
		_, c := cudaMachine(t, Options{StrictContext: strict}, newestCUDA)
		e, s := cudaEvent(t, 0), cudaStream(t, 0)
		require.NoError(t, cudrv.CtxSetCurrent(0))
		var want error
		if strict {
			want = cudrv.ErrInvalidContext
		}
		assert.Equal(t, want, bare(cudrv.EventRecord(e, s)))
		assert.Equal(t, want, bare(cudrv.EventQuery(e)))
		assert.Equal(t, want, bare(cudrv.EventSynchronize(e)))
		assert.Equal(t, want, bare(second(cudrv.EventElapsedTimeV2(e, e))))
		assert.Equal(t, want, bare(cudrv.StreamQuery(s)))
		assert.Equal(t, want, bare(cudrv.StreamWaitEvent(s, e, 0)))
		assert.Equal(t, want, bare(second(cudrv.StreamIsCapturing(s))))
		assert.ErrorIs(t, cudrv.EventRecord(e, 0), cudrv.ErrInvalidContext,
			"the default stream is the current context's")
		assert.Equal(t, want, bare(cudrv.EventDestroy(e)))
		assert.Equal(t, want, bare(cudrv.StreamDestroy(s)))
		require.NoError(t, cudrv.CtxSetCurrent(c))
	}
}

func TestCUDAEvents(t *testing.T) {
	clock := clock.NewManual()
	m, _ := cudaMachine(t, Options{Clock: clock}, newestCUDA)
	s := cudaStream(t, cudrv.StreamNonBlocking)
	a, b, untimed := cudaEvent(t, 0), cudaEvent(t, cudrv.EventBlockingSync),
		cudaEvent(t, cudrv.EventDisableTiming)

	assert.NoError(t, cudrv.EventQuery(a), "unrecorded is done")
	assert.NoError(t, cudrv.EventSynchronize(a))
	assert.ErrorIs(t, second(cudrv.EventElapsedTime(a, b)), cudrv.ErrInvalidHandle)
	require.NoError(t, cudrv.EventRecord(a, s))
	assert.NoError(t, cudrv.EventQuery(a))
	assert.ErrorIs(t, second(cudrv.EventElapsedTime(a, b)), cudrv.ErrInvalidHandle, "one unrecorded")
	g := m.Gate(uintptr(s))
	require.NoError(t, cudrv.EventRecord(b, s))
	require.NoError(t, cudrv.EventRecord(untimed, s))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.EventQuery(b))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.StreamQuery(s))
	assert.Equal(t, cudrv.ErrNotReady, second(cudrv.EventElapsedTime(a, b)))
	clock.Advance(1500*time.Microsecond + 740*time.Nanosecond)
	g.Open()
	assert.NoError(t, cudrv.EventQuery(b))
	ms, err := cudrv.EventElapsedTime(a, b)
	require.NoError(t, err)
	assert.Equal(t, float32(1.5005), ms, "half microseconds")
	ms, err = cudrv.EventElapsedTimeV2(b, a)
	require.NoError(t, err)
	assert.Equal(t, float32(-1.5005), ms)
	assert.ErrorIs(t, second(cudrv.EventElapsedTime(a, untimed)), cudrv.ErrInvalidHandle)
	m.SetSkew(-2 * time.Microsecond)
	ms, err = cudrv.EventElapsedTime(a, a)
	require.NoError(t, err)
	assert.Equal(t, float32(-0.002), ms)

	for _, e := range []cudrv.Event{a, b, untimed} {
		require.NoError(t, cudrv.EventDestroy(e))
	}
	assert.Empty(t, m.Misuse())
	assert.ErrorIs(t, cudrv.EventDestroy(a), cudrv.ErrInvalidHandle)
	assert.ErrorIs(t, cudrv.EventQuery(a), cudrv.ErrInvalidHandle)
	assert.ErrorIs(t, cudrv.EventRecord(0, s), cudrv.ErrInvalidHandle)
	assert.ErrorIs(t, second(cudrv.EventElapsedTime(0, 0)), cudrv.ErrInvalidHandle)
	assert.ErrorIs(t, cudrv.EventQuery(0xdeadbee0), cudrv.ErrInvalidHandle)
	assert.Len(t, m.Misuse(), 5)
	assert.Empty(t, m.Crashes())
	require.NoError(t, cudrv.StreamDestroy(s))
	assert.Equal(t, Handles{Contexts: 1}, m.CUDALive())
	assert.Equal(t, Handles{Contexts: 1, Streams: 1, Events: 3}, m.CUDACreated())
}

func TestCUDAEventFlags(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	for flags, want := range map[cudrv.EventFlags]error{
		0: nil, 1: nil, 2: nil, 3: nil, 6: nil, 7: nil,
		4: cudrv.ErrInvalidValue, 5: cudrv.ErrInvalidValue, 8: cudrv.ErrInvalidValue,
	} {
		e, err := cudrv.EventCreate(flags)
		assert.Equal(t, want, bare(err), flags)
		if err == nil {
			assert.EqualValues(t, flags, m.EventFlags(uintptr(e)))
			assert.NoError(t, cudrv.EventDestroy(e))
		}
	}
}

func TestCUDAWrongContext(t *testing.T) {
	_, c0 := cudaMachine(t, Options{}, newestCUDA)
	e0, s0 := cudaEvent(t, 0), cudaStream(t, 0)
	c1, err := cudrv.DevicePrimaryCtxRetain(1)
	require.NoError(t, err)
	require.NoError(t, cudrv.CtxSetCurrent(c1))
	e1, s1 := cudaEvent(t, 0), cudaStream(t, 0)
	assert.ErrorIs(t, cudrv.EventRecord(e0, s1), cudrv.ErrInvalidHandle)
	assert.ErrorIs(t, cudrv.EventRecord(e0, cudrv.StreamLegacy), cudrv.ErrInvalidHandle)
	assert.NoError(t, cudrv.EventRecord(e0, s0), "whatever is current")
	assert.NoError(t, cudrv.EventRecord(e1, s1))
	assert.ErrorIs(t, second(cudrv.EventElapsedTime(e0, e1)), cudrv.ErrInvalidHandle)
	assert.NoError(t, cudrv.StreamWaitEvent(s0, e1, 0), "waits cross devices")
	require.NoError(t, cudrv.CtxSetCurrent(c0))
}

func TestCUDAWaitsKeepTheirPoint(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s1, s2, idle := cudaStream(t, 1), cudaStream(t, 1), cudaStream(t, 1)
	e := cudaEvent(t, 0)
	g := m.Gate(uintptr(s1))
	require.NoError(t, cudrv.EventRecord(e, s1))
	require.NoError(t, cudrv.StreamWaitEvent(s2, e, 0))
	require.NoError(t, cudrv.EventRecord(e, idle))
	assert.NoError(t, cudrv.EventQuery(e))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.StreamQuery(s2))
	g.Open()
	assert.NoError(t, cudrv.StreamQuery(s2))
	assert.ErrorIs(t, cudrv.StreamWaitEvent(s1, 0, 0), cudrv.ErrInvalidHandle)
	assert.ErrorIs(t, cudrv.StreamWaitEvent(s1, e, 2), cudrv.ErrInvalidValue)
	assert.ErrorIs(t, cudrv.StreamWaitEvent(s1, e, cudrv.EventWaitExternal), cudrv.ErrInvalidValue,
		"external outside a capture")
	assert.ErrorIs(t, cudrv.EventRecordWithFlags(e, s1, cudrv.EventRecordExternal),
		cudrv.ErrInvalidValue)
}

func TestCUDAStreams(t *testing.T) {
	m, c := cudaMachine(t, Options{}, newestCUDA)
	least, greatest, err := cudrv.CtxGetStreamPriorityRange()
	require.NoError(t, err)
	assert.EqualValues(t, 0, least)
	assert.EqualValues(t, -5, greatest)
	ids := map[uint64]bool{}
	for priority, want := range map[int32]int32{0: 0, -3: -3, -5: -5, -9: -5, 7: 0} {
		s, err := cudrv.StreamCreateWithPriority(cudrv.StreamNonBlocking, priority)
		require.NoError(t, err)
		got, err := cudrv.StreamGetPriority(s)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		flags, err := cudrv.StreamGetFlags(s)
		require.NoError(t, err)
		assert.EqualValues(t, cudrv.StreamNonBlocking, flags)
		ctx, err := cudrv.StreamGetCtx(s)
		require.NoError(t, err)
		assert.Equal(t, c, ctx)
		device, err := cudrv.StreamGetDevice(s)
		require.NoError(t, err)
		assert.Zero(t, device)
		id, err := cudrv.StreamGetId(s)
		require.NoError(t, err)
		assert.False(t, ids[id])
		ids[id] = true
		g := m.Gate(uintptr(s))
		require.NoError(t, cudrv.StreamDestroy(s), "pending work does not hold it")
		g.Open()
		assert.ErrorIs(t, cudrv.StreamQuery(s), cudrv.ErrInvalidHandle)
	}
	assert.ErrorIs(t, second(cudrv.StreamCreate(2)), cudrv.ErrInvalidValue)
	for _, s := range []cudrv.Stream{0, 1, 2} {
		assert.ErrorIs(t, cudrv.StreamDestroy(s), cudrv.ErrInvalidHandle)
		assert.NoError(t, cudrv.StreamSynchronize(s))
	}
}

func TestCUDADefaultStreams(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	blocking, nonBlocking := cudaStream(t, 0), cudaStream(t, 1)
	e := cudaEvent(t, 0)
	g := m.Gate(uintptr(nonBlocking))
	assert.NoError(t, cudrv.StreamQuery(cudrv.StreamLegacy))
	g2 := m.Gate(uintptr(blocking))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.StreamQuery(0))
	require.NoError(t, cudrv.EventRecord(e, 0))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.EventQuery(e))
	g2.Open()
	assert.NoError(t, cudrv.EventQuery(e))
	g.Open()
	g3 := m.CUDADefaultGate(0)
	require.NoError(t, cudrv.EventRecord(e, blocking))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.EventQuery(e))
	g3.Open()
	assert.NoError(t, cudrv.EventQuery(e))
	require.NoError(t, cudrv.EventRecord(e, cudrv.StreamPerThread))
	assert.NoError(t, cudrv.EventSynchronize(e))
}

func TestCUDAHostFunctions(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, 1)
	var order []string
	var inside error
	g := m.Gate(uintptr(s))
	require.NoError(t, cudrv.LaunchHostFunc(s, func() {
		order = append(order, "function")
		inside = cudrv.StreamQuery(s)
	}))
	require.NoError(t, cudrv.StreamAddCallback(s, func(got cudrv.Stream, status cudrv.Result) {
		assert.Equal(t, s, got)
		assert.Equal(t, cudrv.Success, status)
		order = append(order, "callback")
	}, 0))
	require.NoError(t, cudrv.LaunchHostFunc(s, func() { order = append(order, "last") }))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.StreamQuery(s))
	g.Open()
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, []string{"function", "callback", "last"}, order)
	assert.ErrorIs(t, bare(inside), cudrv.ErrNotPermitted)
	assert.Equal(t,
		[]Crash{{Call: "cuStreamQuery", Reason: "called from a host function of a stream"}}, m.Misuse())
}

func TestCUDAStickyFailure(t *testing.T) {
	m, c := cudaMachine(t, Options{}, newestCUDA)
	s, e, done := cudaStream(t, 1), cudaEvent(t, 0), cudaEvent(t, 0)
	require.NoError(t, cudrv.EventRecord(done, s))
	var called []cudrv.Result
	status := make(chan cudrv.Result, 1)
	g := m.Gate(uintptr(s))
	require.NoError(t, cudrv.LaunchHostFunc(s, func() { called = append(called, 0) }))
	require.NoError(t,
		cudrv.StreamAddCallback(s, func(_ cudrv.Stream, r cudrv.Result) { status <- r }, 0))
	require.NoError(t, cudrv.EventRecord(e, s))
	waiter := make(chan error)
	go func() { waiter <- cudrv.EventSynchronize(e) }()
	for m.Calls("cuEventSynchronize") == 0 {
		runtime.Gosched()
	}
	g.Fail(700)
	want := cudrv.ErrIllegalAddress
	assert.Equal(t, want, bare(<-waiter))
	assert.Equal(t, want, <-status, "a callback is told")
	assert.Equal(t, want, bare(cudrv.EventQuery(e)))
	assert.Equal(t, want, bare(cudrv.EventQuery(done)), "everything in the context fails")
	assert.Equal(t, want, bare(cudrv.StreamSynchronize(s)))
	assert.Equal(t, want, bare(cudrv.EventRecord(e, s)))
	assert.Equal(t, want, bare(second(cudrv.EventCreate(0))))
	assert.Equal(t, want, bare(cudrv.CtxSynchronize()))
	assert.Equal(t, want, bare(second(cudrv.EventElapsedTime(done, done))))
	assert.NoError(t, second(cudrv.EventElapsedTimeV2(done, done)), "v2 may miss it")
	assert.Equal(t, want, bare(cudrv.EventDestroy(e)))
	assert.Equal(t, want, bare(cudrv.EventDestroy(done)))
	assert.Equal(t, want, bare(cudrv.StreamDestroy(s)))
	assert.Equal(t, Handles{Contexts: 1}, m.CUDALive(), "destroyed all the same")
	assert.Empty(t, called, "a host function is not called")

	now, err := cudrv.CtxGetCurrent()
	require.NoError(t, err)
	assert.Equal(t, c, now)
	c1, err := cudrv.DevicePrimaryCtxRetain(1)
	require.NoError(t, err)
	require.NoError(t, cudrv.CtxSetCurrent(c1))
	assert.NoError(t, cudrv.EventRecord(cudaEvent(t, 0), 0), "other devices work")
	m.FailCUDA(1, 719)
	assert.ErrorIs(t, cudrv.CtxSynchronize(), cudrv.ErrLaunchFailed)
	require.NoError(t, cudrv.DevicePrimaryCtxReset(0))
	again, err := cudrv.DevicePrimaryCtxRetain(0)
	require.NoError(t, err)
	require.NoError(t, cudrv.CtxSetCurrent(again))
	assert.NoError(t, cudrv.CtxSynchronize(), "a reset mends")
}

func TestCUDAMemoryOperations(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, 1)
	p, err := cudrv.MemHostAlloc(16, 0)
	require.NoError(t, err)
	words := unsafe.Slice((*uint64)(p), 2)
	at := cudrv.Deviceptr(uintptr(p))
	require.NoError(t, cudrv.StreamWaitValue64V2(s, at, 5, cudrv.StreamWaitValueGeq))
	require.NoError(t, cudrv.StreamWriteValue64V2(s, at+8, 9, 0))
	require.NoError(t, cudrv.MemsetD8Async(at, 0xab, 3, s))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.StreamQuery(s))
	w, ok := m.cuda.word(uintptr(p), 8)
	require.True(t, ok)
	w.store(6)
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.EqualValues(t, 9, words[1])
	assert.EqualValues(t, 0xababab, words[0])
	assert.ErrorIs(t, cudrv.StreamWaitValue64V2(s, 8, 5, 0), cudrv.ErrInvalidValue)
	assert.Equal(t, 1, m.CUDALive().Memory)
	require.NoError(t, cudrv.MemFreeHost(p))
	assert.ErrorIs(t, cudrv.MemFreeHost(p), cudrv.ErrInvalidValue)
	assert.Equal(t, 0, m.CUDALive().Memory)

	require.NoError(t,
		cudrv.StreamWaitValue64V2(s, cudrv.Deviceptr(alloc(t)), 5, cudrv.StreamWaitValueEq))
	m.FailCUDA(0, 700)
	assert.ErrorIs(t, cudrv.StreamSynchronize(s), cudrv.ErrIllegalAddress,
		"the wait ends with the context")
}

func alloc(t *testing.T) cudrv.Deviceptr {
	p, err := cudrv.MemAlloc(8)
	require.NoError(t, err)
	return p
}

func TestWordConditions(t *testing.T) {
	var v uint64
	w := word{8, unsafe.Pointer(&v)}
	half := word{4, unsafe.Pointer(&v)}
	w.store(12)
	assert.True(t, w.reached(12, everyBit, 0))
	assert.False(t, w.reached(13, everyBit, 0))
	assert.True(t, w.reached(12, everyBit, 1))
	assert.True(t, w.reached(4, everyBit, 2))
	assert.False(t, w.reached(3, everyBit, 2))
	assert.True(t, w.reached(3, everyBit, 3))
	assert.False(t, w.reached(^uint64(0), everyBit, 3))
	assert.False(t, w.reached(12, 0, 1), "masked")
	half.store(2)
	assert.True(t, half.reached(0xffffffff, 0xffffffff, 0), "counters wrap around")
}

func TestCUDAGone(t *testing.T) {
	m, c := cudaMachine(t, Options{}, newestCUDA)
	e := cudaEvent(t, 0)
	m.Shutdown()
	assert.ErrorIs(t, cudrv.EventQuery(e), cudrv.ErrDeinitialized)
	assert.ErrorIs(t, cudrv.CtxSetCurrent(c), cudrv.ErrDeinitialized)
	fn := m.cuda.api.functions()["cuEventQuery"]
	other := NewMachine(Options{})
	restore := other.InstallCUDA(newestCUDA)
	require.NoError(t, cudrv.Init(0))
	assert.ErrorIs(t, cudrv.EventQuery(e), cudrv.ErrInvalidHandle, "another machine's handle")
	restore()
	saved := fn.api.current.Swap(nil)
	e0 := fn.enter(&frame{})
	assert.EqualValues(t, deinitialized, e0.leave())
	fn.api.current.Store(saved)
}
