package eventtest_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/clock"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// simFact is a fact that only the simulator shows: a real driver would crash, or the machine must
// be prepared for it.
type simFact struct {
	options sim.Options
	// shows reports whether the machine does what the fact says. It is not called for machines of
	// other vendors.
	shows func(x simMachine) bool
}

// simMachine is one that nobody has used yet.
type simMachine struct {
	*testing.T
	*sim.Machine
	api   string
	clock *clock.Manual
}

var simShown = map[string]simFact{
	"cuda-null-event-before-init": {shows: func(x simMachine) bool {
		query, destroy := cudrv.EventQuery(0), cudrv.EventDestroy(0)
		return errors.Is(query, cudrv.ErrInvalidHandle) && errors.Is(destroy, cudrv.ErrInvalidHandle)
	}},
	"cuda-init-first": {shows: func(x simMachine) bool {
		_, err := cudrv.DeviceGetCount()
		_, versionErr := cudrv.DriverGetVersion()
		return errors.Is(err, cudrv.ErrNotInitialized) && versionErr == nil
	}},
	"amd-no-device-code": {sim.Options{Devices: -1}, func(x simMachine) bool {
		first, second := x.withoutDevice(), x.withoutDevice()
		return errors.Is(first, hip.ErrInvalidDevice) && errors.Is(second, hip.ErrInvalidDevice)
	}},
	"amd-first-no-device-code": {sim.Options{Devices: -1}, func(x simMachine) bool {
		first, second := x.withoutDevice(), x.withoutDevice()
		return errors.Is(first, hip.ErrInvalidDevice) && errors.Is(second, hip.ErrNoDevice)
	}},
	"chip-no-device-code": {sim.Options{Devices: -1}, func(x simMachine) bool {
		return errors.Is(x.withoutDevice(), hip.ErrNotInitialized)
	}},
	"cuda-handles-checked": {shows: func(x simMachine) bool {
		x.enterCUDA()
		e, err := cudrv.EventCreate(0)
		require.NoError(x, err)
		require.NoError(x, cudrv.EventDestroy(e))
		return errors.Is(cudrv.EventQuery(e), cudrv.ErrInvalidHandle) && len(x.Crashes()) == 0
	}},
	"amd-destroyed-event-crashes": {shows: func(x simMachine) bool {
		_ = hip.EventQuery(x.destroyedHIPEvent())
		return len(x.Crashes()) > 0
	}},
	"amd-double-destroy-crashes": {shows: func(x simMachine) bool {
		_ = hip.EventDestroy(x.destroyedHIPEvent())
		return len(x.Crashes()) > 0
	}},
	"amd-destroyed-stream-crashes": {shows: func(x simMachine) bool {
		s := x.hipStream()
		require.NoError(x, hip.StreamDestroy(s))
		_ = hip.StreamQuery(s)
		return len(x.Crashes()) > 0
	}},
	"amd-event-outlives-stream": {shows: func(x simMachine) bool {
		_ = hip.EventSynchronize(x.orphanedHIPEvent())
		return len(x.Crashes()) > 0
	}},
	"amd-query-outlives-stream": {shows: func(x simMachine) bool {
		_ = hip.EventQuery(x.orphanedHIPEvent())
		return len(x.Crashes()) > 0
	}},
	"amd-wait-outlives-stream": {shows: func(x simMachine) bool {
		_ = hip.StreamWaitEvent(x.hipStream(), x.orphanedHIPEvent(), 0)
		return len(x.Crashes()) > 0
	}},
	"gpu-graph-keeps-no-event": {shows: func(x simMachine) bool {
		if x.api == "cuda" {
			x.launchCUDAGraphWithoutEvent()
		} else if !x.launchHIPGraphWithoutEvent() {
			return false
		}
		return len(x.Misuse()) > 0
	}},
	"cuda-elapsed-steps": {shows: func(x simMachine) bool {
		x.enterCUDA()
		s, err := cudrv.StreamCreate(cudrv.StreamNonBlocking)
		require.NoError(x, err)
		var events []cudrv.Event
		for range 2 {
			e, err := cudrv.EventCreate(0)
			require.NoError(x, err)
			require.NoError(x, cudrv.EventRecord(e, s))
			events = append(events, e)
			x.clock.Advance(700 * time.Nanosecond)
		}
		ms, err := cudrv.EventElapsedTime(events[0], events[1])
		return err == nil && ms == 0.0005
	}},
	"cuda-elapsed-v2": {shows: func(x simMachine) bool {
		x.enterCUDA()
		s, err := cudrv.StreamCreate(cudrv.StreamNonBlocking)
		require.NoError(x, err)
		e, err := cudrv.EventCreate(0)
		require.NoError(x, err)
		require.NoError(x, cudrv.EventRecord(e, s))
		require.NoError(x, cudrv.EventSynchronize(e))
		x.FailCUDA(0, 700)
		_, old := cudrv.EventElapsedTime(e, e)
		_, v2 := cudrv.EventElapsedTimeV2(e, e)
		return errors.Is(old, cudrv.ErrIllegalAddress) && v2 == nil
	}},
	"gpu-hostfunc-one-thread": {sim.Options{OneHostThread: true}, func(x simMachine) bool {
		running, first, second := make(chan struct{}), make(chan struct{}), make(chan struct{})
		x.hostFunc(func() { close(running); <-first })
		<-running
		x.hostFunc(func() { close(second) })
		held := !within(second, shortly)
		close(first)
		return held && within(second, patience)
	}},
	"amd-hostfunc-api": {shows: func(x simMachine) bool {
		s := x.hipStream()
		inside := make(chan error, 1)
		ask := func(hip.Stream, hip.Result) { inside <- hip.StreamQuery(0) }
		require.NoError(x, hip.StreamAddCallback(s, ask, 0))
		require.NoError(x, hip.StreamSynchronize(s))
		return <-inside == nil
	}},
	"chip-one-lock": {shows: func(x simMachine) bool {
		s := x.hipStream()
		g, synced, asked := x.Gate(uintptr(s)), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(synced)
			_ = hip.StreamSynchronize(s)
		}()
		waits := false // once the synchronize has the lock
		for began := time.Now(); !waits && time.Since(began) < patience/10; {
			asked = make(chan struct{})
			go func() {
				defer close(asked)
				_, _ = hip.GetDevice()
			}()
			waits = !within(asked, shortly)
		}
		g.Open()
		return within(synced, patience) && within(asked, patience) && waits
	}},
	"chip-hostfunc-blocks-caller": {shows: func(x simMachine) bool {
		s := x.hipStream()
		return x.blocks(s, func() { _ = hip.LaunchHostFunc(s, func() {}) })
	}},
	"chip-destroy-waits-for-device": {shows: func(x simMachine) bool {
		busy, idle := x.hipStream(), x.hipStream()
		return x.blocks(busy, func() { _ = hip.StreamDestroy(idle) })
	}},
}

