package hip_test

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// devices installs a runtime that keeps a current device for each thread.
func devices(t *testing.T) *fake.Current {
	lib := install(t, "6.4")
	c := new(fake.Current)
	lib.Handle("hipGetDevice", c.Get32)
	lib.Handle("hipSetDevice", c.Set)
	return c
}

var errOfF = errors.New("the function's own error")

func TestDo(t *testing.T) {
	t.Parallel()
	set := func(d int32) func() error { return func() error { return hip.SetDevice(d) } }
	for name, c := range map[string]struct {
		run   func() error
		start uintptr
		fail  map[int]int32
		want  []string // the runtime's calls
		errs  []error  // what the error is; none: nil
		text  []string // what it says
		ran   bool     // f
	}{
		"enters and restores": {start: 0, ran: true,
			want: []string{"get", "set 1", "f", "get", "set 0"}},
		"restores another device": {start: 7, ran: true,
			want: []string{"get", "set 1", "f", "get", "set 7"}},
		"has the device already": {start: 1, ran: true,
			want: []string{"get", "f", "get"}},
		"f's error": {ran: true, run: func() error { return errOfF },
			want: []string{"get", "set 1", "f", "get", "set 0"}, errs: []error{errOfF}},
		"f changes the device": {start: 7, ran: true, run: set(3),
			want: []string{"get", "set 1", "f", "set 3", "get", "set 7"}},
		"f changes it, having the device already": {start: 1, ran: true, run: set(3),
			want: []string{"get", "f", "set 3", "get", "set 1"}},
		"f restores by itself": {start: 7, ran: true, run: set(7),
			want: []string{"get", "set 1", "f", "set 7", "get"}},
		"asking fails": {fail: map[int]int32{0: 3},
			want: []string{"get fails with 3"}, errs: []error{hip.ErrNotInitialized},
			text: []string{"select HIP device 1: "}},
		"entering fails": {fail: map[int]int32{1: 101},
			want: []string{"get", "set 1 fails with 101"}, errs: []error{hip.ErrInvalidDevice},
			text: []string{"select HIP device 1: "}},
		"restoring fails": {start: 7, ran: true, fail: map[int]int32{3: 100},
			want: []string{"get", "set 1", "f", "get", "set 7 fails with 100", "get"},
			errs: []error{hip.ErrNoDevice},
			text: []string{"restore HIP device 7: ", "; device 1 is current on the thread now"}},
		"f and restoring fail": {start: 7, ran: true, run: func() error { return errOfF },
			fail: map[int]int32{3: 100},
			want: []string{"get", "set 1", "f", "get", "set 7 fails with 100", "get"},
			errs: []error{errOfF, hip.ErrNoDevice},
			text: []string{"restore HIP device 7: ", "; device 1 is current on the thread now"}},
		"f changes the device, and restoring fails": {start: 7, ran: true, run: set(3),
			fail: map[int]int32{4: 100},
			want: []string{"get", "set 1", "f", "set 3", "get", "set 7 fails with 100", "get"},
			errs: []error{hip.ErrNoDevice},
			text: []string{"restore HIP device 7: ", "; device 3 is current on the thread now"}},
		"nothing works at the end": {start: 7, ran: true, fail: map[int]int32{2: 4, 3: 4, 4: 4},
			want: []string{"get", "set 1", "f", "get fails with 4", "set 7 fails with 4",
				"get fails with 4"},
			errs: []error{hip.ErrDeinitialized},
			text: []string{"; what is current on the thread now is unknown: "}},
		"asking fails at the end": {start: 7, ran: true, fail: map[int]int32{2: 999},
			want: []string{"get", "set 1", "f", "get fails with 999", "set 7"}},
	} {
		t.Run(name, func(t *testing.T) {
			current := devices(t)
			current.Start, current.Fail = c.start, c.fail
			before := -1
			err := hip.Device(1).Do(func() error {
				before = len(current.Log())
				if c.run != nil {
					return c.run()
				}
				return nil
			})
			log := current.Log()
			if before >= 0 {
				log = append(log[:before:before], append([]string{"f"}, log[before:]...)...)
			}
			assert.Equal(t, c.want, log)
			assert.Equal(t, c.ran, before >= 0)
			if len(c.errs) == 0 {
				assert.NoError(t, err)
			}
			for _, want := range c.errs {
				assert.ErrorIs(t, err, want)
			}
			for _, want := range c.text {
				assert.ErrorContains(t, err, want)
			}
			if len(c.fail) == 0 {
				assert.Empty(t, current.Left())
			}
		})
	}
}

