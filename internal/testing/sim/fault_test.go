package sim

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

func TestFaults(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	created := m.CUDACreated().Events

	m.FaultAt("cuEventCreate", 2, 2)
	e := cudaEvent(t, 0)
	assert.ErrorIs(t, second(cudrv.EventCreate(0)), cudrv.ErrOutOfMemory)
	e2 := cudaEvent(t, 0)
	assert.Equal(t, created+2, m.CUDACreated().Events, "the failed call created nothing")
	assert.Equal(t, 3, m.Calls("cuEventCreate"))
	assert.Equal(t, 3, m.AllCalls()["cuEventCreate"])

	m.FaultAlways("cuEventQuery", 12345)
	for range 3 {
		assert.Equal(t, cudrv.Result(12345), bare(cudrv.EventQuery(e)), "any code")
	}
	m.Fault(Fault{Call: "cuEventSynchronize", At: 2, Times: 2, Code: 719})
	assert.NoError(t, cudrv.EventSynchronize(e))
	assert.ErrorIs(t, cudrv.EventSynchronize(e), cudrv.ErrLaunchFailed)
	assert.ErrorIs(t, cudrv.EventSynchronize(e), cudrv.ErrLaunchFailed)
	assert.NoError(t, cudrv.EventSynchronize(e))
	m.ClearFaults()
	assert.NoError(t, cudrv.EventQuery(e))

	// Destroying: a refusal keeps the object, an error of earlier work does not.
	m.FaultAt("cuEventDestroy_v2", 1, 201)
	m.FaultAt("cuEventDestroy_v2", 2, 719)
	assert.ErrorIs(t, cudrv.EventDestroy(e), cudrv.ErrInvalidContext)
	assert.Equal(t, 2, m.CUDALive().Events)
	assert.ErrorIs(t, cudrv.EventDestroy(e), cudrv.ErrLaunchFailed)
	assert.Equal(t, 1, m.CUDALive().Events)
	assert.NoError(t, cudrv.EventDestroy(e2))
	assert.Empty(t, m.Misuse())

	assert.Panics(t, func() { m.FaultAt("cuNoSuchThing", 1, 1) })
}

func TestEveryResultCodeOfEveryFunction(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	e := cudaEvent(t, 0)
	for c := int32(1); c <= 1000; c++ {
		m.FaultAt("cuEventQuery", 1, c)
		assert.Equal(t, cudrv.Result(c), bare(cudrv.EventQuery(e)))
	}
	assert.NoError(t, cudrv.EventQuery(e))
}

func TestStickyFault(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	e, s := cudaEvent(t, 0), cudaStream(t, 1)
	m.FaultSticky("cuEventRecord", 2, 700)
	require.NoError(t, cudrv.EventRecord(e, s))
	assert.ErrorIs(t, cudrv.EventRecord(e, s), cudrv.ErrIllegalAddress)
	assert.ErrorIs(t, cudrv.EventQuery(e), cudrv.ErrIllegalAddress)
	assert.ErrorIs(t, second(cudrv.StreamCreate(0)), cudrv.ErrIllegalAddress)
}

func TestBefore(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	e := cudaEvent(t, 0)
	n := 0
	m.Before("cuEventQuery", func() { n++ })
	m.FaultAt("cuEventQuery", 2, 600)
	assert.NoError(t, cudrv.EventQuery(e))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.EventQuery(e))
	assert.Equal(t, 2, n)
}

// A call that another thread makes while a fault is added does not use the fault up.
func TestFaultAddedDuringCallsIsNotLost(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	e := cudaEvent(t, 0)
	var wg sync.WaitGroup
	defer wg.Wait()
	done := make(chan struct{})
	defer close(done)
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					_ = cudrv.EventQuery(e)
				}
			}
		})
	}
	for range 2000 {
		var hits atomic.Int32
		m.Fault(Fault{Call: "cuEventQuery", Code: 600, Before: func() { hits.Add(1) }})
		_ = cudrv.EventQuery(e)
		for end := time.Now().Add(10 * time.Second); hits.Load() == 0 && time.Now().Before(end); {
			runtime.Gosched() // the call that it is for is under way elsewhere
		}
		require.EqualValues(t, 1, hits.Load())
		m.ClearFaults()
	}
}

func TestLog(t *testing.T) {
	m, _ := cudaMachine(t, Options{Log: true}, newestCUDA)
	defer m.InstallHIP("6.4")()
	m.ClearLog()
	e := cudaEvent(t, 0)
	_ = cudrv.EventQuery(0)
	onThread(func() { _, _ = hip.EventCreate() })
	require.NoError(t, cudrv.EventDestroy(e))
	log := m.Log()
	self := threadID()
	require.Len(t, log, 4)
	assert.Equal(t, Call{"cuEventCreate", 0, 0, self}, log[0])
	assert.Equal(t, Call{"cuEventQuery", 400, 0, self}, log[1])
	assert.Equal(t, "hipEventCreate", log[2].Name)
	assert.NotEqual(t, self, log[2].Thread)
	assert.Equal(t, Call{"cuEventDestroy_v2", 0, 0, self}, log[3])
	m.SetLog(false)
	_ = cudrv.EventQuery(0)
	assert.Len(t, m.Log(), 4)
}

