package sim

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/testing/clock"
)

// forked captures A on one stream, B on another, and C behind both, as work of the machine, and
// instantiates the graph.
func forked(t *testing.T, m *Machine, do func(name string)) cudrv.GraphExec {
	t.Helper()
	s, side := cudaStream(t, 1), cudaStream(t, 1)
	fork, join := cudaEvent(t, 0), cudaEvent(t, 0)
	work := func(s cudrv.Stream, name string) { m.Work(uintptr(s), func() { do(name) }) }
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	require.NoError(t, cudrv.EventRecord(fork, s))
	require.NoError(t, cudrv.StreamWaitEvent(side, fork, 0))
	work(s, "A")
	work(side, "B")
	require.NoError(t, cudrv.EventRecord(join, side))
	require.NoError(t, cudrv.StreamWaitEvent(s, join, 0))
	require.NoError(t, cudrv.StreamWaitEvent(s, join, 0), "twice is once")
	work(s, "C")
	return endedGraph(t, s)
}

func endedGraph(t *testing.T, s cudrv.Stream) cudrv.GraphExec {
	t.Helper()
	g, err := cudrv.StreamEndCapture(s)
	require.NoError(t, err)
	x, err := cudrv.GraphInstantiateWithFlags(g, 0)
	require.NoError(t, err)
	require.NoError(t, cudrv.GraphDestroy(g))
	return x
}

func TestGraphRunsAtEachLaunchInItsOrder(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	var mu sync.Mutex
	var got []string
	say := func(name string) { mu.Lock(); defer mu.Unlock(); got = append(got, name) }
	x := forked(t, m, say)
	assert.Empty(t, got, "a capture runs nothing")
	s := cudaStream(t, 1)
	for range 20 {
		require.NoError(t, cudrv.GraphLaunch(x, s))
		m.Work(uintptr(s), func() { say("after") })
		require.NoError(t, cudrv.StreamSynchronize(s))
		assert.ElementsMatch(t, []string{"A", "B"}, got[:2])
		assert.Equal(t, []string{"C", "after"}, got[2:])
		got = nil
	}
}

func TestGraphBranchesRunBesideEachOther(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	meet := make(chan bool)
	x := forked(t, m, func(name string) {
		switch name {
		case "A":
			<-meet
		case "B":
			meet <- true
		}
	})
	s := cudaStream(t, 0)
	g := m.Gate(uintptr(s))
	require.NoError(t, cudrv.GraphLaunch(x, s))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.StreamQuery(s), "a launch waits for its stream")
	g.Open()
	require.NoError(t, cudrv.StreamSynchronize(s))

	legacy := m.CUDADefaultGate(0)
	require.NoError(t, cudrv.GraphLaunch(x, s))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.StreamQuery(s), "and for the legacy one")
	legacy.Open()
	require.NoError(t, cudrv.StreamSynchronize(s))
}

func TestGraphFailureFailsTheStream(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s, broken := cudaStream(t, 1), cudaStream(t, 1)
	require.NoError(t, cudrv.StreamBeginCapture(broken, cudrv.StreamCaptureModeRelaxed))
	m.FailWork(uintptr(broken), 719)
	x := endedGraph(t, broken)
	assert.NoError(t, cudrv.StreamSynchronize(s))
	require.NoError(t, cudrv.GraphLaunch(x, s))
	assert.ErrorIs(t, cudrv.StreamSynchronize(s), cudrv.ErrLaunchFailed)
	assert.ErrorIs(t, cudrv.GraphLaunch(x, s), cudrv.ErrLaunchFailed)
}

