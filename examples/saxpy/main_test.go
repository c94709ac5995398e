package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

func host(t *testing.T) *event.Device {
	d, err := event.Open("host")
	require.NoError(t, err)
	return d
}

func TestOnTheHost(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	require.NoError(t, run(&b, []*event.Device{host(t)}, 10_000))
	assert.Regexp(t, `(?m)^host +\S.* +yes +[\d.]+[µm]s +[\d.]+ % +[\d.]+$`, b.String())
	assert.Contains(t, b.String(), "No GPU is usable here")
}

func TestOnGPUs(t *testing.T) {
	t.Setenv("GPUEVENT_KERNEL_CACHE", "off")
	for _, backend := range []event.Backend{event.CUDA, event.HIP} {
		m := eventsim.New(t, eventsim.Config{Backend: backend, Devices: 2, RealTime: true})
		m.Kernel("saxpy", saxpy)
		var b strings.Builder
		require.NoError(t, run(&b, m.Devices(), 1000))
		for _, d := range m.Devices() {
			assert.Regexp(t, "(?m)^"+d.String()+` +\S.* +yes +[\d.]+[µmn]?s +[\d.]+ % +[\d.]+$`, b.String())
		}
		assert.NotContains(t, b.String(), "No GPU is usable here")
	}
}

// A GPU without a compiler does not keep the others from being measured.
func TestNoCompiler(t *testing.T) {
	t.Setenv("GPUEVENT_KERNEL_CACHE", "off")
	m := eventsim.New(t, eventsim.Config{})
	fake.Absent(t, &libs.NVRTC, filepath.Join(t.TempDir(), "none.so"))
	var b strings.Builder
	require.NoError(t, run(&b, []*event.Device{m.Device(0), host(t)}, 1000))
	assert.Regexp(t, `(?m)^cuda:0 +\S.* +– +no compiler$`, b.String())
	assert.Contains(t, b.String(), "install NVRTC of the CUDA toolkit")
	assert.Regexp(t, `(?m)^host +\S.* +yes `, b.String())
}

// A device that computes something else is found out.
func TestWrongResult(t *testing.T) {
	t.Parallel()
	m, err := compute.Compile(t.Context(), host(t), compute.Source{Host: map[string]compute.HostKernel{
		"saxpy": func(b *compute.Block, n int32, a float32, x, y []float32) {}}})
	require.NoError(t, err)
	correct, _, err := measure(t.Context(), m, 1000)
	require.NoError(t, err)
	assert.False(t, correct)
}

func TestTable(t *testing.T) {
	t.Parallel()
	steady := event.Sample{Times: make([]time.Duration, runs), Q1: 990 * time.Microsecond,
		Median: time.Millisecond, Q3: 1010 * time.Microsecond, Resolution: time.Microsecond}
	short := steady
	short.Median = time.Microsecond
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		row    row
		line   string // without the device and its name
		note   string
		failed error
	}{
		"right": {row{bytes: 12e6, correct: true, sample: steady}, "yes 1ms 2.0 % 12.0", "", nil},
		"wrong": {row{bytes: 12e6, sample: steady}, "NO 1ms 2.0 % 12.0", "", errWrong},
		"short": {row{correct: true, sample: short}, "yes 1µs 2000.0 % 0.0",
			"host: too short for the clock", nil},
		"no compiler": {row{err: compute.ErrNotInstalled}, "– no compiler",
			"host: " + compute.ErrNotInstalled.Error(), nil},
		"failed": {row{err: broken}, "– failed", "", broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.row.device = host(t)
			var b strings.Builder
			assert.ErrorIs(t, print(&b, []row{c.row}), c.failed)
			lines := strings.Split(b.String(), "\n")
			words := strings.Join(strings.Fields(lines[1]), " ")
			assert.Equal(t, "host "+c.row.device.Name()+" "+c.line, words)
			if c.note != "" {
				assert.Contains(t, b.String(), "\n"+c.note)
			}
		})
	}
}
