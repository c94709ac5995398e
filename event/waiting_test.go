package event

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// idle waits until nothing is polled on the device.
func (d *Device) idle(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool { return !Busy(d) }, 10*time.Second, time.Millisecond)
}

func gated(t testing.TB, m *sim.Machine, d *Device) (*Stream, *sim.Gate) {
	t.Helper()
	s, err := d.NewStream()
	require.NoError(t, err)
	g := m.Gate(NativeHandle(s))
	t.Cleanup(func() {
		g.Open()
		require.NoError(t, s.Close())
	})
	return s, g
}

func recordedOn(t testing.TB, s *Stream) *Event {
	t.Helper()
	e, err := s.RecordNew()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func TestPollerRestsWhenNobodyWaits(t *testing.T) {
	m := simulated(t, sim.Options{})
	d := Default()
	s, g := gated(t, m, d)
	e := recordedOn(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	returned := make(chan error)
	go func() { returned <- e.Wait(ctx) }()
	require.Eventually(t, func() bool { return Busy(d) }, 10*time.Second, time.Millisecond)
	cancel()
	assert.ErrorIs(t, <-returned, context.Canceled)
	d.idle(t)
	assert.Nil(t, e.waiting.Load())
	asked := m.Calls("cuEventQuery")
	runtime.Gosched()
	assert.Equal(t, asked, m.Calls("cuEventQuery"), "nobody is asked for")
	done := e.Done()
	g.Open()
	<-done
	d.idle(t)
}

func TestOnlyTheOldestOfAStreamIsAskedFor(t *testing.T) {
	m := simulated(t, sim.Options{Log: true})
	s, g := gated(t, m, Default())
	var all []<-chan struct{}
	for range 100 {
		all = append(all, recordedOn(t, s).Done())
	}
	before := m.Calls("cuEventQuery")
	ticks := before
	require.Eventually(t, func() bool { ticks = m.Calls("cuEventQuery"); return ticks > before+5 },
		10*time.Second, time.Millisecond)
	g.Open()
	for _, c := range all {
		<-c
	}
	// One for the first, one for the last; the rest are the queries of a few ticks.
	assert.Less(t, m.Calls("cuEventQuery")-ticks, 50)
	s.device.idle(t)
}

func TestWaitsKeepTheHandleOfTheirRecord(t *testing.T) {
	m := simulated(t, sim.Options{})
	d := Default()
	s, g := gated(t, m, d)
	idle, err := d.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, idle.Close()) }()
	e := recordedOn(t, s)
	name, live := e.String(), m.CUDALive()
	ctx, cancel := context.WithCancel(t.Context())
	returned := make(chan error)
	go func() { returned <- e.Wait(ctx) }()
	require.Eventually(t, func() bool { return Busy(d) }, 10*time.Second, time.Millisecond)
	require.NoError(t, e.Record(idle))
	assert.Equal(t, live.Events+1, m.CUDALive().Events, "existing waiters keep the first handle")
	assert.Equal(t, live.Streams, m.CUDALive().Streams)
	assert.Equal(t, name, e.String())
	for range 3 {
		require.NoError(t, e.Record(idle))
	}
	assert.Equal(t, live.Events+1, m.CUDALive().Events, "nobody waits for the later records")
	cancel()
	assert.ErrorIs(t, <-returned, context.Canceled)
	require.Eventually(t, func() bool {
		return m.CUDALive() == live
	}, 10*time.Second, time.Millisecond)
	d.idle(t)
	g.Open()
}

func TestFailedRecordKeepsTheWaits(t *testing.T) {
	for _, call := range []string{"cuEventCreate", "cuEventRecord"} {
		t.Run(call, func(t *testing.T) {
			m := simulated(t, sim.Options{})
			s, g := gated(t, m, Default())
			e := recordedOn(t, s)
			done := e.Done()
			m.FaultAt(call, 1, 2)
			var driver *DriverError
			require.ErrorAs(t, e.Record(s), &driver)
			assert.Equal(t, call, driver.Call)
			assert.EqualValues(t, 1, e.Generation())
			g.Open()
			<-done
			require.NoError(t, e.Sync())
			require.NoError(t, e.Record(s))
		})
	}
}

func TestRefusedCreationLeavesNothing(t *testing.T) {
	m := simulated(t, sim.Options{})
	d := Default()
	_, err := d.Context()
	require.NoError(t, err)
	_, err = d.NewStream() // learns the range of priorities, and is dropped
	require.NoError(t, err)
	live := m.CUDALive()
	amd, err := Open("hip:0")
	require.NoError(t, err)
	m.FaultAt("hipIpcGetEventHandle", 1, 999)
	_, err = amd.NewEvent(WithIPC())
	assert.ErrorContains(t, err, "hipIpcGetEventHandle")
	assert.Zero(t, m.HIPLive().Events)
	for _, n := range []int{2, 3} { // a thread that can't be given its context back
		m.ClearFaults()
		m.FaultAt("cuCtxSetCurrent", n, 999)
		e, err := d.NewEvent()
		if err == nil { // the second try to restore it succeeded
			require.NoError(t, e.Close())
		}
		DrainPools()
		assert.Equal(t, live.Events, m.CUDALive().Events)
	}
	m.ClearFaults()
}
