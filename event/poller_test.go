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

// idle waits until the device's poller is at rest.
func (d *Device) idle(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool {
		d.polls.mu.Lock()
		defer d.polls.mu.Unlock()
		return !d.polls.running
	}, 10*time.Second, time.Millisecond)
}

func gated(t testing.TB, m *sim.Machine, d *Device) (*Stream, *sim.Gate) {
	t.Helper()
	s, err := d.NewStream()
	require.NoError(t, err)
	g := m.Gate(s.native.handle.word)
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
	require.Eventually(t, func() bool { d.polls.mu.Lock(); defer d.polls.mu.Unlock(); return d.polls.running }, 10*time.Second, time.Millisecond)
	cancel()
	assert.ErrorIs(t, <-returned, context.Canceled)
	d.idle(t)
	assert.Nil(t, e.point)
	asked := m.Calls("cuEventQuery")
	runtime.Gosched()
	assert.Equal(t, asked, m.Calls("cuEventQuery"), "nobody is asked for")
	done := e.Done()
	g.Open()
	<-done
	d.idle(t)
}

func TestPollerAsksForTheOldestOfAStreamOnly(t *testing.T) {
	m := simulated(t, sim.Options{Log: true})
	s, g := gated(t, m, Default())
	var all []<-chan struct{}
	for range 100 {
		all = append(all, recordedOn(t, s).Done())
	}
	before := m.Calls("cuEventQuery")
	ticks := m.Calls("cuEventQuery")
	require.Eventually(t, func() bool { ticks = m.Calls("cuEventQuery"); return ticks > before+5 }, 10*time.Second, time.Millisecond)
	g.Open()
	for _, c := range all {
		<-c
	}
	// Each event is found done once; beyond that there are the questions of the ticks, of which there are few.
	assert.Less(t, m.Calls("cuEventQuery")-ticks, 100+100)
	s.device.idle(t)
}

func TestWaitsGivenUpDuringSupersedeLeaveNothing(t *testing.T) {
	m := simulated(t, sim.Options{})
	d := Default()
	s, g := gated(t, m, d)
	idle, err := d.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, idle.Close()) }()
	e := recordedOn(t, s)
	streams, events := m.CUDALive().Streams, m.CUDALive().Events
	ctx, cancel := context.WithCancel(t.Context())
	returned := make(chan error)
	go func() { returned <- e.Wait(ctx) }()
	require.Eventually(t, func() bool { rec := e.rec.lock(); defer e.rec.unlock(rec); return e.point != nil }, 10*time.Second, time.Millisecond)
	require.NoError(t, e.Record(idle))
	assert.Equal(t, streams+1, m.CUDALive().Streams, "a stand-in waits for the first record")
	assert.Equal(t, events+1, m.CUDALive().Events)
	cancel()
	assert.ErrorIs(t, <-returned, context.Canceled)
	require.Eventually(t, func() bool { return m.CUDALive().Events == events && m.CUDALive().Streams == streams }, 10*time.Second, time.Millisecond)
	d.idle(t)
	g.Open()
}

func TestFailedSupersedeChangesNothing(t *testing.T) {
	for _, call := range []string{"cuStreamCreateWithPriority", "cuEventCreate", "cuStreamWaitEvent", "cuEventRecord"} {
		t.Run(call, func(t *testing.T) {
			m := simulated(t, sim.Options{})
			s, g := gated(t, m, Default())
			e := recordedOn(t, s)
			done := e.Done()
			live := m.CUDALive()
			m.FaultAt(call, 1, 2)
			var driver *DriverError
			require.ErrorAs(t, e.Record(s), &driver)
			assert.Equal(t, call, driver.Call)
			require.Eventually(t, func() bool { return m.CUDALive() == live }, 10*time.Second, time.Millisecond)
			assert.EqualValues(t, 1, e.Generation())
			g.Open()
			<-done
			require.NoError(t, e.Err())
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
		assert.Equal(t, live.Events, m.CUDALive().Events)
	}
	m.ClearFaults()
}