func TestGraphNodesOfEvents(t *testing.T) {
	manual := clock.NewManual()
	m, _ := cudaMachine(t, Options{Clock: manual}, newestCUDA)
	s, other := cudaStream(t, 1), cudaStream(t, 1)
	start, end, foreign := cudaEvent(t, 0), cudaEvent(t, 0), cudaEvent(t, 0)
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	gate := m.Gate(uintptr(s))
	require.NoError(t, cudrv.EventRecordWithFlags(start, s, cudrv.EventRecordExternal))
	m.Delay(uintptr(s), time.Second)
	require.NoError(t, cudrv.StreamWaitEvent(s, foreign, cudrv.EventWaitExternal))
	require.NoError(t, cudrv.EventRecordWithFlags(end, s, cudrv.EventRecordExternal))
	x := endedGraph(t, s)

	hold := m.Gate(uintptr(other))
	require.NoError(t, cudrv.EventRecord(foreign, other))
	require.NoError(t, cudrv.GraphLaunch(x, s))
	assert.Equal(t, cudrv.ErrNotReady, cudrv.EventQuery(start))
	gate.Open()
	assert.NoError(t, cudrv.EventQuery(start))
	manual.Advance(3 * time.Second)
	assert.Equal(t, cudrv.ErrNotReady, cudrv.EventQuery(end),
		"waits for the record seen at the launch")
	hold.Open()
	ms, err := cudrv.EventElapsedTime(start, end)
	require.NoError(t, err)
	assert.Equal(t, float32(3000), ms)
	require.NoError(t, cudrv.GraphLaunch(x, s))
	manual.Advance(time.Minute)
	ms, err = cudrv.EventElapsedTime(start, end)
	require.NoError(t, err)
	assert.Equal(t, float32(1000), ms, "the last launch counts")

	require.NoError(t, cudrv.EventDestroy(end))
	assert.ErrorIs(t, cudrv.GraphLaunch(x, s), cudrv.ErrInvalidHandle,
		"the graph does not keep its events")
	assert.Len(t, m.Misuse(), 1)
}

func TestLaunchIntoACapture(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	runs := 0
	inner := forked(t, m, func(name string) {
		if name == "C" {
			runs++
		}
	})
	s := cudaStream(t, 1)
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	m.Work(uintptr(s), func() {})
	require.NoError(t, cudrv.GraphLaunch(inner, s))
	m.Work(uintptr(s), func() {})
	g, err := cudrv.StreamEndCapture(s)
	require.NoError(t, err)
	var after [][]int
	for _, n := range m.cuda.handles.find(uintptr(g)).graph.nodes {
		var ids []int
		for _, d := range n.after {
			ids = append(ids, d.id)
		}
		after = append(after, ids)
	}
	assert.Equal(t, [][]int{nil, {0}, {0}, {1, 2}, {3}}, after)
	x, err := cudrv.GraphInstantiateWithFlags(g, 0)
	require.NoError(t, err)
	require.NoError(t, cudrv.GraphLaunch(x, s))
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, 1, runs)
}

func TestCaptureAcrossContexts(t *testing.T) {
	_, c0 := cudaMachine(t, Options{}, newestCUDA)
	s0, fork := cudaStream(t, 1), cudaEvent(t, 0)
	c1, err := cudrv.DevicePrimaryCtxRetain(1)
	require.NoError(t, err)
	require.NoError(t, cudrv.CtxSetCurrent(c1))
	s1, join, stamp := cudaStream(t, 1), cudaEvent(t, 0), cudaEvent(t, 0)
	require.NoError(t, cudrv.CtxSetCurrent(c0))
	require.NoError(t, cudrv.StreamBeginCapture(s0, cudrv.StreamCaptureModeRelaxed))
	require.NoError(t, cudrv.EventRecord(fork, s0))
	require.NoError(t, cudrv.StreamWaitEvent(s1, fork, 0))
	require.NoError(t, cudrv.EventRecordWithFlags(stamp, s1, cudrv.EventRecordExternal))
	require.NoError(t, cudrv.EventRecord(join, s1))
	require.NoError(t, cudrv.StreamWaitEvent(s0, join, 0))
	x := endedGraph(t, s0)
	require.NoError(t, cudrv.GraphLaunch(x, s0))
	require.NoError(t, cudrv.StreamSynchronize(s0))
	assert.NoError(t, second(cudrv.EventElapsedTime(stamp, stamp)))
}

