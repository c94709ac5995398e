package eventsim_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/hip"
)

// everyVersion runs f, in parallel, on a machine of each version of each vendor.
func everyVersion(t *testing.T, c eventsim.Config, f func(*testing.T, *eventsim.Machine)) {
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		for _, v := range eventsim.Versions(b) {
			t.Run(fmt.Sprintf("%s-%s", b, v), func(t *testing.T) {
				t.Parallel()
				own := c
				own.Backend, own.Version = b, v
				f(t, eventsim.New(t, own))
			})
		}
	}
}

// illegalAddress is the vendor's code.
func illegalAddress(d *event.Device) error {
	if d.Backend() == event.HIP {
		return hip.ErrIllegalAddress
	}
	return cudrv.ErrIllegalAddress
}

func stream(t testing.TB, d *event.Device, options ...event.StreamOption) *event.Stream {
	t.Helper()
	s, err := d.NewStream(options...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func recorded(t testing.TB, s *event.Stream, options ...event.EventOption) *event.Event {
	t.Helper()
	e, err := s.RecordNew(options...)
	require.NoError(t, err)
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func TestDevices(t *testing.T) {
	t.Parallel()
	everyVersion(t, eventsim.Config{Devices: 2}, func(t *testing.T, m *eventsim.Machine) {
		require.Len(t, m.Devices(), 2)
		for i, d := range m.Devices() {
			assert.Same(t, d, m.Device(i))
			assert.Equal(t, i, d.Ordinal())
			assert.Equal(t, fmt.Sprintf("%s:%d", d.Backend(), i), d.String())
			assert.NotEmpty(t, d.Name())
			assert.NotZero(t, d.Capabilities())
		}
		assert.NotEqual(t, m.Device(0).UUID(), m.Device(1).UUID())
	})
}

func TestGateOnEachKindOfStream(t *testing.T) {
	t.Parallel()
	everyVersion(t, eventsim.Config{Devices: 2}, func(t *testing.T, m *eventsim.Machine) {
		for _, s := range []*event.Stream{stream(t, m.Device(1)), m.Device(1).DefaultStream()} {
			g := m.Gate(s)
			e := recorded(t, s)
			done, err := e.IsDone()
			require.NoError(t, err)
			assert.False(t, done)
			g.Open()
			g.Open()
			require.NoError(t, e.Wait(t.Context()))
		}
	})
}

func TestElapsedTimeIsExact(t *testing.T) {
	t.Parallel()
	everyVersion(t, eventsim.Config{}, func(t *testing.T, m *eventsim.Machine) {
		s := stream(t, m.Device(0))
		start := recorded(t, s, event.WithTiming())
		m.Work(s, 3*time.Millisecond)
		end := recorded(t, s, event.WithTiming())
		m.Advance(2 * time.Millisecond)
		done, err := end.IsDone()
		require.NoError(t, err)
		assert.False(t, done)
		m.Advance(2 * time.Millisecond)
		require.NoError(t, end.Wait(t.Context()))
		elapsed, err := end.Sub(start)
		require.NoError(t, err)
		assert.Equal(t, 3*time.Millisecond, elapsed)
		assert.Equal(t, 4*time.Millisecond, m.Now())
	})
}

func TestRealTime(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{RealTime: true})
	s := stream(t, m.Device(0))
	before := m.Now()
	m.Work(s, time.Millisecond)
	require.NoError(t, recorded(t, s).Wait(t.Context()))
	assert.GreaterOrEqual(t, m.Now()-before, time.Millisecond)
	assert.Panics(t, func() { m.Advance(1) })
}

func TestStreamsOfOneMachineWaitForEachOther(t *testing.T) {
	t.Parallel()
	everyVersion(t, eventsim.Config{Devices: 2}, func(t *testing.T, m *eventsim.Machine) {
		first, second := stream(t, m.Device(0)), stream(t, m.Device(1))
		g := m.Gate(first)
		require.NoError(t, second.WaitEvent(recorded(t, first)))
		last := recorded(t, second)
		done, err := last.IsDone()
		require.NoError(t, err)
		assert.False(t, done)
		g.Open()
		require.NoError(t, last.Wait(t.Context()))
	})
}

func TestHostFunctionsRun(t *testing.T) {
	t.Parallel()
	everyVersion(t, eventsim.Config{}, func(t *testing.T, m *eventsim.Machine) {
		s := stream(t, m.Device(0))
		ran := false
		err := s.HostFunc(func() error { ran = true; return nil })
		if !m.Device(0).Capabilities().Has(event.CapHostFunc) { // an old ROCm
			require.ErrorIs(t, err, event.ErrUnsupported)
			return
		}
		require.NoError(t, err)
		require.NoError(t, recorded(t, s).Wait(t.Context()))
		assert.True(t, ran)
	})
}

func TestClockThatDrifts(t *testing.T) {
	t.Parallel()
	const drift = 0.01 // enough to be seen in milliseconds
	m := eventsim.New(t, eventsim.Config{RealTime: true, ClockOffset: time.Hour, ClockDrift: drift})
	s := stream(t, m.Device(0))
	before := time.Now()
	first := recorded(t, s, event.WithTiming())
	require.NoError(t, first.Sync())
	inner := time.Now()
	assert.GreaterOrEqual(t, m.Now(), time.Hour)
	time.Sleep(20 * time.Millisecond) // real time, which the clock is compared with
	shortest := time.Since(inner)
	last := recorded(t, s, event.WithTiming())
	require.NoError(t, last.Sync())
	longest := time.Since(before)
	d, err := last.Sub(first)
	require.NoError(t, err)
	const rounding = time.Microsecond
	assert.GreaterOrEqual(t, d, time.Duration(float64(shortest)*(1+drift))-rounding)
	assert.LessOrEqual(t, d, time.Duration(float64(longest)*(1+drift))+rounding)
}
