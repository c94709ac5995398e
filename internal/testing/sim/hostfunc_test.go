package sim

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

// Each API has a thread of its own.
func TestOneHostThreadPerAPI(t *testing.T) {
	m, _ := cudaMachine(t, Options{OneHostThread: true}, newestCUDA)
	defer m.InstallHIP("7.2")()
	inside, leave := make(chan uint64), make(chan bool)
	require.NoError(t,
		cudrv.LaunchHostFunc(cudaStream(t, 1), func() { inside <- threadID(); <-leave }))
	first := <-inside
	ran := make(chan uint64, 1)
	require.NoError(t, hip.LaunchHostFunc(hipStream(t), func() { ran <- threadID() }))
	assert.NotEqual(t, first, <-ran, "one API's functions don't hold up those of the other")
	later := make(chan uint64, 2)
	s := cudaStream(t, 1)
	require.NoError(t,
		cudrv.StreamAddCallback(s, func(cudrv.Stream, cudrv.Result) { later <- threadID() }, 0))
	require.NoError(t, cudrv.LaunchHostFunc(s, func() { later <- threadID() }))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.StreamQuery(s))
	close(leave)
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, []uint64{first, first}, []uint64{<-later, <-later})
}

func TestHostFunctionBlocksTheCallerOnACPU(t *testing.T) {
	m := hipMachine(t, Options{}, "cpu")
	s, e := hipStream(t), hipEvent(t, 0)
	me, ran := threadID(), uint64(0)
	require.NoError(t, hip.LaunchHostFunc(s, func() { ran = threadID() }))
	assert.Equal(t, me, ran, "on the caller's thread, before the call returns")
	require.NoError(t, hip.StreamAddCallback(s, func(_ hip.Stream, r hip.Result) {
		assert.Equal(t, hip.Success, r)
		ran = 0
	}, 0))
	assert.Zero(t, ran)

	// The function runs when the stream has come to it, and all other calls wait meanwhile.
	g := m.Gate(uintptr(s))
	require.NoError(t, hip.EventRecord(e, s))
	launched, queried := make(chan error, 1), make(chan error, 1)
	go func() { launched <- hip.LaunchHostFunc(s, func() {}) }()
	for free := true; free; runtime.Gosched() {
		if free = m.amd.oneLock.TryLock(); free {
			m.amd.oneLock.Unlock()
		}
	}
	go func() { queried <- hip.EventQuery(e) }()
	g.Open()
	assert.NoError(t, <-launched)
	assert.NoError(t, <-queried, "not before the launch has returned")

	// In a capture it runs at once, as all work does.
	ran = 0
	require.NoError(t, hip.StreamBeginCapture(s, hip.StreamCaptureModeRelaxed))
	require.NoError(t, hip.LaunchHostFunc(s, func() { ran++ }))
	assert.EqualValues(t, 1, ran)
	require.NoError(t, second(hip.StreamEndCapture(s)))

	var inside error
	require.NoError(t, hip.LaunchHostFunc(s, func() { inside = hip.StreamQuery(s) }))
	assert.Error(t, inside)
	assert.Equal(t,
		[]Crash{{Call: "hipStreamQuery", Reason: "called from a host function of a stream"}},
		m.Crashes(), "it would wait for ever")
}

func TestOnCrash(t *testing.T) {
	var told []Crash
	m := hipMachine(t, Options{OnCrash: func(c Crash) { told = append(told, c) }}, "7.2")
	s, e := hipStream(t), hipEvent(t, 0)
	require.NoError(t, hip.EventRecord(e, s))
	require.NoError(t, hip.StreamDestroy(s))
	assert.ErrorIs(t, hip.EventDestroy(0x1230), hip.ErrContextIsDestroyed)
	assert.Empty(t, told, "which the runtime checks")
	_ = hip.EventSynchronize(e)
	want := Crash{"hipEventSynchronize", uintptr(e),
		"reads the event's last stream, which is destroyed"}
	assert.Equal(t, []Crash{want}, told)
	assert.Equal(t, told, m.Crashes())
}

// Elapsed wants the lock that another thread's synchronize holds.
func TestElapsedTakesTheEventsLock(t *testing.T) {
	m := hipMachine(t, Options{}, "6.4")
	s := hipStream(t)
	a, b := hipRecorded(t, s), hipEvent(t, 0)
	g := m.Gate(uintptr(s))
	require.NoError(t, hip.EventRecord(b, s))
	synced, measured := make(chan error, 1), make(chan error, 1)
	go func() { synced <- hip.EventSynchronize(b) }()
	for m.synchronizing(uintptr(b)) == 0 {
		runtime.Gosched()
	}
	go func() { measured <- second(hip.EventElapsedTime(a, b)) }()
	for len(m.Blocked()) == 0 {
		runtime.Gosched()
	}
	assert.Equal(t, "hipEventElapsedTime", m.Blocked()[0].Call)
	g.Open()
	assert.NoError(t, <-synced)
	assert.NoError(t, <-measured)
}