// Times for what is to happen, and for what is not.
const (
	patience = 30 * time.Second
	shortly  = 50 * time.Millisecond
)

func within(c <-chan struct{}, d time.Duration) bool {
	select {
	case <-c:
		return true
	case <-time.After(d):
		return false
	}
}

// blocks reports whether f returns only when a stream that is held up goes on.
func (x simMachine) blocks(s hip.Stream, f func()) bool {
	g, returned := x.Gate(uintptr(s)), make(chan struct{})
	go func() {
		defer close(returned)
		f()
	}()
	blocked := !within(returned, shortly)
	g.Open()
	return blocked && within(returned, patience)
}

// enterCUDA makes the primary context of device 0 current on the test's thread.
func (x simMachine) enterCUDA() {
	require.NoError(x, cudrv.Init(0))
	ctx, err := cudrv.DevicePrimaryCtxRetain(0)
	require.NoError(x, err)
	runtime.LockOSThread()
	x.Cleanup(runtime.UnlockOSThread)
	require.NoError(x, cudrv.CtxSetCurrent(ctx))
	x.Cleanup(func() { _ = cudrv.CtxSetCurrent(0) })
}

func (x simMachine) withoutDevice() error {
	_, err := hip.StreamCreateWithFlags(hip.StreamNonBlocking)
	return err
}

func (x simMachine) hipStream() hip.Stream {
	s, err := hip.StreamCreateWithFlags(hip.StreamNonBlocking)
	require.NoError(x, err)
	return s
}

func (x simMachine) destroyedHIPEvent() hip.Event {
	e, err := hip.EventCreateWithFlags(hip.EventDisableTiming)
	require.NoError(x, err)
	require.NoError(x, hip.EventDestroy(e))
	return e
}