// What a capture refuses, and what becomes of it.
// An instantiation with parameters is like one with flags, and says how it went.
func TestGraphInstantiateWithParams(t *testing.T) {
	cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, 1)
	runs := 0
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	require.NoError(t, cudrv.LaunchHostFunc(s, func() { runs++ }))
	graph, err := cudrv.StreamEndCapture(s)
	require.NoError(t, err)
	p := cudrv.GraphInstantiateParams{ResultOut: cudrv.GraphInstantiateError}
	exec, err := cudrv.GraphInstantiateWithParams(graph, &p)
	require.NoError(t, err)
	assert.Equal(t, cudrv.GraphInstantiateSuccess, p.ResultOut)
	require.NoError(t, cudrv.GraphUpload(exec, s))
	require.NoError(t, cudrv.GraphLaunch(exec, s))
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, 1, runs)
	require.NoError(t, cudrv.GraphExecDestroy(exec))
	assert.ErrorIs(t, cudrv.GraphUpload(exec, s), cudrv.ErrInvalidHandle)
	require.NoError(t, cudrv.GraphDestroy(graph))
	assert.ErrorIs(t, second(cudrv.GraphInstantiateWithParams(graph, &p)), cudrv.ErrInvalidHandle)
	assert.Equal(t, cudrv.GraphInstantiateError, p.ResultOut)
	assert.ErrorIs(t, second(cudrv.GraphInstantiateWithParams(graph, nil)), cudrv.ErrInvalidValue)
}

