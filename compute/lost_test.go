package compute_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// onLost runs an operation on a device that was lost while it was prepared. It returns its error,
// and what the machine's devices report.
func onLost(to target, op operation, code int32) (known [2]error, err error) {
	b := newBench(to, sim.Options{})
	defer b.Remove()
	defer b.CloseAll()
	b.open()
	run, _ := op.prepare(b)
	if to.backend == event.CUDA {
		b.Machine.LoseCUDA(0, code)
	} else {
		b.Machine.LoseHIP(0, code)
	}
	err = run()
	return [2]error{b.device.Err(), b.Device(1).Err()}, err
}

// callsOf are all failures of driver calls in an error.
func callsOf(err error) (found []*event.DriverError) {
	switch e := err.(type) {
	case nil:
	case *event.DriverError:
		found = append(found, e)
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			found = append(found, callsOf(one)...)
		}
	default:
		found = callsOf(errors.Unwrap(err))
	}
	return found
}

// Every failed driver call of an operation on a lost device is ErrDeviceLost, and the device
// reports it, whether the code says so or may mean anything.
func TestErrorsOfALostDevice(t *testing.T) {
	for _, to := range targets[1:] {
		t.Run(to.name, func(t *testing.T) {
			failures := 0
			for _, code := range []int32{700, 214, 999} {
				for _, op := range operations() {
					if !op.runsOn(to) {
						continue
					}
					known, err := onLost(to, op, code)
					calls := callsOf(err)
					if len(calls) == 0 {
						continue
					}
					failures++
					for _, call := range calls {
						assert.ErrorIs(t, call, event.ErrDeviceLost, "%s, %d", op.name, code)
					}
					assert.ErrorIs(t, known[0], event.ErrDeviceLost, "%s, %d: %v", op.name, code, err)
					assert.NoError(t, known[1], "%s, %d: the other device", op.name, code)
				}
			}
			t.Logf("%d operations failed", failures)
			assert.Greater(t, failures, 30)
		})
	}
}

// Errors name the kernels in flight if, and only if, a kernel can have caused them. So do errors of
// launches, except for AMD's 719, which may be a refusal.
func TestWhichErrorsNameKernels(t *testing.T) {
	for _, to := range targets[1:] {
		t.Run(to.name, func(t *testing.T) {
			codes := map[int32]bool{1: false, 214: false, 999: false, 700: true, 702: true, 710: true,
				719: true}
			if to.backend == event.CUDA {
				for _, code := range []int32{226, 714, 715, 716, 717, 718, 721} {
					codes[code] = true
				}
				codes[220], codes[810], codes[911] = false, false, false
			}
			for code, named := range codes {
				b := newBench(to, sim.Options{})
				b.open()
				k, x := b.saxpy(), b.floats(1, 2)
				b.hold(b.stream)
				launch := func() error {
					return k.Launch(b.stream, compute.Linear(2, 32), int32(2), float32(1), x, x)
				}
				require.NoError(t, launch())
				call, launched := "cuStreamQuery", "cuLaunchKernel"
				if to.backend == event.HIP {
					call, launched = "hipStreamQuery", "hipModuleLaunchKernel"
				}
				b.Machine.FaultAt(call, 1, code)
				_, err := b.stream.IsDone()
				var d *event.DriverError
				require.ErrorAs(t, err, &d)
				assert.Equal(t, named, len(d.Kernels) > 0, "%d: %v", code, err)
				b.Machine.ClearFaults()
				b.Machine.FaultAt(launched, 1, code)
				err = launch()
				refused := code == 719 && to.backend == event.HIP || !named
				assert.Equal(t, !refused, errors.As(err, &d) && len(d.Kernels) > 0, "%d: %v", code, err)
				b.Machine.ClearFaults()
				b.CloseAll()
				b.Remove()
			}
		})
	}
}

// A free in a stream's order that returns that the device has failed may have had its effect. The
// memory is freed once more, and Close returns no error of that.
func TestOrderedFreeOnAFailedDevice(t *testing.T) {
	for _, to := range drivers() {
		t.Run(to.name, func(t *testing.T) {
			b := newBench(to, sim.Options{})
			defer b.Remove()
			defer b.CloseAll()
			b.open()
			x := must(compute.Alloc[float32](b.stream, 4))
			require.NoError(t, b.stream.Sync())
			call := "cuMemFreeAsync"
			if to.backend == event.HIP {
				call = "hipFreeAsync"
			}
			b.Machine.FaultAt(call, 1, 700)
			require.NoError(t, x.Close())
			assert.True(t, eventually(func() bool { return b.usage() == compute.Usage{} }))
			assert.Empty(t, b.Reports())
			assert.Equal(t, 1, b.Machine.Calls(call))
		})
	}
}

// A loss that two unclear codes suggest frees nothing: work that still runs may use the memory.
func TestUnclearLossFreesNothing(t *testing.T) {
	for _, to := range targets[1:] {
		t.Run(to.name, func(t *testing.T) {
			b := newBench(to, sim.Options{})
			defer b.Remove()
			defer b.CloseAll()
			b.open()
			x := must(compute.AllocOn[float32](b.device, 4))
			gate := b.hold(b.stream)
			require.NoError(t, x.Zero(b.stream))
			calls := []string{"cuStreamQuery", "cuEventQuery", "cuMemGetInfo_v2"}
			if to.backend == event.HIP {
				calls = []string{"hipStreamQuery", "hipEventQuery", "hipMemGetInfo"}
			}
			for _, call := range calls {
				b.Machine.Fault(sim.Fault{Call: call, Times: -1, Code: 304})
			}
			_, err := b.stream.IsDone()
			require.ErrorIs(t, err, event.ErrDeviceLost)
			before := b.handles().Memory
			closed := make(chan error, 1)
			go func() { closed <- x.Close() }()
			select {
			case err := <-closed:
				require.NoError(t, err)
			case <-time.After(5 * time.Second):
				t.Error("the driver frees the memory, and waits for the work first")
			}
			b.Machine.ClearFaults()
			assert.Equal(t, before, b.handles().Memory, "work may use it")
			gate.Open()
			assert.True(t, eventually(func() bool { return b.handles().Memory == before-1 }))
		})
	}
}