// orphanedHIPEvent is one whose stream was destroyed.
func (x simMachine) orphanedHIPEvent() hip.Event {
	s := x.hipStream()
	e, err := hip.EventCreateWithFlags(hip.EventDisableTiming)
	require.NoError(x, err)
	require.NoError(x, hip.EventRecord(e, s))
	require.NoError(x, hip.StreamDestroy(s))
	return e
}

// launchCUDAGraphWithoutEvent launches a graph that records an event which was destroyed since.
func (x simMachine) launchCUDAGraphWithoutEvent() {
	x.enterCUDA()
	s, err := cudrv.StreamCreate(cudrv.StreamNonBlocking)
	require.NoError(x, err)
	e, err := cudrv.EventCreate(0)
	require.NoError(x, err)
	require.NoError(x, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	require.NoError(x, cudrv.EventRecordWithFlags(e, s, cudrv.EventRecordExternal))
	g, err := cudrv.StreamEndCapture(s)
	require.NoError(x, err)
	exec, err := cudrv.GraphInstantiateWithFlags(g, 0)
	require.NoError(x, err)
	require.NoError(x, cudrv.EventDestroy(e))
	_ = cudrv.GraphLaunch(exec, s)
}

// launchHIPGraphWithoutEvent does so where the runtime has external records.
func (x simMachine) launchHIPGraphWithoutEvent() bool {
	if !hip.Has("hipEventRecordWithFlags") {
		return false
	}
	s := x.hipStream()
	e, err := hip.EventCreate()
	require.NoError(x, err)
	require.NoError(x, hip.StreamBeginCapture(s, hip.StreamCaptureModeRelaxed))
	require.NoError(x, hip.EventRecordWithFlags(e, s, hip.EventRecordExternal))
	g, err := hip.StreamEndCapture(s)
	require.NoError(x, err)
	exec, _, err := hip.GraphInstantiate(g, nil, 0)
	require.NoError(x, err)
	require.NoError(x, hip.EventDestroy(e))
	_ = hip.GraphLaunch(exec, s)
	return true
}

// hostFunc has a new stream call f.
func (x simMachine) hostFunc(f func()) {
	if x.api == "hip" {
		s := x.hipStream()
		if hip.Has("hipLaunchHostFunc") {
			require.NoError(x, hip.LaunchHostFunc(s, f))
			return
		}
		require.NoError(x, hip.StreamAddCallback(s, func(hip.Stream, hip.Result) { f() }, 0))
		return
	}
	if now, _ := cudrv.CtxGetCurrent(); now == 0 {
		x.enterCUDA()
	}
	s, err := cudrv.StreamCreate(cudrv.StreamNonBlocking)
	require.NoError(x, err)
	require.NoError(x, cudrv.LaunchHostFunc(s, f))
}

// vendorOf is whose driver a profile plays, as ids begin.
func vendorOf(profile string) string {
	switch {
	case strings.HasPrefix(profile, "cuda-"):
		return "cuda"
	case profile == "hip-cpu":
		return "chip"
	}
	return "amd"
}

// concerns reports whether a fact may hold for a profile: AMD's may hold for HIP on a CPU as well,
// if the row says so.
func (r factRow) concerns(profile string) bool {
	switch of, _, _ := strings.Cut(r.id, "-"); vendorOf(profile) {
	case of:
		return true
	case "chip":
		return slices.Contains(r.profiles, profile)
	default:
		return of == "gpu"
	}
}

// TestFactsOfTheSimulator wants each fact that only the simulator shows to show where its row says
// that the profile plays it, and nowhere else.
func TestFactsOfTheSimulator(t *testing.T) {
	if *device != "" {
		t.Skip("a device is given")
	}
	for _, r := range factRows(t) {
		f, ok := simShown[r.id]
		if !ok {
			continue
		}
		for _, profile := range simProfiles() {
			if !r.concerns(profile) {
				continue
			}
			t.Run(r.id+"/"+profile, func(t *testing.T) {
				o := f.options
				manual := clock.NewManual()
				o.Clock = manual
				api, version, _ := strings.Cut(profile, "-")
				x := simMachine{t, newMachine(t, o, api, version), api, manual}
				assert.Equal(t, slices.Contains(r.profiles, profile), f.shows(x))
			})
		}
	}
}
