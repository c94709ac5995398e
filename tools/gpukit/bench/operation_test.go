package bench

import (
	"errors"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// TestWithoutKernels leaves out what launches and measures the rest.
func TestWithoutKernels(t *testing.T) {
	d, err := event.Open("host")
	require.NoError(t, err)
	r, err := newRig(d)
	require.NoError(t, err)
	defer func() { assert.NoError(t, r.close()) }()
	r.without = errors.New("no compiler")
	k := r.kernels
	r.kernels = nil
	defer func() { r.kernels = k }()
	b := quick()
	for _, p := range short() {
		p.runs = fewest
		_, err := b.operation(r, p, time.Hour)
		switch p.name {
		case "query pending", "stream wait", "launch 0 arguments", "launch 4 arguments",
			"graph launch 10 nodes", "wake-up after 0.05 ms",
			"wake-up after 0.5 ms", "wake-up after 5 ms":
			assert.ErrorIs(t, err, errLeftOut, p.name)
			assert.ErrorIs(t, err, r.without, p.name)
		default:
			assert.NoError(t, err, p.name)
		}
	}
}

// TestFailures wants a failing driver, and a wrong answer, to end the program.
func TestFailures(t *testing.T) {
	for _, c := range []struct{ call, only string }{
		{"cuEventRecord", "^record$"},
		{"cuEventQuery", "^query done$"},
		{"cuLaunchKernel", "^launch 4"},
		{"cuMemcpyDtoHAsync_v2", "^copy 4 KiB$"},
		{"cuGraphLaunch", "^graph"},
	} {
		t.Run(c.only, func(t *testing.T) {
			m := machine(t, event.CUDA, "13.5")
			b := quick()
			b.plan = nil
			for _, p := range plan {
				if regexp.MustCompile(c.only).MatchString(p.name) {
					b.plan = append(b.plan, p)
				}
			}
			require.Len(t, b.plan, 1)
			r, err := newRig(m.Device(0))
			require.NoError(t, err)
			m.Fail(eventsim.Fault{Call: c.call, At: 5, Err: cudrv.ErrUnknown})
			_, err = b.operation(r, b.plan[0], time.Hour)
			assert.ErrorIs(t, err, cudrv.ErrUnknown)
			m.Heal()
			require.NoError(t, r.close())
		})
	}
}

// TestOutlasted measures again behind longer work what took longer than the work before it.
func TestOutlasted(t *testing.T) {
	m := machine(t, event.CUDA, "13.5")
	r, err := newRig(m.Device(0))
	require.NoError(t, err)
	defer func() { require.NoError(t, r.close()) }()
	runs := 0
	w := way{do: func() error { return nil }, after: func(int) error {
		if runs++; r.hold < 4*shortestHold {
			return errOutlasted
		}
		return nil
	}}
	var s series
	require.NoError(t, s.run(r, &w, 1, 0))
	assert.Equal(t, 3, runs)
	assert.Len(t, s.wall, 1, "runs that were outlasted do not count")
	w.after = func(int) error { return errOutlasted }
	assert.ErrorIs(t, s.run(r, &w, 1, 0), errOutlasted)
}

// TestNoTime leaves an operation out rather than report a figure of a run or two.
func TestNoTime(t *testing.T) {
	d, err := event.Open("host")
	require.NoError(t, err)
	r, err := newRig(d)
	require.NoError(t, err)
	defer func() { require.NoError(t, r.close()) }()
	b := quick()
	_, err = b.operation(r, plan[0], -time.Second)
	assert.ErrorIs(t, err, errLeftOut)
	for _, f := range b.figures {
		assert.GreaterOrEqual(t, f.Runs, fewest)
	}
}

// TestCheckOfCopies sees a copy that went wrong.
func TestCheckOfCopies(t *testing.T) {
	t.Parallel()
	b := make([]byte, 4096)
	fill(b, 3)
	assert.NoError(t, check(b, 3))
	assert.ErrorIs(t, check(b, 4), errWrong)
	b[4000]++
	assert.ErrorIs(t, check(b, 3), errWrong)
}