func TestCaptureRefusals(t *testing.T) {
	type scene struct {
		m       *Machine
		s, free cudrv.Stream // s is being captured
		e       cudrv.Event  // recorded in the capture
	}
	spoil := func(x scene) {
		x.m.cuda.spoil(x.m.cuda.handles.find(uintptr(x.s)).stream.capture.Load())
	}
	work := func(x scene, s cudrv.Stream) error { return cudrv.LaunchHostFunc(s, func() {}) }
	tests := map[string]struct {
		call      func(t *testing.T, x scene) error
		want, end error
	}{
		"begin again": {func(_ *testing.T, x scene) error {
			return cudrv.StreamBeginCapture(x.s, 0)
		}, cudrv.ErrIllegalState, nil},
		"end where it did not begin": {func(t *testing.T, x scene) error {
			require.NoError(t, cudrv.StreamWaitEvent(x.free, x.e, 0))
			return second(cudrv.StreamEndCapture(x.free))
		}, cudrv.ErrStreamCaptureUnmatched, nil},
		"fork without work need not join": {func(_ *testing.T, x scene) error {
			return cudrv.StreamWaitEvent(x.free, x.e, 0)
		}, nil, nil},
		"fork with work must join": {func(t *testing.T, x scene) error {
			require.NoError(t, cudrv.StreamWaitEvent(x.free, x.e, 0))
			return work(x, x.free)
		}, nil, cudrv.ErrStreamCaptureUnjoined},
		"joined before the last work": {func(t *testing.T, x scene) error {
			require.NoError(t, cudrv.StreamWaitEvent(x.free, x.e, 0))
			require.NoError(t, cudrv.EventRecord(x.e, x.free))
			require.NoError(t, cudrv.StreamWaitEvent(x.s, x.e, 0))
			return work(x, x.free)
		}, nil, cudrv.ErrStreamCaptureUnjoined},
		"wait for an event from outside": {func(t *testing.T, x scene) error {
			e := cudaEvent(t, 0)
			require.NoError(t, cudrv.EventRecord(e, x.free))
			return cudrv.StreamWaitEvent(x.s, e, 0)
		}, cudrv.ErrStreamCaptureIsolation, cudrv.ErrStreamCaptureInvalidated},
		"wait for an unrecorded event": {func(t *testing.T, x scene) error {
			return cudrv.StreamWaitEvent(x.s, cudaEvent(t, 0), 0)
		}, nil, nil},
		"merge": {func(t *testing.T, x scene) error {
			require.NoError(t, cudrv.StreamBeginCapture(x.free, cudrv.StreamCaptureModeRelaxed))
			err := cudrv.StreamWaitEvent(x.free, x.e, 0)
			assert.ErrorIs(t, second(cudrv.StreamEndCapture(x.free)), cudrv.ErrStreamCaptureInvalidated)
			return err
		}, cudrv.ErrStreamCaptureMerge, cudrv.ErrStreamCaptureInvalidated},
		"legacy stream waits": {func(_ *testing.T, x scene) error {
			return cudrv.StreamWaitEvent(0, x.e, 0)
		},
			cudrv.ErrStreamCaptureImplicit, cudrv.ErrStreamCaptureInvalidated},
		"legacy stream works": {func(_ *testing.T, x scene) error {
			return work(x, 0)
		}, cudrv.ErrStreamCaptureImplicit, cudrv.ErrStreamCaptureInvalidated},
		"legacy stream queried": {func(_ *testing.T, x scene) error {
			return cudrv.StreamQuery(0)
		}, cudrv.ErrStreamCaptureImplicit, cudrv.ErrStreamCaptureInvalidated},
		"spoilt: work": {func(_ *testing.T, x scene) error {
			spoil(x)
			return work(x, x.s)
		}, cudrv.ErrStreamCaptureInvalidated, cudrv.ErrStreamCaptureInvalidated},
		"spoilt: record": {func(_ *testing.T, x scene) error {
			spoil(x)
			return cudrv.EventRecord(x.e, x.s)
		}, cudrv.ErrStreamCaptureInvalidated, cudrv.ErrStreamCaptureInvalidated},
		"spoilt: join": {func(_ *testing.T, x scene) error {
			spoil(x)
			return cudrv.StreamWaitEvent(x.free, x.e, 0)
		}, cudrv.ErrStreamCaptureInvalidated, cudrv.ErrStreamCaptureInvalidated},
		"callback": {func(_ *testing.T, x scene) error {
			return cudrv.StreamAddCallback(x.s, func(cudrv.Stream, cudrv.Result) {}, 0)
		}, cudrv.ErrStreamCaptureUnsupported, cudrv.ErrStreamCaptureInvalidated},
		"stream without work destroyed": {func(t *testing.T, x scene) error {
			require.NoError(t, cudrv.StreamWaitEvent(x.free, x.e, 0))
			return cudrv.StreamDestroy(x.free)
		}, nil, nil},
		"stream with work destroyed": {func(t *testing.T, x scene) error {
			require.NoError(t, cudrv.StreamWaitEvent(x.free, x.e, 0))
			require.NoError(t, work(x, x.free))
			return cudrv.StreamDestroy(x.free)
		}, nil, cudrv.ErrStreamCaptureInvalidated},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var x scene
			x.m, _ = cudaMachine(t, Options{}, newestCUDA)
			x.s, x.free, x.e = cudaStream(t, 0), cudaStream(t, 1), cudaEvent(t, 0)
			require.NoError(t, cudrv.StreamBeginCapture(x.s, cudrv.StreamCaptureModeRelaxed))
			require.NoError(t, work(x, x.s))
			require.NoError(t, cudrv.EventRecord(x.e, x.s))
			assert.Equal(t, tt.want, bare(tt.call(t, x)))
			assert.Equal(t, tt.end, bare(second(cudrv.StreamEndCapture(x.s))))
			assert.ErrorIs(t, second(cudrv.StreamEndCapture(x.s)), cudrv.ErrIllegalState)
			assert.Zero(t, x.m.cuda.capturing.Load())
			assert.NoError(t, cudrv.EventRecord(x.e, 0), "all is well again")
			assert.NoError(t, cudrv.EventSynchronize(x.e))
		})
	}
}
