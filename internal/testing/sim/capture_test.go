package sim

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

func TestCUDACapture(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s, side := cudaStream(t, 1), cudaStream(t, 1)
	fork, join, inner, external := cudaEvent(t, 0), cudaEvent(t, 0), cudaEvent(t, 0), cudaEvent(t, 0)
	runs := 0
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	assert.ErrorIs(t, cudrv.StreamBeginCapture(s, 0), cudrv.ErrIllegalState)
	require.NoError(t, cudrv.EventRecord(fork, s))
	require.NoError(t, cudrv.StreamWaitEvent(side, fork, 0))
	h := cudrv.NewHostFn(func() { runs++ })
	defer h.Release()
	require.NoError(t, cudrv.LaunchHostFuncRef(side, h))
	require.NoError(t, cudrv.EventRecordWithFlags(external, side, cudrv.EventRecordExternal))
	require.NoError(t, cudrv.EventRecord(join, side))
	require.NoError(t, cudrv.StreamWaitEvent(s, join, 0))
	status, id, err := cudrv.StreamGetCaptureInfo(side)
	require.NoError(t, err)
	assert.Equal(t, cudrv.StreamCaptureStatusActive, status)
	assert.NotZero(t, id)
	require.NoError(t, cudrv.EventRecord(inner, s))
	assert.ErrorIs(t, cudrv.EventQuery(inner), cudrv.ErrCapturedEvent, "in relaxed mode one may ask")
	assert.ErrorIs(t, cudrv.EventSynchronize(inner), cudrv.ErrCapturedEvent)
	assert.ErrorIs(t, second(cudrv.EventElapsedTime(inner, inner)), cudrv.ErrCapturedEvent)
	graph, err := cudrv.StreamEndCapture(s)
	require.NoError(t, err, "and the capture is as it was")
	status, err = cudrv.StreamIsCapturing(s)
	require.NoError(t, err)
	assert.Equal(t, cudrv.StreamCaptureStatusNone, status)
	assert.ErrorIs(t, cudrv.EventQuery(inner), cudrv.ErrCapturedEvent)
	require.NoError(t, cudrv.EventQuery(external))
	exec, err := cudrv.GraphInstantiateWithFlags(graph, 0)
	require.NoError(t, err)
	require.NoError(t, cudrv.GraphDestroy(graph))
	for range 3 {
		require.NoError(t, cudrv.GraphLaunch(exec, s))
	}
	require.NoError(t, cudrv.StreamSynchronize(s))
	assert.Equal(t, 3, runs)
	assert.NoError(t, second(cudrv.EventElapsedTime(external, external)))
	require.NoError(t, cudrv.GraphExecDestroy(exec))
	assert.ErrorIs(t, cudrv.GraphExecDestroy(exec), cudrv.ErrInvalidHandle)
	assert.ErrorIs(t, cudrv.GraphLaunch(exec, s), cudrv.ErrInvalidHandle)
	live := m.CUDALive()
	assert.Zero(t, live.Graphs+live.Execs)
	assert.ErrorIs(t, second(cudrv.StreamEndCapture(s)), cudrv.ErrIllegalState)
	assert.ErrorIs(t, cudrv.StreamBeginCapture(cudrv.StreamLegacy, 0),
		cudrv.ErrStreamCaptureUnsupported)
	assert.ErrorIs(t, cudrv.StreamBeginCapture(s, 3), cudrv.ErrInvalidValue)
}

func TestCUDACaptureMistakes(t *testing.T) {
	tests := map[string]struct {
		mistake func(s, other cudrv.Stream, e cudrv.Event) error
		want    error // of the mistake
		end     error
	}{
		"none": {func(cudrv.Stream, cudrv.Stream, cudrv.Event) error {
			return nil
		}, nil, nil},
		"query of stream": {func(s, _ cudrv.Stream, _ cudrv.Event) error {
			return cudrv.StreamQuery(s)
		}, cudrv.ErrStreamCaptureUnsupported, cudrv.ErrStreamCaptureInvalidated},
		"sync of stream": {func(s, _ cudrv.Stream, _ cudrv.Event) error {
			return cudrv.StreamSynchronize(s)
		}, cudrv.ErrStreamCaptureUnsupported, cudrv.ErrStreamCaptureInvalidated},
		"sync of context": {func(cudrv.Stream, cudrv.Stream, cudrv.Event) error {
			return cudrv.CtxSynchronize()
		}, cudrv.ErrStreamCaptureUnsupported, cudrv.ErrStreamCaptureInvalidated},
		"foreign wait": {func(s, _ cudrv.Stream, e cudrv.Event) error {
			return cudrv.StreamWaitEvent(s, e, 0)
		}, cudrv.ErrStreamCaptureIsolation, cudrv.ErrStreamCaptureInvalidated},
		"end elsewhere": {func(_, other cudrv.Stream, _ cudrv.Event) error {
			return second(cudrv.StreamEndCapture(other))
		}, cudrv.ErrIllegalState, nil},
		"unjoined": {unjoined, nil, cudrv.ErrStreamCaptureUnjoined},
		"default stream": {func(_, _ cudrv.Stream, e cudrv.Event) error {
			return cudrv.EventRecord(e, 0)
		}, nil, nil}, // the captured one is non-blocking
		"stream destroyed": {func(s, _ cudrv.Stream, _ cudrv.Event) error {
			return cudrv.StreamDestroy(s)
		}, nil, cudrv.ErrInvalidHandle},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			cudaMachine(t, Options{}, newestCUDA)
			s, other, e := cudaStream(t, 1), cudaStream(t, 1), cudaEvent(t, 0)
			require.NoError(t, cudrv.EventRecord(e, other))
			require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
			assert.Equal(t, tt.want, bare(tt.mistake(s, other, e)))
			assert.Equal(t, tt.end, bare(second(cudrv.StreamEndCapture(s))))
			assert.NoError(t, cudrv.StreamQuery(other))
		})
	}
}

