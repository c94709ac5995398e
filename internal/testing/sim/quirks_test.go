package sim

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/clock"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

func TestQuirkTable(t *testing.T) {
	all := Quirks()
	require.Len(t, all, int(quirks))
	seen := map[string]bool{}
	for _, q := range all {
		assert.Regexp(t, `^(cuda|amd|chip|gpu)(-[a-z0-9]+)+$`, q.ID)
		assert.False(t, seen[q.ID], q.ID)
		seen[q.ID] = true
		vendor, _, _ := strings.Cut(q.ID, "-")
		assert.True(t, q.API == vendor || q.API == "hip" && vendor == "amd", q.ID)
		assert.NotEmpty(t, q.Profiles(), "%s is played nowhere", q.ID)
		if q.From != "" && q.Before != "" {
			assert.Less(t, versionNumber(q.From), versionNumber(q.Before), q.ID)
		}
	}
	assert.Equal(t, []string{"hip-6.4", "hip-7.2.0"}, all[amdCaptureAsksNotedStream].Profiles())
	assert.Equal(t, []string{"cuda-11.8", "cuda-12.4", "cuda-12.8", "cuda-13.5"},
		all[cudaInitFirst].Profiles())
	assert.Equal(t, []string{"hip-cpu"}, all[chipOneLock].Profiles())
}

// Where AMD's sources of 5.2 to 7.2 end and begin a quirk, see docs/results/amd-facts.md.
func TestQuirksOfAMDBeginAndEndAsItsSourcesSay(t *testing.T) {
	old, v64 := []string{"hip-5.2.3", "hip-5.7"}, []string{"hip-6.4", "hip-7.2.0", "hip-7.2"}
	for q, profiles := range map[quirk][]string{
		amdFaultAborts:              {"hip-5.2.3", "hip-5.7", "hip-6.4"},
		amdPinnedCopyIsAsynchronous: old,
		amdErrorStringIsName:        {"hip-5.2.3"},
		amdMemoryGraphIsCloned:      {"hip-5.7"},
		amdIPCDestroyWaits:          append(old, v64...),
		amdAsyncMemoryHeedsCaptures: v64,
		amdUnloadHeedsCaptures:      {"hip-7.2.0", "hip-7.2"},
		amdLegacyStreamInCapture:    {"hip-7.2.0", "hip-7.2"},
	} {
		assert.Equal(t, profiles, quirkTable[q].Profiles(), quirkTable[q].ID)
	}
	assert.Equal(t, "5.3", quirkTable[amdErrorStringIsName].Before)
}

// The code checks for every quirk in the table.
func TestQuirksAreAsked(t *testing.T) {
	asked := map[string]bool{}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, found := range regexp.MustCompile(`plays\((\w+)\)`).FindAllStringSubmatch(string(source), -1) {
			asked[found[1]] = true
		}
	}
	source, err := os.ReadFile("quirks.go")
	require.NoError(t, err)
	names := regexp.MustCompile(`(?m)^\t(\w+): +\{"`).FindAllStringSubmatch(string(source), -1)
	require.Len(t, names, int(quirks))
	for _, name := range names {
		assert.True(t, asked[name[1]], name[1])
	}
}

// probe reports whether the machine plays a quirk. It runs under every profile of the quirk's face.
type probe struct {
	observe func(t *testing.T, m *Machine) bool
	options Options
	bare    bool // without initialization
	// only under the vendor's profiles: others know nothing like it, or do the same for other reasons
	own bool
	ipc bool // needs events between processes
}

func TestQuirksArePlayedWhereClaimed(t *testing.T) {
	require.Len(t, probes, int(quirks), "each has a probe")
	for q, x := range probes {
		t.Run(quirkTable[q].ID, func(t *testing.T) {
			if x.ipc {
				needIPC(t)
			}
			api := quirkTable[q].API
			if api == "cuda" || api == "gpu" {
				for i := range cudaProfiles {
					x.check(t, q, &cudaProfiles[i])
				}
			}
			if api != "cuda" {
				for i := range hipProfiles {
					if p := &hipProfiles[i]; !x.own || quirkTable[q].playedBy(p) || p.vendor == api ||
						api == "gpu" && p.vendor != vendorChip {
						x.check(t, q, p)
					}
				}
			}
		})
	}
}

func (x probe) check(t *testing.T, q quirk, p *profile) {
	t.Run(p.fullName(), func(t *testing.T) {
		var m *Machine
		switch {
		case p.vendor != vendorCUDA:
			m = hipMachine(t, x.options, p.name)
		case x.bare:
			m = NewMachine(x.options)
			t.Cleanup(m.InstallCUDA(p.name))
		default:
			m, _ = cudaMachine(t, x.options, p.name)
		}
		assert.Equal(t, p.plays(q), x.observe(t, m))
	})
}

// cuCapture and hipCapture begin a capture on a new stream.
func cuCapture(t *testing.T, flags cudrv.StreamFlags, mode cudrv.StreamCaptureMode) cudrv.Stream {
	s := cudaStream(t, flags)
	require.NoError(t, cudrv.StreamBeginCapture(s, mode))
	return s
}

func hipCapture(t *testing.T, flags uint32, mode hip.StreamCaptureMode) hip.Stream {
	s, err := hip.StreamCreateWithFlags(hip.StreamFlags(flags))
	require.NoError(t, err)
	require.NoError(t, hip.StreamBeginCapture(s, mode))
	return s
}