// HIP's contexts are its devices: to make one current selects its device.
func TestDoUndoesWhatContextsSelect(t *testing.T) {
	t.Parallel()
	lib := install(t, "6.4")
	current := &fake.Current{Start: 7}
	lib.Handle("hipGetDevice", current.Get32)
	lib.Handle("hipSetDevice", current.Set)
	for symbol, call := range map[string]func(hip.Ctx) error{
		"hipCtxSetCurrent": hip.CtxSetCurrent, "hipCtxPushCurrent": hip.CtxPushCurrent,
	} {
		lib.Handle(symbol, current.Set)
		require.NoError(t, hip.Device(1).Do(func() error { return call(3) }), symbol)
		assert.Empty(t, current.Left(), symbol)
	}
}

func TestDoOnTheSimulator(t *testing.T) {
	for _, profile := range sim.HIPProfiles() {
		t.Run(profile, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			m := sim.NewMachine(sim.Options{})
			defer m.InstallHIP(profile)()
			for name, f := range map[string]func() error{
				"does nothing":    func() error { return nil },
				"selects another": func() error { return hip.SetDevice(0) },
				"nests": func() error {
					return hip.Device(0).
						Do(func() error { return hip.SetDevice(1) })
				},
				"selects one, panics": func() error {
					return errors.Join(hip.SetDevice(0),
						func() error { panic(errOfF) }())
				},
				"selects one, and none": func() error {
					_ = hip.SetDevice(0)
					_ = hip.SetDevice(99)
					return nil
				},
			} {
				for _, before := range []int32{0, 1} {
					require.NoError(t, hip.SetDevice(before))
					func() {
						defer func() { _ = recover() }()
						assert.NoError(t, hip.Device(1).Do(f), name)
					}()
					after, err := hip.GetDevice()
					require.NoError(t, err)
					assert.Equal(t, before, after, name)
				}
			}
			assert.Empty(t, m.Misuse())
		})
	}
}

func TestDoRefusesANegativeDevice(t *testing.T) {
	t.Parallel()
	current := devices(t)
	err := hip.Device(-1).Do(func() error { t.Error("it ran"); return nil })
	assert.ErrorIs(t, err, hip.ErrInvalidValue)
	assert.False(t, hip.IsNoDevice(err), "a mistake of the caller's, not a lack of devices")
	assert.ErrorContains(t, err, "devices count from 0")
	assert.Empty(t, current.Log(), "the runtime was not asked")
}

func TestDoRestoresWhenFPanics(t *testing.T) {
	t.Parallel()
	current := devices(t)
	assert.PanicsWithValue(t, "of f", func() {
		_ = hip.Device(1).Do(func() error { panic("of f") })
	})
	assert.Equal(t, []string{"get", "set 1", "get", "set 0"}, current.Log())
}

func TestDoRestoresWhenFLeavesTheGoroutine(t *testing.T) {
	t.Parallel()
	current := devices(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = hip.Device(1).Do(func() error { runtime.Goexit(); return nil })
	}()
	<-done
	assert.Equal(t, []string{"get", "set 1", "get", "set 0"}, current.Log())
}

func TestDoNests(t *testing.T) {
	t.Parallel()
	current := devices(t)
	require.NoError(t, hip.Device(1).Do(func() error {
		return hip.Device(2).Do(func() error {
			return hip.Device(2).Do(func() error {
				now, err := hip.GetDevice()
				assert.EqualValues(t, 2, now)
				return err
			})
		})
	}))
	assert.Equal(t,
		[]string{"get", "set 1", "get", "set 2", "get", "get", "get", "get", "set 1", "get", "set 0"},
		current.Log())
	assert.Equal(t, 1, current.Threads())
}

// Goroutines that change threads as often as they can: each keeps its own device while it is in Do,
// and no thread keeps one.
func TestDoOnManyGoroutines(t *testing.T) {
	t.Parallel()
	current := devices(t)
	const goroutines, rounds = 16, 20
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for range rounds {
				runtime.Gosched()
				mine, inner := hip.Device(g+1), hip.Device(100+g)
				var thread uintptr
				check := func(want hip.Device) error {
					for range 3 {
						runtime.Gosched()
						now, err := hip.GetDevice()
						if err != nil {
							return err
						}
						assert.EqualValues(t, want, now)
						assert.Equal(t, thread, fake.ThreadID(), "the goroutine moved")
					}
					return nil
				}
				assert.NoError(t, mine.Do(func() error {
					thread = fake.ThreadID()
					return errors.Join(check(mine), inner.Do(func() error { return check(inner) }), check(mine))
				}))
			}
		})
	}
	wg.Wait()
	assert.Empty(t, current.Left(), "threads that were left with a device")
}
