package event_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/battery"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// lose loses a device for good.
func (r *rig) lose(device int, code int32) {
	if r.backend == event.CUDA {
		r.m.LoseCUDA(device, code)
	} else {
		r.m.LoseHIP(device, code)
	}
}

// lostCodes are codes of lost devices: a kernel's fault, another fault, and one that may mean
// anything.
var lostCodes = []int32{700, 214, 999}

// onLossy runs a test on each face, with a rig on which the test loses a device, so that not all of
// its objects can be closed.
func onLossy(t *testing.T, faces []face, test func(t *testing.T, r *rig)) {
	for _, f := range faces {
		t.Run(f.String(), func(t *testing.T) {
			r := newRig(f, sim.Options{SameProcessIPC: true})
			defer r.remove()
			defer r.CloseAll()
			test(t, r)
		})
	}
}

// onLost runs an operation on a device that was lost while it was prepared, and returns its error.
func onLost(f face, op operation, code int32) (all [2]error, skipped bool, err error) {
	r := newRig(f, sim.Options{SameProcessIPC: true})
	defer r.remove()
	defer r.CloseAll()
	if op.cuda && f.backend != event.CUDA || !r.device(0).Capabilities().Has(op.needs) {
		return all, true, nil
	}
	run, _ := op.prepare(r)
	r.lose(0, code)
	err = run()
	return [2]error{r.device(0).Err(), r.device(1).Err()}, false, err
}

// Every failed driver call of an operation on a lost device is ErrDeviceLost, and the device
// reports it.
func TestErrorsOfALostDevice(t *testing.T) {
	for _, f := range append(faces(), face{event.HIP, "cpu"}) {
		t.Run(f.String(), func(t *testing.T) {
			failures := 0
			for _, code := range lostCodes {
				for _, op := range operations() {
					known, skipped, err := onLost(f, op, code)
					if skipped {
						continue
					}
					calls := battery.DriverErrors(err)
					for _, call := range calls {
						assert.ErrorIs(t, call, event.ErrDeviceLost, "%s, %d", op.name, code)
					}
					if len(calls) == 0 && !errors.Is(err, errStateFailed) {
						continue
					}
					failures++
					require.ErrorIs(t, known[0], event.ErrDeviceLost, "%s, %d: %v", op.name, code, err)
					assert.ErrorContains(t, known[0], "Device.Err: "+string(f.backend)+":0: ", op.name)
					assert.NoError(t, known[1], "%s, %d: the other device", op.name, code)
				}
			}
			t.Logf("%d operations failed", failures)
			assert.Greater(t, failures, 3*len(lostCodes))
		})
	}
}

// Waits of all kinds end with the loss, and the device reports it without any other call.
func TestWaitsObserveALostDevice(t *testing.T) {
	onLossy(t, append(faces(), face{event.HIP, "cpu"}), func(t *testing.T, r *rig) {
		d, other := r.device(0), r.device(1)
		s, elsewhere := r.stream(d), r.stream(other)
		r.hold(s)
		e := r.recorded(s)
		waited, called := make(chan error, 1), make(chan error, 1)
		go func() { waited <- e.Wait(background) }()
		ensure(e.OnDone(func(err error) { called <- err }))
		done := e.Done()
		require.NoError(t, d.Err())
		r.lose(0, 999)
		require.ErrorIs(t, reached(t, "the wait", waited), event.ErrDeviceLost)
		require.ErrorIs(t, reached(t, "the callback", called), event.ErrDeviceLost)
		reached(t, "the channel", done)
		require.ErrorIs(t, e.Err(), event.ErrDeviceLost)
		require.ErrorIs(t, s.Err(), event.ErrDeviceLost)
		require.ErrorIs(t, d.Err(), event.ErrDeviceLost)
		first := d.Err()
		_, err := d.NewStream()
		require.ErrorIs(t, err, event.ErrDeviceLost)
		assert.Equal(t, first, d.Err(), "it keeps the first error")
		ensure(r.recorded(elsewhere).Wait(background))
		assert.NoError(t, other.Err())
		assert.NoError(t, obtain(event.Open("host")).Err())
	})
}

// What is no loss is not reported as one: a call that fails by itself, also with a code that may
// mean a loss, and a call about two devices of which the other one is lost.
func TestErrorsThatAreNoLoss(t *testing.T) {
	onLossy(t, newests(), func(t *testing.T, r *rig) {
		d, other := r.device(0), r.device(1)
		s, elsewhere := r.stream(d), r.stream(other)
		e := r.recorded(s)
		for _, code := range []int32{1, 2, 201, 304, 400, 709, 800, 801, 999} {
			r.m.FaultAt(r.call("EventRecord"), 1, code)
			err := e.Record(s)
			r.m.ClearFaults()
			if err != nil { // CUDA's 201 is made again
				assert.NotErrorIs(t, err, event.ErrDeviceLost, "%d", code)
			}
			require.NoError(t, d.Err(), "%d", code)
		}
		late := r.recorded(elsewhere)
		natives.Word(late) // the driver is called though the record may be known to be done
		r.hold(elsewhere)
		ensure(late.Record(elsewhere))
		r.lose(1, 700)
		if err := s.WaitEvent(late); err != nil {
			assert.ErrorIs(t, err, event.ErrDeviceLost)
		}
		assert.NoError(t, d.Err(), "the other device is lost, not this one")
		require.ErrorIs(t, late.Sync(), event.ErrDeviceLost)
		require.ErrorIs(t, other.Err(), event.ErrDeviceLost)
		ensure(e.Close())
		_ = s.Close() // AMD's driver waits for the stream's work, which has failed
		assert.NoError(t, d.Err())
	})
}

// A device whose context can't be made is not lost, whatever the code: it may be there later.
func TestContextThatComesLater(t *testing.T) {
	onLossy(t, cudaFaces(), func(t *testing.T, r *rig) {
		d := r.device(0)
		for _, code := range []int32{46, 304, 802, 999} {
			r.m.FaultAlways("cuDevicePrimaryCtxRetain", code)
			for range 2 {
				_, err := d.NewStream()
				require.Error(t, err, "%d", code)
				assert.NotErrorIs(t, err, event.ErrDeviceLost, "%d", code)
				assert.NoError(t, d.Err(), "%d", code)
			}
			r.m.ClearFaults()
		}
		ensure(r.recorded(r.stream(d)).Wait(background))
		assert.NoError(t, d.Err())
	})
}

// A device that waits for another vendor's is not lost with it, but the error shows the loss.
func TestHostIsNotLostWithADevice(t *testing.T) {
	onLossy(t, newests(), func(t *testing.T, r *rig) {
		s, hs := r.stream(r.device(0)), obtain(obtain(event.Open("host")).NewStream())
		r.hold(s)
		e := r.recorded(s)
		ensure(hs.WaitEvent(e))
		r.lose(0, 999)
		require.ErrorIs(t, hs.Sync(), event.ErrDeviceLost)
		require.ErrorIs(t, hs.Err(), event.ErrDeviceLost)
		assert.NoError(t, hs.Device().Err())
		assert.ErrorIs(t, r.device(0).Err(), event.ErrDeviceLost)
		_ = hs.Close()
	})
}

func TestErrOfANilDevice(t *testing.T) {
	assert.ErrorIs(t, (*event.Device)(nil).Err(), event.ErrNoDevice)
	assert.ErrorIs(t, new(event.Device).Err(), event.ErrNoDevice)
}
