package cudrv_test

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// stack takes the thread's contexts off, the current one first.
func stack(t *testing.T) (all []cudrv.Context) {
	t.Helper()
	for {
		c, err := cudrv.CtxPopCurrent()
		if errors.Is(err, cudrv.ErrInvalidContext) {
			return all
		}
		require.NoError(t, err)
		all = append(all, c)
	}
}

// The same on the simulator, whose contexts are real to it.
func TestDoOnTheSimulator(t *testing.T) {
	for _, profile := range sim.CUDAProfiles() {
		t.Run(profile, func(t *testing.T) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			m := sim.NewMachine(sim.Options{})
			defer m.InstallCUDA(profile)()
			require.NoError(t, cudrv.Init(0))
			primary, err := cudrv.DevicePrimaryCtxRetain(0)
			require.NoError(t, err)
			second, err := cudrv.DevicePrimaryCtxRetain(1)
			require.NoError(t, err)

			var made []cudrv.Context
			create := func() error {
				c, err := cudrv.CtxCreate(0, 0)
				made = append(made, c)
				return err
			}
			for name, f := range map[string]func() error{
				"does nothing": func() error { return nil },
				"creates":      create,
				"creates and destroys": func() error {
					err := create()
					return errors.Join(err, cudrv.CtxDestroy(made[len(made)-1]))
				},
				"destroys what it has covered": func() error {
					err := create()
					below := made[len(made)-1]
					return errors.Join(err, create(), cudrv.CtxDestroy(below))
				},
				"pops":         func() error { _, err := cudrv.CtxPopCurrent(); return err },
				"pushes":       func() error { return cudrv.CtxPushCurrent(second) },
				"sets another": func() error { return cudrv.CtxSetCurrent(second) },
				"sets none":    func() error { return cudrv.CtxSetCurrent(0) },
				"nests":        func() error { return second.Do(create) },
			} {
				for _, before := range [][]cudrv.Context{nil, {second}, {primary}, {second, primary, second}} {
					for _, c := range before {
						require.NoError(t, cudrv.CtxPushCurrent(c))
					}
					assert.NoError(t, primary.Do(f), name)
					after := stack(t)
					slices.Reverse(after)
					assert.Equal(t, before, after, name)
				}
			}
			assert.Empty(t, m.Misuse())
		})
	}
}