func unjoined(s, other cudrv.Stream, e cudrv.Event) error {
	if err := cudrv.EventRecord(e, s); err != nil {
		return err
	}
	if err := cudrv.StreamWaitEvent(other, e, 0); err != nil {
		return err
	}
	return cudrv.LaunchHostFunc(other, func() {})
}

func TestCUDAImplicitDependence(t *testing.T) {
	cudaMachine(t, Options{}, newestCUDA)
	s, e := cudaStream(t, 0), cudaEvent(t, 0)
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	assert.ErrorIs(t, second(cudrv.StreamIsCapturing(0)), cudrv.ErrStreamCaptureImplicit)
	status, err := cudrv.StreamIsCapturing(s)
	require.NoError(t, err)
	assert.Equal(t, cudrv.StreamCaptureStatusActive, status, "asking does no harm")
	assert.ErrorIs(t, cudrv.EventRecord(e, 0), cudrv.ErrStreamCaptureImplicit)
	status, err = cudrv.StreamIsCapturing(s)
	require.NoError(t, err)
	assert.Equal(t, cudrv.StreamCaptureStatusInvalidated, status)
	assert.ErrorIs(t, second(cudrv.StreamEndCapture(s)), cudrv.ErrStreamCaptureInvalidated)
	assert.NoError(t, cudrv.StreamQuery(0))
}

// The modes: who may query an event that is unrelated to the capture.
func TestCaptureModes(t *testing.T) {
	const (
		global = int32(iota)
		threadLocal
		relaxed
	)
	tests := []struct {
		capture, asking int32
		sameThread      bool
		refused         bool
	}{
		{global, global, true, true},
		{global, global, false, true},
		{global, threadLocal, true, true},
		{global, threadLocal, false, false},
		{global, relaxed, true, false},
		{global, relaxed, false, false},
		{threadLocal, global, true, true},
		{threadLocal, global, false, false},
		{threadLocal, threadLocal, true, true},
		{threadLocal, relaxed, true, false},
		{relaxed, global, true, false},
		{relaxed, global, false, false},
		{relaxed, threadLocal, true, false},
	}
	m, c := cudaMachine(t, Options{}, newestCUDA)
	defer m.InstallHIP("7.2")()
	idle, err := hip.EventCreate()
	require.NoError(t, err)
	cuIdle := cudaEvent(t, 0)
	for _, tt := range tests {
		s, hs := cudaStream(t, 1), hipStream(t)
		begun, done, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
		var end, hipEnd error
		work := func() {
			assert.NoError(t, cudrv.CtxSetCurrent(c))
			assert.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureMode(tt.capture)))
			assert.NoError(t, hip.StreamBeginCapture(hs, hip.StreamCaptureMode(tt.capture)))
		}
		finish := func() {
			end, hipEnd = second(cudrv.StreamEndCapture(s)), second(hip.StreamEndCapture(hs))
		}
		ask := func() {
			for _, call := range []string{"cuThreadExchangeStreamCaptureMode",
				"hipThreadExchangeStreamCaptureMode"} {
				mode := tt.asking
				assert.Zero(t, callC(m, call, &mode))
				assert.Zero(t, mode, "global by default")
			}
			var want, hipWant error
			if tt.refused {
				want, hipWant = cudrv.ErrStreamCaptureUnsupported, hip.ErrStreamCaptureUnsupported
			}
			assert.Equal(t, want, bare(cudrv.EventQuery(cuIdle)), "%+v", tt)
			assert.Equal(t, hipWant, bare(hip.EventQuery(idle)), "%+v", tt)
		}
		if tt.sameThread {
			onThread(func() { work(); ask(); finish() })
		} else {
			go func() {
				runtime.LockOSThread()
				defer close(ended)
				work()
				close(begun)
				<-done
				finish()
			}()
			<-begun
			onThread(ask)
			close(done)
			<-ended
		}
		if tt.refused {
			assert.ErrorIs(t, end, cudrv.ErrStreamCaptureInvalidated)
			assert.ErrorIs(t, hipEnd, hip.ErrStreamCaptureInvalidated)
		} else {
			assert.NoError(t, end)
			assert.NoError(t, hipEnd)
		}
	}
}