func TestHandles(t *testing.T) {
	_, _ = cudaMachine(t, Options{}, newestCUDA)
	seen := map[cudrv.Event]bool{}
	for range 10_000 {
		e := cudaEvent(t, 0)
		assert.False(t, seen[e])
		assert.Zero(t, e%16)
		seen[e] = true
		require.NoError(t, cudrv.EventDestroy(e))
	}
	_, _ = cudaMachine(t, Options{ReuseHandles: true}, newestCUDA)
	a := cudaEvent(t, 0)
	require.NoError(t, cudrv.EventDestroy(a))
	assert.Equal(t, a, cudaEvent(t, 0), "used again at once")
}

func TestHandleTableMemoryIsBounded(t *testing.T) {
	var table handleTable
	table.mark = 1
	for range 200_000 {
		o := &object{}
		table.add(o)
		assert.Same(t, o, table.find(o.handle))
		assert.True(t, table.remove(o))
		assert.False(t, table.remove(o))
	}
	assert.Less(t, table.next, uintptr(200))
	assert.LessOrEqual(t, len(table.free), 9000)
}

// Many goroutines at once; the race detector looks on.
func TestConcurrentUse(t *testing.T) {
	m := NewMachine(Options{})
	defer m.InstallCUDA("12.4")()
	defer m.InstallHIP("6.4")()
	require.NoError(t, cudrv.Init(0))
	c, err := cudrv.DevicePrimaryCtxRetain(0)
	require.NoError(t, err)
	before := m.HIPLive()
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			for range 20 {
				assert.NoError(t, c.Do(func() error {
					s, err := cudrv.StreamCreate(cudrv.StreamNonBlocking)
					assert.NoError(t, err)
					e, err := cudrv.EventCreate(0)
					assert.NoError(t, err)
					assert.NoError(t, cudrv.EventRecord(e, s))
					assert.NoError(t, cudrv.EventSynchronize(e))
					assert.NoError(t, cudrv.EventDestroy(e))
					return cudrv.StreamDestroy(s)
				}))
				assert.NoError(t, hip.Device(i%2).Do(func() error {
					s, err := hip.StreamCreate()
					assert.NoError(t, err)
					e, err := hip.EventCreate()
					assert.NoError(t, err)
					assert.NoError(t, hip.EventRecord(e, s))
					assert.NoError(t, hip.LaunchHostFunc(s, func() {}))
					assert.NoError(t, hip.EventQuery(e))
					assert.NoError(t, hip.EventDestroy(e))
					return hip.StreamDestroy(s)
				}))
			}
		})
	}
	wg.Wait()
	assert.Equal(t, Handles{Contexts: 1}, m.CUDALive())
	assert.Equal(t, before, m.HIPLive())
	assert.Empty(t, m.Misuse())
}

func TestTenThousandGoroutines(t *testing.T) {
	m := NewMachine(Options{})
	defer m.InstallCUDA(newestCUDA)()
	require.NoError(t, cudrv.Init(0))
	c, err := cudrv.DevicePrimaryCtxRetain(0)
	require.NoError(t, err)
	var s cudrv.Stream
	events := make([]cudrv.Event, 100)
	require.NoError(t, c.Do(func() error {
		s = cudaStream(t, 1)
		for i := range events {
			events[i] = cudaEvent(t, 0)
		}
		return nil
	}))
	g := m.Gate(uintptr(s))
	for _, e := range events {
		require.NoError(t, cudrv.EventRecord(e, s))
	}
	query := func(want error) {
		var wg sync.WaitGroup
		for i := range 10_000 {
			wg.Go(func() { assert.Equal(t, want, cudrv.EventQuery(events[i%len(events)])) })
		}
		wg.Wait()
	}
	query(cudrv.ErrNotReady)
	g.Open()
	query(nil)
	assert.Equal(t, 20_000, m.Calls("cuEventQuery"))
}

func TestInstallsNest(t *testing.T) {
	one, two := NewMachine(Options{Devices: 1}), NewMachine(Options{Devices: 3})
	count := func() int32 {
		n, err := hip.GetDeviceCount()
		assert.NoError(t, err)
		return n
	}
	restoreOne := one.InstallHIP("6.4")
	assert.EqualValues(t, 1, count())
	restoreTwo := two.InstallHIP("7.2")
	assert.EqualValues(t, 3, count())
	restoreTwo()
	restoreTwo()
	assert.EqualValues(t, 1, count())
	restoreOne()
}