// hipUnjoined ends a capture whose second stream was not joined.
func hipUnjoined(t *testing.T, mode hip.StreamCaptureMode) (origin, joined hip.Stream, ok bool) {
	at := hipMemory(t, 8)
	origin, joined = hipCapture(t, 1, mode), hipStream(t)
	require.NoError(t, hip.MemsetAsync(at, 0, 8, origin))
	require.NoError(t, hip.StreamWaitEvent(joined, hipRecorded(t, origin), 0))
	require.NoError(t, hip.MemsetAsync(at, 1, 8, joined))
	err := second(hip.StreamEndCapture(origin))
	return origin, joined, errors.Is(err, hip.ErrStreamCaptureUnjoined)
}

func hipRecorded(t *testing.T, s hip.Stream) hip.Event {
	e := hipEvent(t, 0)
	require.NoError(t, hip.EventRecord(e, s))
	return e
}

// crashes reports whether a call counts as one.
func crashes(m *Machine, call func()) bool {
	n := len(m.Crashes())
	call()
	return len(m.Crashes()) > n
}

// waits reports whether a call returns only when the gate is open. What is claimed says how long to
// look: a call that is claimed to return gets all the time that a busy machine may need for it.
func waits(t *testing.T, claimed bool, g *Gate, call func() error) bool {
	patience := 10 * time.Second
	if claimed {
		patience = 10 * time.Millisecond
	}
	returned := make(chan error, 1)
	go func() { returned <- call() }()
	select {
	case err := <-returned:
		assert.NoError(t, err)
		g.Open()
		return false
	case <-time.After(patience):
		g.Open()
		assert.NoError(t, <-returned)
		return true
	}
}

// whileSynchronizing runs f while another thread waits for an event.
func whileSynchronizing(t *testing.T, m *Machine, f func(e *event) bool) bool {
	s := hipStream(t)
	g := m.Gate(uintptr(s))
	e := hipRecorded(t, s)
	returned := make(chan error, 1)
	go func() { returned <- hip.EventSynchronize(e) }()
	for m.synchronizing(uintptr(e)) == 0 {
		runtime.Gosched()
	}
	got := f(m.amd.handles.find(uintptr(e)).event)
	g.Open()
	require.NoError(t, <-returned)
	return got
}

func endedGraphNodes(t *testing.T, s hip.Stream) int {
	g, err := hip.StreamEndCapture(s)
	require.NoError(t, err)
	n := uintptr(0)
	require.NoError(t, hip.GraphGetNodes(g, nil, &n))
	return int(n)
}

func (m *Machine) anyFace(t *testing.T) *face {
	if cudrvInstalled := cudaAPI.current.Load() == m.cuda.driver; cudrvInstalled {
		return m.cuda
	}
	return m.amd
}

