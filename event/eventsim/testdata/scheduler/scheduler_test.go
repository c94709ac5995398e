package scheduler

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/hip"
)

// vendors runs f on machines of NVIDIA's and of AMD's with some devices.
func vendors(t *testing.T, devices int, f func(t *testing.T, m *eventsim.Machine, illegal error)) {
	for backend, illegal := range map[event.Backend]error{
		event.CUDA: cudrv.ErrIllegalAddress,
		event.HIP:  hip.ErrIllegalAddress,
	} {
		t.Run(string(backend), func(t *testing.T) {
			t.Parallel()
			f(t, eventsim.New(t, eventsim.Config{Backend: backend, Devices: devices}), illegal)
		})
	}
}

// launch is a job that was launched and goes on until its gate opens.
type launch struct {
	job    int
	device *event.Device
	gate   *eventsim.Gate
}

// gated is a job that reports its launches to the test.
func gated(m *eventsim.Machine, number int, launched chan<- launch) Job {
	return func(s *event.Stream) error {
		g := m.Gate(s)
		launched <- launch{number, s.Device(), g}
		return nil
	}
}

// start runs jobs, and returns what they report in the end.
func start(t *testing.T, m *eventsim.Machine, jobs ...Job) <-chan Report {
	ended := make(chan Report, 1)
	go func() { ended <- Run(t.Context(), m.Devices(), jobs...) }()
	return ended
}

func (r Report) mustBe(t *testing.T, errs []error, lost ...*event.Device) {
	t.Helper()
	for i, want := range errs {
		if !errors.Is(r.Errs[i], want) {
			t.Errorf("job %d ended with %v, want %v", i, r.Errs[i], want)
		}
	}
	if len(r.Lost) != len(lost) {
		t.Fatalf("lost %v, want %v", r.Lost, lost)
	}
	for i := range lost {
		if r.Lost[i] != lost[i] {
			t.Errorf("lost %v, want %v", r.Lost, lost)
		}
	}
}

func TestSpreadsJobs(t *testing.T) {
	t.Parallel()
	vendors(t, 2, func(t *testing.T, m *eventsim.Machine, _ error) {
		launched := make(chan launch)
		ended := start(t, m, gated(m, 0, launched), gated(m, 1, launched), gated(m, 2, launched))
		a, b := <-launched, <-launched
		if a.device == b.device {
			t.Errorf("both run on %v", a.device)
		}
		a.gate.Open()
		c := <-launched
		if c.device != a.device {
			t.Errorf("job %d runs on %v, which is busy", c.job, c.device)
		}
		b.gate.Open()
		c.gate.Open()
		(<-ended).mustBe(t, []error{nil, nil, nil})
	})
}

func TestSurvivesLostGPU(t *testing.T) {
	t.Parallel()
	vendors(t, 2, func(t *testing.T, m *eventsim.Machine, _ error) {
		lost := error(cudrv.ErrUnknown)
		if m.Device(0).Backend() == event.HIP {
			lost = hip.ErrUnknown
		}
		launched := make(chan launch)
		ended := start(t, m, gated(m, 0, launched), gated(m, 1, launched))
		a, b := <-launched, <-launched
		if a.device == m.Device(1) {
			a, b = b, a
		}
		m.Lose(1, lost)
		a.gate.Open()
		again := <-launched
		if again.job != b.job || again.device != m.Device(0) {
			t.Errorf("job %d runs on %v, want %d on %v", again.job, again.device, b.job, m.Device(0))
		}
		again.gate.Open()
		(<-ended).mustBe(t, []error{nil, nil}, m.Device(1))
	})
}

func TestJobWithIllegalAddress(t *testing.T) {
	t.Parallel()
	vendors(t, 3, func(t *testing.T, m *eventsim.Machine, illegal error) {
		launched := make(chan launch)
		ended := start(t, m, gated(m, 0, launched))
		first := <-launched
		first.gate.Fail(illegal)
		second := <-launched
		second.gate.Fail(illegal)
		(<-ended).mustBe(t, []error{illegal}, first.device, second.device)

		var left []*event.Device
		for _, d := range m.Devices() {
			if d != first.device && d != second.device {
				left = append(left, d)
			}
		}
		Run(t.Context(), left, func(*event.Stream) error { return nil }).mustBe(t, []error{nil})
	})
}

func TestNoDeviceIsLeft(t *testing.T) {
	t.Parallel()
	vendors(t, 1, func(t *testing.T, m *eventsim.Machine, illegal error) {
		bad := func(s *event.Stream) error { m.FailWork(s, illegal); return nil }
		Run(t.Context(), m.Devices(), bad).mustBe(t, []error{ErrNoDevices}, m.Device(0))
	})
}

// withMemory is a job that needs memory of the device for as long as it works.
func withMemory(bytes uintptr) Job {
	return func(s *event.Stream) error {
		return s.Device().Do(func() error {
			p, err := cudrv.MemAlloc(bytes)
			if err != nil {
				return err
			}
			return cudrv.MemFree(p)
		})
	}
}

func TestOutOfMemory(t *testing.T) {
	t.Parallel()
	m := eventsim.New(t, eventsim.Config{Memory: 1 << 20})
	m.Fail(eventsim.Fault{Call: "cuMemAlloc_v2", Err: cudrv.ErrOutOfMemory})
	Run(t.Context(), m.Devices(), withMemory(1<<10)).mustBe(t, []error{nil})
	Run(t.Context(), m.Devices(), withMemory(2<<20), withMemory(1<<10)).
		mustBe(t, []error{cudrv.ErrOutOfMemory, nil})
	if n := m.Calls("cuMemAlloc_v2"); n != 5 {
		t.Errorf("%d allocations, want 5", n)
	}
}

func TestGivesUpInTime(t *testing.T) {
	t.Parallel()
	vendors(t, 2, func(t *testing.T, m *eventsim.Machine, _ error) {
		ctx, cancel := context.WithCancel(t.Context())
		launched := make(chan launch)
		ended := make(chan Report, 1)
		go func() { ended <- Run(ctx, m.Devices(), gated(m, 0, launched)) }()
		<-launched
		cancel()
		(<-ended).mustBe(t, []error{context.Canceled})
	})
}

func TestTimesAreExact(t *testing.T) {
	t.Parallel()
	vendors(t, 1, func(t *testing.T, m *eventsim.Machine, _ error) {
		var begin, end *event.Event
		launched := make(chan struct{})
		ended := start(t, m, func(s *event.Stream) (err error) {
			if begin, err = s.RecordNew(event.WithTiming()); err != nil {
				return err
			}
			m.Work(s, 3*time.Millisecond)
			end, err = s.RecordNew(event.WithTiming())
			close(launched)
			return err
		})
		<-launched
		m.Advance(time.Second)
		(<-ended).mustBe(t, []error{nil})
		took, err := end.Sub(begin)
		if err != nil || took != 3*time.Millisecond {
			t.Errorf("the work took %v (%v), want 3ms", took, err)
		}
		_ = begin.Close()
		_ = end.Close()
	})
}