// callC calls a C function of one pointer.
func callC[A any](m *Machine, name string, p *A) int32 {
	_, fn := m.function(name)
	r := ccall.Regs{Fn: fn.address(), A: [ccall.MaxRegs]uintptr{ccall.Ptr(unsafe.Pointer(p))}}
	result := r.Call()
	runtime.KeepAlive(p)
	return result
}

func TestCaptureEndsOnItsThread(t *testing.T) {
	_, c := cudaMachine(t, Options{}, newestCUDA)
	for _, mode := range []cudrv.StreamCaptureMode{cudrv.StreamCaptureModeGlobal,
		cudrv.StreamCaptureModeThreadLocal, cudrv.StreamCaptureModeRelaxed} {
		s := cudaStream(t, 1)
		require.NoError(t, cudrv.StreamBeginCapture(s, mode))
		var err error
		onThread(func() {
			assert.NoError(t, cudrv.CtxSetCurrent(c))
			_, err = cudrv.StreamEndCapture(s)
		})
		if mode == cudrv.StreamCaptureModeRelaxed {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorIs(t, err, cudrv.ErrStreamCaptureWrongThread)
		assert.NoError(t, second(cudrv.StreamEndCapture(s)))
	}
}

// Who has asked for the graph of a capture need not ask at its end.
func TestEndCaptureWithoutGraph(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, 1)
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	_, _, graph, _, err := cudrv.StreamGetCaptureInfoV2(s, nil)
	require.NoError(t, err)
	end, err := (&dl.Proc{Lib: &libs.CUDA, Symbol: "cuStreamEndCapture"}).Addr()
	require.NoError(t, err)
	call := ccall.Regs{Fn: end, A: [ccall.MaxRegs]uintptr{uintptr(s)}}
	require.Zero(t, call.Call())
	exec, err := cudrv.GraphInstantiateWithFlags(graph, 0)
	require.NoError(t, err)
	require.NoError(t, cudrv.GraphLaunch(exec, s))
	require.NoError(t, cudrv.StreamSynchronize(s))
	require.NoError(t, cudrv.GraphExecDestroy(exec))
	require.NoError(t, cudrv.GraphDestroy(graph))
	assert.Zero(t, m.CUDALive().Graphs)
}

// A capture goes on without a stream that the others wait for, and fails without one whose work
// would be lost.
func TestCapturedStreamDestroyed(t *testing.T) {
	for name, c := range map[string]struct {
		work, joined bool
		want         error
	}{
		"joined":               {true, true, nil},
		"not joined":           {true, false, cudrv.ErrStreamCaptureInvalidated},
		"without work, joined": {false, true, nil},
		"without work":         {false, false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			cudaMachine(t, Options{}, newestCUDA)
			s, side := cudaStream(t, 1), cudaStream(t, 1)
			fork, join := cudaEvent(t, 0), cudaEvent(t, 0)
			runs := 0
			h := cudrv.NewHostFn(func() { runs++ })
			defer h.Release()
			require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
			require.NoError(t, cudrv.EventRecord(fork, s))
			require.NoError(t, cudrv.StreamWaitEvent(side, fork, 0))
			if c.work {
				require.NoError(t, cudrv.LaunchHostFuncRef(side, h))
			}
			if c.joined {
				require.NoError(t, cudrv.EventRecord(join, side))
				require.NoError(t, cudrv.StreamWaitEvent(s, join, 0))
			}
			require.NoError(t, cudrv.StreamDestroy(side))
			graph, err := cudrv.StreamEndCapture(s)
			require.ErrorIs(t, err, c.want)
			if err != nil {
				return
			}
			exec, err := cudrv.GraphInstantiateWithFlags(graph, 0)
			require.NoError(t, err)
			require.NoError(t, cudrv.GraphLaunch(exec, s))
			require.NoError(t, cudrv.StreamSynchronize(s))
			assert.Equal(t, c.work, runs == 1)
		})
	}
}
