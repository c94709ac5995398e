package eventbench_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventbench"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// bench runs benchmarks of this test binary in another process, as go test -bench does. They are
// those of machines whose clock moves only with their work, so that the times are exact.
func bench(t *testing.T, pattern string, args ...string) (output string, err error) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	args = append([]string{"-test.run=^$", "-test.bench=" + pattern, "-test.benchtime=300x"}, args...)
	out, err := exec.CommandContext(t.Context(), self, args...).CombinedOutput()
	return string(out), err
}

var metric = regexp.MustCompile(`(\S+) gpu-ns/op`)

func TestTimes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, pattern, want, log string }{
		{"Run on CUDA", "^BenchmarkExact$/^cuda$", "3000000", "all times are equal"},
		{"Run on HIP", "^BenchmarkExact$/^hip$", "3000000", "all times are equal"},
		{"a loop to b.N", "^BenchmarkCounted$", "2000000", ""},
		{"several streams", "^BenchmarkParallel$", "1000000", ""},
		{"one lap of 500", "^BenchmarkOutlier$", "200000", "the longest time is"},
		{"unsteady work", "^BenchmarkUnsteady$", "7525000", "the first"},
		{"no work", "^BenchmarkNothing$", "0", "too short for the clock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := bench(t, c.pattern)
			require.NoError(t, err, out)
			found := metric.FindStringSubmatch(out)
			require.NotNil(t, found, out)
			assert.Equal(t, c.want, found[1], out)
			assert.Contains(t, out, "ns/op")
			if c.log == "" {
				assert.NotContains(t, out, "eventbench:")
			} else {
				assert.Contains(t, out, c.log)
			}
		})
	}
}

// One slow operation among 500 neither changes the result nor goes unnoticed.
func TestTimesWithAnOutlier(t *testing.T) {
	t.Parallel()
	out, err := bench(t, "^BenchmarkOutlier$", "-test.benchtime=500x")
	require.NoError(t, err, out)
	assert.Regexp(t, `\s499\.8 gpu-mean-%\s+200000 gpu-ns/op`, out)
	assert.Contains(t, out, "the mean of the operations, 1.199599ms, is off the median, "+
		"200µs, by +500 %")
	assert.Contains(t, out, "the longest time is")
}

// Many operations share an event, and the time stays exact.
func TestTimesOfManyOperations(t *testing.T) {
	t.Parallel()
	out, err := bench(t, "^BenchmarkExact$/^cuda$", "-test.benchtime=5000x")
	require.NoError(t, err, out)
	assert.Regexp(t, `5000\s+[\d.]+ ns/op\s+0 gpu-mean-%\s+3000000 gpu-ns/op`, out)
	assert.Equal(t, 1, strings.Count(out, "eventbench:"), "an exact clock\n%s", out)
}

// On the host device, whose clock is the system's, work is not shorter than it is.
func TestTimesOfTheHost(t *testing.T) {
	t.Parallel()
	out, err := bench(t, "^BenchmarkHost$", "-test.benchtime=10ms")
	require.NoError(t, err, out)
	found := regexp.MustCompile(`(\S+) ns/op\s+\S+ gpu-mean-%\s+(\S+) gpu-ns/op`).FindStringSubmatch(out)
	require.NotNil(t, found, out)
	for _, text := range found[1:] {
		ns, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, ns, 50e3, "the wait for the work is part of ns/op\n%s", out)
	}
}

// What fails ends the benchmark.
func TestFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, pattern, want string }{
		{"the operation", "^BenchmarkFailing$/^operation$", "no work"},
		{"no stream", "^BenchmarkFailing$/^stream$", "pass the streams"},
		{"two devices", "^BenchmarkFailing$/^devices$", "belong to different devices"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := bench(t, c.pattern)
			assert.Error(t, err)
			assert.Contains(t, out, c.want)
		})
	}
}

