package eventsim_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/hip"
)

// double is a test that notes what a machine says to it.
type double struct {
	testing.TB
	name     string
	fatal    string
	errors   []any
	cleanups []func()
}

func (d *double) Name() string      { return d.name }
func (d *double) Helper()           {}
func (d *double) Failed() bool      { return false }
func (d *double) Cleanup(f func())  { d.cleanups = append(d.cleanups, f) }
func (d *double) Error(args ...any) { d.errors = append(d.errors, args...) }
func (d *double) Fatal(args ...any) {
	d.fatal = args[0].(error).Error()
	runtime.Goexit()
}

// new is eventsim.New for the double.
func (d *double) new(c eventsim.Config) (m *eventsim.Machine) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		m = eventsim.New(d, c)
	}()
	<-ended
	return m
}

func (d *double) end() {
	for _, f := range d.cleanups {
		f()
	}
}

// These tests need the process for themselves: they don't run in parallel.

func TestProcessWide(t *testing.T) {
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		t.Run(string(b), func(t *testing.T) {
			m := eventsim.New(t, eventsim.Config{Backend: b, Devices: 2, ProcessWide: true})
			require.Len(t, event.Devices(), 3, "and the host")
			assert.Same(t, m.Device(0), event.Default())
			d, err := event.Open(string(b) + ":1")
			require.NoError(t, err)
			assert.Same(t, m.Device(1), d)
			if b == event.CUDA {
				n, err := cudrv.DeviceGetCount()
				require.NoError(t, err)
				assert.EqualValues(t, 2, n)
			} else {
				n, err := hip.GetDeviceCount()
				require.NoError(t, err)
				assert.EqualValues(t, 2, n)
			}
			s := stream(t, d)
			g := m.Gate(s)
			e := recorded(t, s)
			g.Open()
			require.NoError(t, e.Wait(t.Context()))
		})
	}
}

func TestProcessWithoutDevices(t *testing.T) {
	eventsim.New(t, eventsim.Config{Devices: -1, ProcessWide: true})
	assert.ErrorIs(t, event.Unavailable(event.CUDA), cudrv.ErrNoDevice)
	assert.True(t, event.Default().IsHost())
}

func TestOthersAreNotFound(t *testing.T) {
	eventsim.New(t, eventsim.Config{})
	eventsim.New(t, eventsim.Config{Backend: event.HIP})
	assert.True(t, event.Default().IsHost())
	assert.ErrorIs(t, cudrv.Available(), cudrv.ErrNoDevice)
	assert.ErrorIs(t, hip.Available(), hip.ErrNoDevice)
}

func TestNothingStaysInstalled(t *testing.T) {
	before := cudrv.Path()
	m, err := eventsim.Open(eventsim.Config{})
	require.NoError(t, err)
	assert.Contains(t, cudrv.Path(), "simulated")
	s, err := m.Device(0).NewStream()
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, m.Close())
	require.NoError(t, m.Close(), "again")
	assert.Equal(t, before, cudrv.Path())
	_, err = m.Device(0).NewStream()
	assert.Error(t, err)
}

func TestMachinesThatExcludeEachOther(t *testing.T) {
	for name, second := range map[string]eventsim.Config{
		"another version": {Version: "12.4"},
		"process-wide":    {ProcessWide: true},
	} {
		t.Run(name, func(t *testing.T) {
			first := &double{name: t.Name() + "/first"}
			require.NotNil(t, first.new(eventsim.Config{}))
			_, err := eventsim.Open(second)
			assert.ErrorContains(t, err, "close the one that was of test "+first.name+" first")

			inside := &double{name: first.name + "/inside"}
			require.Nil(t, inside.new(second))
			assert.Contains(t, inside.fatal, "close the one that was of test "+first.name+" first")

			beside, started := &double{name: t.Name() + "/beside"}, make(chan *eventsim.Machine)
			go func() { started <- beside.new(second) }()
			select {
			case <-started:
				require.Fail(t, "it did not wait")
			default:
			}
			first.end()
			require.NotNil(t, <-started)
			beside.end()
			assert.Empty(t, append(first.errors, beside.errors...))
		})
	}
}

func TestConfigsThatCannotBe(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]eventsim.Config{
		`backend "host" can't be simulated`:        {Backend: event.Host},
		`version "1.0" of cuda can't be simulated`: {Version: "1.0"},
		`version "13.5" of hip can't be simulated`: {Backend: event.HIP, Version: "13.5"},
		"a machine has at most 64 devices, not 65": {Devices: 65},
		"has no offset and no drift":               {ClockOffset: 1},
		"a clock drifts by at most 0.01":           {RealTime: true, ClockDrift: -0.02},
	} {
		_, err := eventsim.Open(c)
		assert.ErrorContains(t, err, want)
	}
}

func TestLeaksFailTheTest(t *testing.T) {
	t.Parallel()
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		t.Run(string(b), func(t *testing.T) {
			t.Parallel()
			d := &double{name: t.Name()}
			m := d.new(eventsim.Config{Backend: b, Devices: 2})
			s, err := m.Device(1).NewStream()
			require.NoError(t, err)
			m.Gate(s)
			e := recorded(t, s)
			d.end()
			require.Len(t, d.errors, 1)
			assert.EqualError(t, d.errors[0].(error),
				fmt.Sprintf("eventsim: left open on %s:1: 1 stream(s), 1 event(s)", b))
			assert.Error(t, s.Record(e), "the machine is gone")
			_ = s.Close()
		})
	}
}

func TestMisuseFailsTheTest(t *testing.T) {
	t.Parallel()
	eventsim.New(t, eventsim.Config{}) // so that the driver stays
	d := &double{name: t.Name() + "/other"}
	m := d.new(eventsim.Config{})
	var e cudrv.Event
	require.NoError(t, m.Device(0).Do(func() (err error) {
		e, err = cudrv.EventCreate(cudrv.EventDisableTiming)
		return err
	}))
	require.NoError(t, cudrv.EventDestroy(e))
	assert.ErrorIs(t, cudrv.EventQuery(e), cudrv.ErrInvalidHandle)
	d.end()
	require.Len(t, d.errors, 1)
	assert.ErrorContains(t, d.errors[0].(error), "eventsim: misuse: cuEventQuery(")
	assert.ErrorContains(t, d.errors[0].(error), "event is destroyed or none")
	assert.ErrorIs(t, cudrv.EventQuery(e), cudrv.ErrDeinitialized, "the machine is gone")
}

// What a machine had current on a thread is gone with it, and no other finds it there.
func TestThreadsForgetMachines(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	eventsim.New(t, eventsim.Config{}) // so that the driver stays
	d := &double{name: t.Name() + "/other"}
	c, err := d.new(eventsim.Config{}).Device(0).Context()
	require.NoError(t, err)
	require.NoError(t, cudrv.CtxSetCurrent(cudrv.Context(c)))
	d.end()
	now, err := cudrv.CtxGetCurrent()
	require.NoError(t, err)
	assert.Zero(t, now)
}