var probes = map[quirk]probe{
	cudaCaptureModes: {observe: func(t *testing.T, _ *Machine) bool {
		e := cudaEvent(t, 0)
		cuCapture(t, 1, cudrv.StreamCaptureModeGlobal)
		return errors.Is(cudrv.EventQuery(e), cudrv.ErrStreamCaptureUnsupported)
	}},
	cudaLegacyStreamInCapture: {observe: func(t *testing.T, _ *Machine) bool {
		s := cuCapture(t, 0, cudrv.StreamCaptureModeRelaxed)
		refused := errors.Is(cudrv.EventRecord(cudaEvent(t, 0), 0), cudrv.ErrStreamCaptureImplicit)
		return refused && errors.Is(second(cudrv.StreamEndCapture(s)), cudrv.ErrStreamCaptureInvalidated)
	}},
	cudaCapturedEvent: {observe: func(t *testing.T, _ *Machine) bool {
		s, e := cuCapture(t, 1, cudrv.StreamCaptureModeRelaxed), cudaEvent(t, 0)
		require.NoError(t, cudrv.EventRecord(e, s))
		return errors.Is(cudrv.EventQuery(e), cudrv.ErrCapturedEvent) &&
			errors.Is(cudrv.EventSynchronize(e), cudrv.ErrCapturedEvent) &&
			errors.Is(second(cudrv.EventElapsedTime(e, e)), cudrv.ErrCapturedEvent) &&
			second(cudrv.StreamEndCapture(s)) == nil
	}},
	cudaCapturedEventCode: {observe: func(t *testing.T, _ *Machine) bool {
		s, e := cuCapture(t, 1, cudrv.StreamCaptureModeRelaxed), cudaEvent(t, 0)
		require.NoError(t, cudrv.EventRecord(e, s))
		require.NoError(t, second(cudrv.StreamEndCapture(s)))
		return errors.Is(cudrv.EventSynchronize(e), cudrv.ErrInvalidValue) &&
			errors.Is(second(cudrv.EventElapsedTime(e, e)), cudrv.ErrInvalidValue)
	}},
	cudaIPCEventInCapture: {ipc: true, observe: func(t *testing.T, _ *Machine) bool {
		return errors.Is(
			cudrv.EventRecord(cudaEvent(t, 6), cuCapture(t, 1, cudrv.StreamCaptureModeRelaxed)),
			cudrv.ErrStreamCaptureUnsupported)
	}},
	cudaExternalNeedsCapture: {observe: func(t *testing.T, _ *Machine) bool {
		e, s := cudaEvent(t, 0), cudaStream(t, 1)
		return errors.Is(cudrv.EventRecordWithFlags(e, s, cudrv.EventRecordExternal),
			cudrv.ErrInvalidValue) &&
			errors.Is(cudrv.StreamWaitEvent(s, e, cudrv.EventWaitExternal), cudrv.ErrInvalidValue)
	}},
	amdCapturesUnguarded: {observe: func(t *testing.T, _ *Machine) bool {
		s := hipCapture(t, 1, hip.StreamCaptureModeGlobal)
		e := hipEvent(t, 0)
		require.NoError(t, hip.EventRecord(e, s))
		return hip.StreamQuery(s) == nil && hip.EventQuery(e) == nil &&
			second(hip.StreamEndCapture(s)) == nil
	}},
	amdCapturesUnspoilt: {observe: func(t *testing.T, _ *Machine) bool {
		s := hipCapture(t, 1, hip.StreamCaptureModeGlobal)
		_ = hip.StreamQuery(s)
		_ = hip.StreamSynchronize(hipStream(t))
		return hip.DeviceSynchronize() == nil && second(hip.StreamEndCapture(s)) == nil
	}},
	amdFailedCaptureStays: {observe: func(t *testing.T, m *Machine) bool {
		s, joined, ok := hipUnjoined(t, hip.StreamCaptureModeThreadLocal)
		if !ok {
			return false
		}
		for _, x := range []hip.Stream{s, joined} {
			status, err := hip.StreamIsCapturing(x)
			require.NoError(t, err)
			if status != hip.StreamCaptureStatusActive {
				return false
			}
		}
		require.ErrorIs(t, second(hip.StreamEndCapture(s)), hip.ErrStreamCaptureWrongThread)
		require.ErrorIs(t, hip.StreamBeginCapture(s, hip.StreamCaptureModeRelaxed),
			hip.ErrIllegalState)
		require.NoError(t, second(hip.StreamIsCapturing(hipStream(t))))
		require.NoError(t, hip.StreamDestroy(s))
		status, err := hip.StreamIsCapturing(joined)
		require.NoError(t, err)
		if m.amd.plays(amdCapturesUnguarded) {
			return status == hip.StreamCaptureStatusActive
		}
		return status == hip.StreamCaptureStatusNone && hip.StreamSynchronize(joined) == nil
	}},
	amdSecondEndCrashes: {observe: func(t *testing.T, m *Machine) bool {
		s, _, ok := hipUnjoined(t, hip.StreamCaptureModeRelaxed)
		return ok && crashes(m, func() { _ = second(hip.StreamEndCapture(s)) })
	}},
	amdFailedGraphReleased: {observe: func(t *testing.T, m *Machine) bool {
		s, _, ok := hipUnjoined(t, hip.StreamCaptureModeRelaxed)
		at := hipMemory(t, 8)
		return ok && crashes(m, func() { _ = hip.MemsetAsync(at, 0, 8, s) })
	}},
	amdRecordNotesStream: {observe: func(t *testing.T, m *Machine) bool {
		return m.amd.handles.find(uintptr(hipRecorded(t, hipStream(t)))).event.noted.Load() != nil
	}},
	amdStreamHeedsCaptures: {observe: func(t *testing.T, _ *Machine) bool {
		hipCapture(t, 1, hip.StreamCaptureModeGlobal)
		return errors.Is(hip.StreamQuery(hipStream(t)), hip.ErrStreamCaptureUnsupported)
	}},
	amdRelaxedThreadsHeed: {observe: func(t *testing.T, m *Machine) bool {
		hipCapture(t, 1, hip.StreamCaptureModeGlobal)
		mode := captureRelaxed
		callC(m, "hipThreadExchangeStreamCaptureMode", &mode)
		defer callC(m, "hipThreadExchangeStreamCaptureMode", &mode)
		return errors.Is(hip.StreamQuery(hipStream(t)), hip.ErrStreamCaptureUnsupported)
	}},
	amdGlobalCaptureHeededByAll: {observe: func(t *testing.T, m *Machine) bool {
		hipCapture(t, 1, hip.StreamCaptureModeGlobal)
		refused := false
		onThread(func() {
			mode := captureThreadLocal
			callC(m, "hipThreadExchangeStreamCaptureMode", &mode)
			refused = errors.Is(hip.StreamQuery(hipStream(t)), hip.ErrStreamCaptureUnsupported)
		})
		return refused
	}},
	amdQueryHeedsCaptures: {observe: func(t *testing.T, _ *Machine) bool {
		e := hipRecorded(t, hipStream(t))
		hipCapture(t, 1, hip.StreamCaptureModeGlobal)
		return errors.Is(hip.EventQuery(e), hip.ErrStreamCaptureUnsupported)
	}},
	amdEventHeedsModes: {observe: func(t *testing.T, _ *Machine) bool {
		hipCapture(t, 1, hip.StreamCaptureModeGlobal)
		// it has no stream
		return errors.Is(hip.EventQuery(hipEvent(t, 0)), hip.ErrStreamCaptureUnsupported)
	}},
	amdCaptureAsksItsEvent: {observe: func(t *testing.T, _ *Machine) bool {
		s := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		asked := errors.Is(hip.EventQuery(hipRecorded(t, s)), hip.ErrCapturedEvent)
		return asked && errors.Is(second(hip.StreamEndCapture(s)), hip.ErrStreamCaptureInvalidated)
	}},
	amdCaptureAsksNotedStream: {observe: func(t *testing.T, _ *Machine) bool {
		for _, ask := range []func(hip.Event) error{hip.EventQuery, hip.EventSynchronize} {
			s := hipStream(t)
			e := hipRecorded(t, s)
			require.NoError(t, hip.StreamBeginCapture(s, hip.StreamCaptureModeRelaxed))
			assert.NoError(t, second(hip.EventElapsedTime(e, e)), "which looks at no stream")
			if !errors.Is(ask(e), hip.ErrCapturedEvent) ||
				!errors.Is(second(hip.StreamEndCapture(s)), hip.ErrStreamCaptureInvalidated) {
				return false
			}
		}
		return true
	}},
	amdCaptureSyncUnsupported: {observe: func(t *testing.T, _ *Machine) bool {
		s := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		e := hipRecorded(t, s)
		return errors.Is(hip.EventSynchronize(e), hip.ErrStreamCaptureUnsupported) &&
			hip.EventQuery(e) == nil
	}},
	amdSpoiltCaptureRecords: {observe: func(t *testing.T, m *Machine) bool {
		s := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		m.amd.spoil(m.amd.handles.find(uintptr(s)).stream.capture.Load())
		e := hipEvent(t, 0)
		return hip.EventRecord(e, s) == nil &&
			m.amd.handles.find(uintptr(e)).event.place.Load() == nil &&
			!m.amd.plays(chipCapturesRunAtOnce)
	}},
	amdWaitCapturedIsolation: {observe: func(t *testing.T, _ *Machine) bool {
		s := hipStream(t)
		e := hipRecorded(t, s)
		require.NoError(t, hip.StreamBeginCapture(s, hip.StreamCaptureModeRelaxed))
		refused := errors.Is(hip.StreamWaitEvent(hipStream(t), e, 0), hip.ErrStreamCaptureIsolation)
		require.NoError(t, second(hip.StreamEndCapture(s)))
		return refused
	}},
	amdWaitNotIsolated: {observe: func(t *testing.T, m *Machine) bool {
		e := hipRecorded(t, hipStream(t))
		s := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		return hip.StreamWaitEvent(s, e, 0) == nil && endedGraphNodes(t, s) == 0 &&
			!m.amd.plays(chipCapturesRunAtOnce)
	}},
	amdNullStreamInCapture: {observe: func(t *testing.T, _ *Machine) bool {
		e := hipRecorded(t, hipCapture(t, 1, hip.StreamCaptureModeRelaxed))
		return errors.Is(hip.StreamWaitEvent(0, e, 0), hip.ErrInvalidHandle)
	}},
	amdNullStreamStatus: {observe: func(t *testing.T, _ *Machine) bool {
		s := hipCapture(t, 0, hip.StreamCaptureModeRelaxed)
		refused := errors.Is(second(hip.StreamIsCapturing(0)), hip.ErrStreamCaptureImplicit)
		require.NoError(t, second(hip.StreamEndCapture(s)))
		return refused
	}},
	amdLegacyStreamInCapture: {observe: func(t *testing.T, _ *Machine) bool {
		hipCapture(t, 0, hip.StreamCaptureModeRelaxed)
		other := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		require.NoError(t, hip.EventRecord(hipEvent(t, 0), 0), "other work is accepted")
		called := make(chan bool, 1)
		err := hip.StreamAddCallback(0, func(hip.Stream, hip.Result) { called <- true }, 0)
		if err == nil {
			<-called
		}
		return errors.Is(err, hip.ErrStreamCaptureImplicit) &&
			errors.Is(ended(other), hip.ErrStreamCaptureInvalidated)
	}},
	amdCallbackInCapture: {observe: func(t *testing.T, _ *Machine) bool {
		s := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		called := make(chan bool, 1)
		err := hip.StreamAddCallback(s, func(hip.Stream, hip.Result) { called <- true }, 0)
		if err == nil {
			<-called
		}
		return errors.Is(err, hip.ErrStreamCaptureUnsupported)
	}},
	amdEndCaptureUnmatched: {observe: func(t *testing.T, _ *Machine) bool {
		return errors.Is(second(hip.StreamEndCapture(hipStream(t))), hip.ErrStreamCaptureUnmatched)
	}},
	amdExternalOutsideCapture: {observe: func(t *testing.T, _ *Machine) bool {
		return hip.EventRecordWithFlags(hipEvent(t, 0), hipStream(t), hip.EventRecordExternal) == nil
	}},
	amdExternalRecordMarks: {observe: func(t *testing.T, _ *Machine) bool {
		e, s := hipEvent(t, 0), hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		return hip.EventRecordWithFlags(e, s, hip.EventRecordExternal) == nil &&
			errors.Is(hip.EventQuery(e), hip.ErrCapturedEvent)
	}},
	amdExternalWait: {observe: func(t *testing.T, m *Machine) bool {
		s := hipStream(t)
		e := hipRecorded(t, s)
		return crashes(m, func() { _ = hip.StreamWaitEvent(s, e, hip.EventWaitExternal) }) &&
			hip.StreamWaitEvent(hipCapture(t, 1, hip.StreamCaptureModeRelaxed), e,
				hip.EventWaitExternal) == nil
	}},
	amdExternalWaitCorrupts: {own: true, observe: func(t *testing.T, m *Machine) bool {
		e := hipRecorded(t, hipStream(t))
		s := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		wait := func() { _ = hip.StreamWaitEvent(s, e, hip.EventWaitExternal) }
		first := crashes(m, wait)
		return !first && crashes(m, wait)
	}},
	amdNullStreamJoins: {own: true, observe: func(t *testing.T, m *Machine) bool {
		e := hipRecorded(t, hipCapture(t, 1, hip.StreamCaptureModeRelaxed))
		return crashes(m, func() { _ = hip.StreamWaitEvent(0, e, 0) })
	}},

	amdWaitValueMemory: {observe: func(t *testing.T, m *Machine) bool {
		values, err := hip.DeviceGetAttribute(hip.DeviceAttributeCanUseStreamWaitValue, 0)
		if err != nil || values == 0 {
			return false
		}
		_, err = hip.ExtMallocWithFlags(4096, hip.MallocSignalMemory)
		require.ErrorIs(t, err, hip.ErrInvalidValue, "one word at a time")
		at, err := hip.ExtMallocWithFlags(8, hip.MallocSignalMemory)
		require.NoError(t, err)
		require.NoError(t, hip.Free(at))
		return true
	}},
	gpuNullStreamAsksPerThread: {observe: func(t *testing.T, m *Machine) bool {
		f := m.anyFace(t)
		c, _ := f.here()
		s, _ := c.ofThread(threadID())
		g := Stream{s}.Gate()
		defer g.Open()
		if f.hip() {
			return hip.StreamQuery(0) == hip.ErrNotReady
		}
		return cudrv.StreamQuery(0) == cudrv.ErrNotReady
	}},
	amdStreamDestroyWaits: {observe: func(t *testing.T, m *Machine) bool {
		s, other, third := hipStream(t), hipStream(t), hipStream(t)
		device := m.amd.plays(chipDestroyWaitsForDevice)
		return waits(t, true, m.Gate(uintptr(s)), func() error { return hip.StreamDestroy(s) }) &&
			!waits(t, device, m.Gate(uintptr(other)), func() error { return hip.StreamDestroy(third) })
	}},
	amdLegacyHandle: {own: true, observe: func(t *testing.T, _ *Machine) bool {
		return hip.StreamQuery(hip.StreamLegacy) == nil
	}},
	amdPerThreadHandle: {own: true, observe: func(t *testing.T, _ *Machine) bool {
		return hip.StreamQuery(hip.StreamPerThread) == nil
	}},
	amdDestroyedStreamChecked: {own: true, observe: func(t *testing.T, m *Machine) bool {
		s := hipStream(t)
		require.NoError(t, hip.StreamDestroy(s))
		return !crashes(m, func() { _ = hip.StreamQuery(s) }) &&
			errors.Is(hip.StreamQuery(s), hip.ErrContextIsDestroyed)
	}},
	amdWaitDestroyedStream: {observe: func(t *testing.T, m *Machine) bool {
		s, e := hipStream(t), hipRecorded(t, hipStream(t))
		require.NoError(t, hip.StreamDestroy(s))
		var err error
		return !crashes(m, func() { err = hip.StreamWaitEvent(s, e, 0) }) &&
			errors.Is(err, hip.ErrInvalidHandle)
	}},
	amdPriorities: {observe: func(t *testing.T, _ *Machine) bool {
		least, greatest, err := hip.DeviceGetStreamPriorityRange()
		return err == nil && least == 1 && greatest == -1
	}},
	amdNullStreamFlags: {observe: func(t *testing.T, _ *Machine) bool {
		return errors.Is(second(hip.StreamGetFlags(0)), hip.ErrInvalidValue)
	}},

	cudaHandlesChecked: {observe: func(t *testing.T, m *Machine) bool {
		e, s := cudaEvent(t, 0), cudaStream(t, 1)
		require.NoError(t, cudrv.EventDestroy(e))
		require.NoError(t, cudrv.StreamDestroy(s))
		return !crashes(m, func() {
			assert.ErrorIs(t, cudrv.EventQuery(e), cudrv.ErrInvalidHandle)
			assert.ErrorIs(t, cudrv.StreamQuery(s), cudrv.ErrInvalidHandle)
		})
	}},
	cudaNullEventBeforeInit: {bare: true, observe: func(t *testing.T, _ *Machine) bool {
		return errors.Is(cudrv.EventQuery(0), cudrv.ErrInvalidHandle) &&
			errors.Is(cudrv.EventDestroy(0), cudrv.ErrInvalidHandle) &&
			errors.Is(cudrv.EventSynchronize(0), cudrv.ErrInvalidHandle) &&
			errors.Is(cudrv.EventQuery(16), cudrv.ErrNotInitialized)
	}},
	cudaElapsedSteps: {options: Options{Clock: clock.NewManual()},
		observe: func(t *testing.T, m *Machine) bool {
			s, a, b := cudaStream(t, 1), cudaEvent(t, 0), cudaEvent(t, 0)
			require.NoError(t, cudrv.EventRecord(a, s))
			m.options.Clock.(*clock.Manual).Advance(740)
			require.NoError(t, cudrv.EventRecord(b, s))
			ms, err := cudrv.EventElapsedTime(a, b)
			return err == nil && ms == 0.0005
		}},
	cudaElapsedV2: {observe: func(t *testing.T, m *Machine) bool {
		s, e := cudaStream(t, 1), cudaEvent(t, 0)
		require.NoError(t, cudrv.EventRecord(e, s))
		m.FailCUDA(0, 700)
		assert.ErrorIs(t, second(cudrv.EventElapsedTime(e, e)), cudrv.ErrIllegalAddress)
		return second(cudrv.EventElapsedTimeV2(e, e)) == nil
	}},
	amdDoubleDestroyCrashes: {observe: func(t *testing.T, m *Machine) bool {
		e := hipEvent(t, 0)
		require.NoError(t, hip.EventDestroy(e))
		var err error
		crashed := crashes(m, func() { err = hip.EventDestroy(e) })
		assert.Equal(t, crashed, !errors.Is(err, hip.ErrContextIsDestroyed))
		return crashed
	}},
	amdEventOutlivesStream: {observe: func(t *testing.T, m *Machine) bool {
		return outlives(t, m, hip.EventSynchronize)
	}},
	amdQueryOutlivesStream: {observe: func(t *testing.T, m *Machine) bool {
		return outlives(t, m, hip.EventQuery)
	}},
	amdWaitOutlivesStream: {observe: func(t *testing.T, m *Machine) bool {
		return outlives(t, m, func(e hip.Event) error { return hip.StreamWaitEvent(hipStream(t), e, 0) })
	}},
	amdEventLock: {observe: func(t *testing.T, m *Machine) bool {
		return whileSynchronizing(t, m, func(e *event) bool {
			free := e.lock.TryLock()
			if free {
				e.lock.Unlock()
			}
			return !free
		})
	}},
	amdElapsedLocksBoth: {observe: func(t *testing.T, m *Machine) bool {
		a, b := hipEvent(t, 0), hipEvent(t, 0)
		object := func(e hip.Event) *event { return m.amd.handles.find(uintptr(e)).event }
		object(b).lock.Lock()
		returned := make(chan struct{})
		go func() {
			_, _ = hip.EventElapsedTime(a, b)
			close(returned)
		}()
		both := false
		for {
			select {
			case <-returned:
				object(b).lock.Unlock()
				return both
			default:
			}
			if free := object(a).lock.TryLock(); free {
				object(a).lock.Unlock()
				time.Sleep(time.Millisecond)
				continue
			}
			both = true
			object(b).lock.Unlock()
			<-returned
			return both
		}
	}},
	amdReleaseFlags: {observe: func(t *testing.T, _ *Machine) bool {
		return second(hip.EventCreateWithFlags(hip.EventReleaseToDevice)) == nil &&
			errors.Is(second(hip.EventCreateWithFlags(hip.EventReleaseToDevice|hip.EventReleaseToSystem)),
				hip.ErrInvalidValue)
	}},
	amdSystemFenceFlag: {observe: func(t *testing.T, _ *Machine) bool {
		return second(hip.EventCreateWithFlags(hip.EventDisableSystemFence)) == nil &&
			errors.Is(second(hip.EventCreateWithFlags(8)), hip.ErrInvalidValue)
	}},
	amdInterprocessAlone: {observe: func(t *testing.T, _ *Machine) bool {
		return second(hip.EventCreateWithFlags(hip.EventInterprocess)) == nil &&
			errors.Is(second(hip.EventCreateWithFlags(8)), hip.ErrInvalidValue)
	}},

	gpuIPCSameProcess: {ipc: true, observe: func(t *testing.T, m *Machine) bool {
		if !m.anyFace(t).hip() {
			h, err := cudrv.IpcGetEventHandle(cudaEvent(t, 6))
			require.NoError(t, err)
			return errors.Is(second(cudrv.IpcOpenEventHandle(h)), cudrv.ErrInvalidContext)
		}
		h, err := hip.IpcGetEventHandle(hipEvent(t, 6))
		return err == nil && errors.Is(second(hip.IpcOpenEventHandle(h)), hip.ErrInvalidContext)
	}},
	amdIPCOrdersNothing: {ipc: true, observe: func(t *testing.T, m *Machine) bool {
		s, other, e := hipStream(t), hipStream(t), hipEvent(t, 6)
		g := m.Gate(uintptr(s))
		defer g.Open()
		require.NoError(t, hip.EventRecord(e, s))
		require.NoError(t, hip.StreamWaitEvent(other, e, 0))
		return hip.EventQuery(e) == nil && hip.StreamQuery(other) == nil
	}},
	amdIPCWaitSlots: {ipc: true, own: true, observe: func(t *testing.T, m *Machine) bool {
		s, other, e := hipStream(t), hipStream(t), hipEvent(t, 6)
		wait := func() error { return hip.StreamWaitEvent(other, e, 0) }
		null := crashes(m, func() { _ = wait() })
		refused := 0
		for range amdIPCSlots + 1 {
			require.NoError(t, hip.EventRecord(e, s))
			if errors.Is(wait(), hip.ErrInvalidValue) {
				refused++
			}
		}
		return null && refused == 1
	}},
	amdIPCDestroyWaits: {ipc: true, observe: func(t *testing.T, m *Machine) bool {
		s, other := hipStream(t), hipStream(t)
		destroy := func(e hip.Event) func() error { return func() error { return hip.EventDestroy(e) } }
		recorded, exported := hipEvent(t, 6), hipEvent(t, 6)
		require.NoError(t, hip.EventRecord(recorded, other))
		claimed := m.amd.plays(amdIPCDestroyWaits)
		if claimed {
			require.NoError(t, second(hip.IpcGetEventHandle(exported)))
		}
		assert.False(t, waits(t, false, m.Gate(uintptr(s)), destroy(hipEvent(t, 6))), "neither")
		works := claimed && !m.amd.plays(amdIPCOrdersNothing)
		assert.Equal(t, works, waits(t, works, m.Gate(uintptr(s)), destroy(recorded)), "recorded")
		return waits(t, claimed, m.Gate(uintptr(s)), destroy(exported))
	}},
	amdIPCNullEvent: {observe: func(t *testing.T, _ *Machine) bool {
		return errors.Is(second(hip.IpcGetEventHandle(0)), hip.ErrInvalidValue)
	}},
	amdIPCNotShared: {observe: func(t *testing.T, _ *Machine) bool {
		return errors.Is(second(hip.IpcGetEventHandle(hipEvent(t, 0))), hip.ErrInvalidConfiguration)
	}},

	cudaHostFuncNoAPI: {observe: func(t *testing.T, _ *Machine) bool {
		s, inside := cudaStream(t, 1), make(chan error, 1)
		require.NoError(t, cudrv.LaunchHostFunc(s, func() { inside <- cudrv.StreamQuery(s) }))
		return errors.Is(<-inside, cudrv.ErrNotPermitted)
	}},
	gpuHostFuncOneThread: {own: true, options: Options{OneHostThread: true}, observe: oneHostThread},
	amdHostFuncMissing: {observe: func(t *testing.T, _ *Machine) bool {
		return !hip.Has("hipLaunchHostFunc")
	}},

	cudaInitFirst: {bare: true, observe: func(t *testing.T, _ *Machine) bool {
		return errors.Is(second(cudrv.DeviceGetCount()), cudrv.ErrNotInitialized)
	}},
	cudaAttributesOfVersion: {observe: func(t *testing.T, m *Machine) bool {
		n := m.cuda.profile.Load().attributes
		require.NoError(t, second(cudrv.DeviceGetAttribute(cudrv.DeviceAttribute(n-1), 0)))
		return errors.Is(second(cudrv.DeviceGetAttribute(cudrv.DeviceAttribute(n), 0)),
			cudrv.ErrInvalidValue)
	}},
	amdNoDeviceCode: {options: Options{Devices: -1}, observe: func(t *testing.T, _ *Machine) bool {
		first := hip.Init(0)
		return errors.Is(first, hip.ErrInvalidDevice) && hip.Init(0) == first
	}},
	amdFirstNoDeviceCode: {options: Options{Devices: -1},
		observe: func(t *testing.T, _ *Machine) bool {
			return errors.Is(hip.Init(0), hip.ErrInvalidDevice) && errors.Is(hip.Init(0), hip.ErrNoDevice)
		}},
	amdLastErrorAlways: {observe: func(t *testing.T, _ *Machine) bool {
		assert.ErrorIs(t, second(hip.StreamCreateWithFlags(8)), hip.ErrInvalidValue)
		require.NoError(t, hip.StreamQuery(hipStream(t)))
		return hip.PeekAtLastError() == nil
	}},
	amdErrorStringIsName: {observe: func(t *testing.T, _ *Machine) bool {
		text, err := hip.GetErrorString(hip.ErrNotReady)
		return err == nil && text == "hipErrorNotReady"
	}},
	amdOldProperties: {observe: func(t *testing.T, _ *Machine) bool {
		return !hip.Has("hipGetDevicePropertiesR0600")
	}},
	amdEmptyAllocation: {observe: func(t *testing.T, _ *Machine) bool {
		p, err := hip.Malloc(0)
		return err == nil && p == nil && hip.Free(nil) == nil
	}},

	amdImageNotCopied: {observe: func(t *testing.T, m *Machine) bool {
		image := images.CodeObject("gfx942")
		module := loadHIP(t, image)
		clear(image)
		require.NoError(t, hip.ModuleUnload(module))
		return len(m.Crashes()) > 0
	}},
	amdUnloadHeedsCaptures: {own: true, observe: func(t *testing.T, m *Machine) bool {
		module := loadHIP(t, images.CodeObject("gfx942"))
		s := hipCapture(t, 1, hip.StreamCaptureModeGlobal)
		return errors.Is(hip.ModuleUnload(module), hip.ErrStreamCaptureUnsupported) &&
			errors.Is(ended(s), hip.ErrStreamCaptureInvalidated)
	}},
	amdUnloadAtOnce: {observe: func(t *testing.T, m *Machine) bool {
		image := images.CodeObject("gfx942", images.Kernel{Name: "k"})
		module := loadHIP(t, image)
		fn, err := hip.ModuleGetFunction(module, "k")
		require.NoError(t, err)
		s := hipStream(t)
		gate := m.Gate(uintptr(s))
		defer gate.Open()
		require.NoError(t, hip.ModuleLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, s, nil, nil))
		require.NoError(t, hip.ModuleUnload(module))
		runtime.KeepAlive(image)
		return len(m.Crashes()) > 0
	}},

	chipOneLock: {observe: func(t *testing.T, m *Machine) bool {
		return whileSynchronizing(t, m, func(*event) bool {
			free := m.amd.oneLock.TryLock()
			if free {
				m.amd.oneLock.Unlock()
			}
			return !free
		})
	}},
	chipIsCapturingUnsupported: {observe: func(t *testing.T, _ *Machine) bool {
		return errors.Is(second(hip.StreamIsCapturing(hipStream(t))), hip.ErrNotSupported)
	}},
	chipCapturingStreamCode: {observe: func(t *testing.T, _ *Machine) bool {
		return errors.Is(hip.StreamQuery(hipCapture(t, 1, hip.StreamCaptureModeRelaxed)),
			hip.ErrStreamCaptureInvalidated)
	}},
	chipCapturesRunAtOnce: {observe: func(t *testing.T, _ *Machine) bool {
		s := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		e := hipEvent(t, 0)
		require.NoError(t, hip.EventRecord(e, s))
		p := hipMemory(t, 8)
		require.NoError(t, hip.MemsetD8Async(hipAddress(p), 1, 8, s))
		nodes := endedGraphNodes(t, s)
		return nodes == 0 && hip.EventQuery(e) == nil
	}},
	chipIPCUnsupported: {ipc: true, observe: func(t *testing.T, _ *Machine) bool {
		return errors.Is(second(hip.IpcGetEventHandle(hipEvent(t, 6))), hip.ErrNotSupported) &&
			errors.Is(second(hip.IpcOpenEventHandle(hip.IpcEventHandle{})), hip.ErrNotSupported)
	}},
	chipUnrecordedNotReady: {observe: func(t *testing.T, _ *Machine) bool {
		e := hipEvent(t, 0)
		require.NoError(t, hip.EventSynchronize(e))
		return hip.EventQuery(e) == hip.ErrNotReady
	}},
	chipReleaseFlags: {observe: func(t *testing.T, _ *Machine) bool {
		require.ErrorIs(t, second(hip.EventCreateWithFlags(8)), hip.ErrInvalidValue)
		both := hip.EventReleaseToDevice | hip.EventReleaseToSystem
		return second(hip.EventCreateWithFlags(both)) == nil
	}},
	chipStreamQueryWrong: {observe: func(t *testing.T, _ *Machine) bool {
		s := hipStream(t)
		require.NoError(t, hip.StreamQuery(s))
		e := hipRecorded(t, s)
		for hip.EventQuery(e) != nil {
			runtime.Gosched()
		}
		busy := hip.StreamQuery(s) == hip.ErrNotReady
		require.NoError(t, hip.StreamSynchronize(s))
		return busy && hip.StreamQuery(s) == nil
	}},
	chipElapsedFollowsRecords: {observe: func(t *testing.T, m *Machine) bool {
		held, idle := hipStream(t), hipStream(t)
		gate := m.Gate(uintptr(held))
		first, second := hipEvent(t, 0), hipEvent(t, 0)
		require.NoError(t, hip.EventRecord(first, held))
		require.NoError(t, hip.EventRecord(second, idle))
		for hip.EventQuery(second) != nil {
			runtime.Gosched()
		}
		time.Sleep(time.Millisecond)
		gate.Open()
		for hip.EventQuery(first) != nil {
			runtime.Gosched()
		}
		ms, err := hip.EventElapsedTime(first, second)
		return err == nil && ms > 0 // first was reached last
	}},
	chipFunctionAttributesUnsupported: {observe: func(t *testing.T, _ *Machine) bool {
		fn := hipFunction(t, images.Kernel{Name: "one"})
		_, occupancy := hip.ModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(fn, 64, 0, 0)
		_, _, size := hip.ModuleOccupancyMaxPotentialBlockSizeWithFlags(fn, 0, 0, 0)
		return errors.Is(second(hip.FuncGetAttribute(hip.DrvFuncAttributeNumRegs, fn)),
			hip.ErrNotSupported) && errors.Is(occupancy, hip.ErrNotSupported) &&
			errors.Is(size, hip.ErrNotSupported)
	}},
	chipUnknownKernel: {observe: func(t *testing.T, _ *Machine) bool {
		image := images.CodeObject("gfx942")
		_, err := hip.ModuleGetFunction(loadHIP(t, image), "none")
		runtime.KeepAlive(image)
		return errors.Is(err, hip.ErrLaunchFailure)
	}},
	chipNoArchitecture: {observe: func(t *testing.T, _ *Machine) bool {
		if !hip.Has("hipGetDevicePropertiesR0600") {
			return false
		}
		p, err := hip.GetDeviceProperties(0)
		return err == nil && p.GcnArchNameString() == "unavailable"
	}},
	chipHostFuncBlocksCaller: {observe: func(t *testing.T, m *Machine) bool {
		if !hip.Has("hipLaunchHostFunc") {
			return false
		}
		s, called := hipStream(t), make(chan uint64, 1)
		launch := func() error { return hip.LaunchHostFunc(s, func() { called <- threadID() }) }
		blocks := waits(t, m.amd.plays(chipHostFuncBlocksCaller), m.Gate(uintptr(s)), launch)
		<-called
		return blocks
	}},
	chipDestroyWaitsForDevice: {observe: func(t *testing.T, m *Machine) bool {
		s, other := hipStream(t), hipStream(t)
		claimed := m.amd.plays(chipDestroyWaitsForDevice)
		return waits(t, claimed, m.Gate(uintptr(s)), func() error { return hip.StreamDestroy(other) })
	}},
	chipDestroyedStreamChecked: {own: true, observe: func(t *testing.T, m *Machine) bool {
		s := hipStream(t)
		require.NoError(t, hip.StreamDestroy(s))
		return errors.Is(hip.StreamQuery(s), hip.ErrContextIsDestroyed) && len(m.Crashes()) == 0
	}},
	chipPriorities: {observe: func(t *testing.T, _ *Machine) bool {
		least, greatest, err := hip.DeviceGetStreamPriorityRange()
		return err == nil && least == 2 && greatest == 0
	}},
	chipDriverVersion: {observe: func(t *testing.T, _ *Machine) bool {
		v, err := hip.DriverGetVersion()
		return err == nil && v == 4
	}},
	chipMissingSymbols: {observe: func(t *testing.T, _ *Machine) bool {
		return !hip.Has("hipGetDeviceProperties")
	}},
	chipNoDeviceCode: {options: Options{Devices: -1}, observe: func(t *testing.T, _ *Machine) bool {
		return errors.Is(second(hip.GetDeviceCount()), hip.ErrNotInitialized) &&
			errors.Is(hip.Init(0), hip.ErrNotInitialized)
	}},
}

