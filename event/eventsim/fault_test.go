package eventsim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/hip"
)

// name is a C function of the device's vendor, of which only the prefix differs.
func name(d *event.Device, call string) string {
	if d.Backend() == event.HIP {
		return "hip" + call
	}
	return "cu" + call
}

func TestFaultAtTheNthCall(t *testing.T) {
	t.Parallel()
	everyVersion(t, eventsim.Config{Devices: 2}, func(t *testing.T, m *eventsim.Machine) {
		first, second := m.Device(0), m.Device(1)
		s, other := stream(t, first), stream(t, second)
		record := name(first, "EventRecord")
		before := m.Calls(record)
		m.Fail(eventsim.Fault{Call: record, Err: illegalAddress(first), At: 3})
		recorded(t, s)
		recorded(t, s)
		_, err := s.RecordNew()
		require.ErrorIs(t, err, illegalAddress(first))
		_, err = s.RecordNew()
		require.ErrorIs(t, err, illegalAddress(first), "the device is broken")
		require.NoError(t, recorded(t, other).Wait(t.Context()), "the other one is not")
		assert.Equal(t, before+5, m.Calls(record))
	})
}

func TestFaultThatBreaksNothing(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{})
	s := stream(t, m.Device(0))
	m.Fail(eventsim.Fault{Call: "cuEventCreate", Err: cudrv.ErrOutOfMemory, Times: 2})
	for range 2 {
		_, err := s.RecordNew()
		require.ErrorIs(t, err, cudrv.ErrOutOfMemory)
	}
	recorded(t, s)
	m.Fail(eventsim.Fault{Call: "cuEventRecord", Err: cudrv.ErrNotPermitted, Times: -1})
	for range 5 {
		_, err := s.RecordNew()
		require.ErrorIs(t, err, cudrv.ErrNotPermitted)
	}
	m.Heal()
	recorded(t, s)
}

func TestFailingKernelEndsWaits(t *testing.T) {
	t.Parallel()
	everyVersion(t, eventsim.Config{Devices: 2}, func(t *testing.T, m *eventsim.Machine) {
		for i, fail := range []func(*event.Stream, *eventsim.Gate){
			func(_ *event.Stream, g *eventsim.Gate) { g.Fail(illegalAddress(m.Device(0))) },
			func(_ *event.Stream, g *eventsim.Gate) { g.Open() },
		} {
			s := stream(t, m.Device(i))
			g := m.Gate(s)
			m.FailWork(s, illegalAddress(m.Device(i)))
			e := recorded(t, s)
			done := e.Done()
			fail(s, g)
			<-done
			require.ErrorIs(t, e.Err(), illegalAddress(m.Device(0)))
		}
	})
}

func TestLostDevice(t *testing.T) {
	t.Parallel()
	everyVersion(t, eventsim.Config{Devices: 2}, func(t *testing.T, m *eventsim.Machine) {
		lost := error(cudrv.ErrUnknown)
		if m.Device(0).Backend() == event.HIP {
			lost = hip.ErrUnknown
		}
		s, other := stream(t, m.Device(0)), stream(t, m.Device(1))
		m.Gate(s)
		e := recorded(t, s)
		done := e.Done()
		m.Lose(0, lost)
		<-done
		require.ErrorIs(t, e.Err(), lost)
		require.ErrorIs(t, s.Record(e), lost)
		_, err := m.Device(0).NewStream()
		require.ErrorIs(t, err, lost)
		require.NoError(t, recorded(t, other).Wait(t.Context()))
	})
}

func TestDeviceIsLostBeforeItsFirstUse(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{})
	m.Lose(0, cudrv.ErrUnknown)
	_, err := m.Device(0).NewStream()
	require.ErrorIs(t, err, cudrv.ErrUnknown)
}

func TestMemoryRunsOut(t *testing.T) {
	t.Parallel()
	small := eventsim.Config{Devices: 2, Memory: 1 << 20}
	everyVersion(t, small, func(t *testing.T, m *eventsim.Machine) {
		const most = 700 << 10
		outOfMemory := error(cudrv.ErrOutOfMemory)
		alloc := func() (func() error, error) {
			p, err := cudrv.MemAlloc(most)
			return func() error { return cudrv.MemFree(p) }, err
		}
		if m.Device(0).Backend() == event.HIP {
			outOfMemory = hip.ErrOutOfMemory
			alloc = func() (func() error, error) {
				p, err := hip.Malloc(most)
				return func() error { return hip.Free(p) }, err
			}
		}
		on := func(i int) (free func() error, err error) {
			return free, m.Device(i).Do(func() error {
				free, err = alloc()
				return err
			})
		}
		first, err := on(0)
		require.NoError(t, err)
		_, err = on(0)
		require.ErrorIs(t, err, outOfMemory)
		second, err := on(1)
		require.NoError(t, err, "the other device has its own")
		memory, err := m.Device(0).Memory()
		require.NoError(t, err)
		assert.Equal(t, event.MemoryInfo{Total: 1 << 20, Free: 1<<20 - most}, memory)
		require.NoError(t, first())
		first, err = on(0)
		require.NoError(t, err)
		require.NoError(t, first())
		require.NoError(t, second())
	})
}

func TestLog(t *testing.T) {
	t.Parallel()
	m, other := eventsim.New(t, eventsim.Config{Devices: 2}), eventsim.New(t, eventsim.Config{})
	s := stream(t, m.Device(1))
	m.Fail(eventsim.Fault{Call: "cuEventRecord", Err: cudrv.ErrNotPermitted})
	e, err := m.Device(1).NewEvent()
	require.NoError(t, err)
	require.Error(t, e.Record(s))
	require.NoError(t, e.Record(s))
	require.NoError(t, e.Close())
	var records []eventsim.Call
	for _, c := range m.Log() {
		if c.Name == "cuEventRecord" {
			records = append(records, c)
		}
	}
	assert.Equal(t, []eventsim.Call{
		{"cuEventRecord", cudrv.ErrNotPermitted, 1},
		{"cuEventRecord", nil, 1},
	}, records)
	assert.Zero(t, other.Calls("cuEventRecord"))
}

func TestMistakesPanic(t *testing.T) {
	t.Parallel()
	m, other := eventsim.New(t, eventsim.Config{}), eventsim.New(t, eventsim.Config{})
	s := stream(t, other.Device(0))
	fault := func(call string, err error) func() {
		return func() { m.Fail(eventsim.Fault{Call: call, Err: err}) }
	}
	for want, f := range map[string]func(){
		"Machine.Device: device 1: there are 1, counted from 0": func() { m.Device(1) },
		"Machine.Gate: " + s.String() + " belongs to no device": func() { m.Gate(s) },
		"Machine.Work: the stream is closed or nil":             func() { m.Work(nil, 1) },
		"Machine.Lose: device -1":                               func() { m.Lose(-1, cudrv.ErrUnknown) },
		"is no code of CUDA's: use one such as":                 func() { m.Lose(0, hip.ErrUnknown) },
		`Machine.Fail: "cuMemAlloc" is no function of the`:      fault("cuMemAlloc", nil),
		`Machine.Calls: "hipMalloc" is no function`:             func() { m.Calls("hipMalloc") },
		"Machine.Fail: <nil> is no code of CUDA's":              fault("cuInit", nil),
	} {
		func() {
			defer func() { assert.Contains(t, recover(), want) }()
			f()
		}()
	}
}