// benchstat reads the metric as a time.
func TestBenchstat(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("long: benchstat may have to be built")
	}
	gotool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command on PATH to run benchstat with")
	}
	out, err := bench(t, "^BenchmarkExact$", "-test.count=6")
	require.NoError(t, err, out)
	file := filepath.Join(t.TempDir(), "bench.txt")
	require.NoError(t, os.WriteFile(file, []byte(out), 0o600))
	read, err := exec.CommandContext(t.Context(), gotool, "tool", "benchstat", file).CombinedOutput()
	require.NoError(t, err, "%s", read)
	_, gpu, found := bytes.Cut(read, []byte("gpu-sec/op"))
	require.True(t, found, "%s", read)
	assert.Equal(t, 2, strings.Count(string(gpu), "3.000m ± 0%"), "%s", read)
}

// machine is a simulated GPU with an exact clock, and a function that has a stream work for a time,
// which then goes by.
func machine(b *testing.B, backend event.Backend) (
	*event.Stream, func(*event.Stream, time.Duration),
) {
	m := eventsim.New(b, eventsim.Config{Backend: backend})
	var one sync.Mutex
	return stream(b, m.Device(0)), func(s *event.Stream, d time.Duration) {
		one.Lock() // of two that advance the clock at once, both could end up at the same time
		defer one.Unlock()
		m.Work(s, d)
		m.Advance(d)
	}
}

func stream(b *testing.B, d *event.Device) *event.Stream {
	s, err := d.NewStream()
	require.NoError(b, err)
	b.Cleanup(func() { assert.NoError(b, s.Close()) })
	return s
}

func BenchmarkExact(b *testing.B) {
	for _, backend := range []event.Backend{event.CUDA, event.HIP} {
		b.Run(string(backend), func(b *testing.B) {
			s, work := machine(b, backend)
			eventbench.Run(b, s, func() error { work(s, 3*time.Millisecond); return nil })
		})
	}
}

func BenchmarkCounted(b *testing.B) {
	s, work := machine(b, event.CUDA)
	t := eventbench.Start(b, s)
	for range b.N {
		work(s, 2*time.Millisecond)
	}
	t.Stop()
}

func BenchmarkParallel(b *testing.B) {
	s, work := machine(b, event.CUDA)
	t := eventbench.Start(b, s, stream(b, s.Device()), s.Device().DefaultStream())
	b.RunParallel(func(pb *testing.PB) {
		s := t.Stream()
		for pb.Next() {
			work(s, time.Millisecond)
		}
	})
	t.Stop()
}

func BenchmarkUnsteady(b *testing.B) {
	s, work := machine(b, event.CUDA)
	n := 0
	t := eventbench.Start(b, s)
	for b.Loop() {
		n++
		work(s, time.Duration(n)*50*time.Microsecond)
		t.Lap()
	}
	t.Stop()
}

func BenchmarkOutlier(b *testing.B) {
	s, work := machine(b, event.CUDA)
	n := 0
	t := eventbench.Start(b, s)
	for b.Loop() {
		if n++; n == 123 {
			work(s, 500*time.Millisecond)
		} else {
			work(s, 200*time.Microsecond)
		}
		t.Lap()
	}
	t.Stop()
}

func BenchmarkNothing(b *testing.B) {
	s, _ := machine(b, event.HIP)
	eventbench.Run(b, s, func() error { return nil })
}

func BenchmarkFailing(b *testing.B) {
	b.Run("operation", func(b *testing.B) {
		s, _ := machine(b, event.CUDA)
		eventbench.Run(b, s, func() error { return errors.New("no work") })
	})
	b.Run("stream", func(b *testing.B) { eventbench.Start(b) })
	b.Run("devices", func(b *testing.B) {
		m := eventsim.New(b, eventsim.Config{Devices: 2})
		eventbench.Start(b, m.Device(0).DefaultStream(), m.Device(1).DefaultStream())
	})
}