// outlives reports whether asking for an event after its stream was destroyed is a crash, and that
// destroying it is none.
func outlives(t *testing.T, m *Machine, ask func(hip.Event) error) bool {
	s := hipStream(t)
	e := hipRecorded(t, s)
	require.NoError(t, hip.StreamDestroy(s))
	crashed := crashes(m, func() { _ = ask(e) })
	assert.NoError(t, second(hip.EventElapsedTime(e, e)), "which looks at no stream")
	assert.False(t, crashes(m, func() { assert.NoError(t, hip.EventDestroy(e)) }))
	return crashed
}

// oneHostThread reports whether a host function holds up that of another stream.
func oneHostThread(t *testing.T, m *Machine) bool {
	f := m.anyFace(t)
	var threads [2]uint64
	inside, leave, ran := make(chan bool), make(chan bool), make(chan bool)
	functions := []func(){
		func() { threads[0] = threadID(); close(inside); <-leave },
		func() { threads[1] = threadID(); close(ran) },
	}
	for i, fn := range functions {
		if f.hip() {
			require.NoError(t, hip.StreamAddCallback(hipStream(t), func(hip.Stream, hip.Result) { fn() }, 0))
		} else {
			require.NoError(t, cudrv.LaunchHostFunc(cudaStream(t, 1), fn))
		}
		if i == 0 {
			<-inside
		}
	}
	for waiting := 0; waiting == 0; runtime.Gosched() {
		select {
		case <-ran:
			close(leave)
			return false
		default:
		}
		f.hostThread.mu.Lock()
		waiting = len(f.hostThread.waiting)
		f.hostThread.mu.Unlock()
	}
	close(leave)
	<-ran
	return threads[0] == threads[1]
}
