package event_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

var errPlanted = errors.New("planted")

func plant() error { return errPlanted }

// silent keeps what is reported from failing the test.
func silent(t *testing.T) {
	event.SetErrorHandler(func(error) {})
	t.Cleanup(func() { event.SetErrorHandler(nil) })
}

// withHostFuncs are the faces with host functions.
func withHostFuncs() []face { return append(cudaFaces(), hipFaces("cpu", "5.2.3")...) }

// Whichever query finds it, the driver's error is what the stream returns from then on, even when
// the driver answers again.
func TestStreamErrIsTheFirstErrorOfTheDriver(t *testing.T) {
	for name, x := range map[string]struct {
		call string
		ask  func(s *event.Stream, e *event.Event) error
	}{
		"Event.Wait": {"EventQuery",
			func(_ *event.Stream, e *event.Event) error { return e.Wait(background) }},
		"Event.Err": {"EventQuery",
			func(_ *event.Stream, e *event.Event) error { return e.Err() }},
		"Event.IsDone": {"EventQuery",
			func(_ *event.Stream, e *event.Event) error { _, err := e.IsDone(); return err }},
		"Event.Sync": {"EventSynchronize",
			func(_ *event.Stream, e *event.Event) error { return e.Sync() }},
		"Stream.IsDone": {"StreamQuery",
			func(s *event.Stream, _ *event.Event) error { _, err := s.IsDone(); return err }},
		"Stream.Sync": {"StreamSynchronize",
			func(s *event.Stream, _ *event.Event) error { return s.Sync() }},
		"Stream.Wait": {"EventQuery",
			func(s *event.Stream, _ *event.Event) error { return s.Wait(background) }},
	} {
		t.Run(name, func(t *testing.T) {
			onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
				s := r.stream(r.device(0))
				g := r.hold(s)
				e := r.recorded(s)
				call := x.call
				if r.backend == event.HIP && call != "StreamQuery" { // whose waits are questions
					call = "EventQuery"
				}
				require.NoError(t, s.Err())
				r.m.FaultAlways(r.call(call), 719)
				err := x.ask(s, e)
				r.m.ClearFaults()
				var driver *event.DriverError
				require.ErrorAs(t, err, &driver)
				g.Open()
				require.NoError(t, r.recorded(s).Wait(background), "it was only said once")
				first := s.Err()
				require.ErrorAs(t, first, &driver)
				assert.Equal(t, "Stream.Err", driver.Op)
				assert.Equal(t, s.String(), driver.Object)
				assert.Equal(t, r.call(call), driver.Call)
				r.m.FaultAlways(r.call("StreamQuery"), 700)
				_, err = s.IsDone()
				require.Error(t, err)
				r.m.ClearFaults()
				assert.Equal(t, first, s.Err())
			})
		})
	}
}

// What the driver refuses to answer is no failure of the stream.
func TestRefusedQuestionsFailNoStream(t *testing.T) {
	for _, code := range []int{201, 400, 801} {
		onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
			s := r.stream(r.device(0))
			g := r.hold(s)
			e := r.recorded(s)
			r.m.FaultAlways(r.call("EventQuery"), int32(code))
			assert.Error(t, e.Err())
			r.m.ClearFaults()
			assert.NoError(t, s.Err())
			g.Open()
		})
	}
}

// A wrapper of a stream of this package is the same stream: what fails one fails the other.
func TestFailureOfAWrappedStream(t *testing.T) {
	onFaces(t, withHostFuncs(), sim.Options{}, func(t *testing.T, r *rig) {
		silent(t)
		d := r.device(0)
		for _, fail := range []string{"own", "wrapper"} {
			own := r.stream(d)
			wrapper := obtain(d.WrapStream(natives.Word(own)))
			before := []*event.Event{r.recorded(own), r.recorded(wrapper)}
			at := map[string]*event.Stream{"own": own, "wrapper": wrapper}[fail]
			require.NoError(t, at.HostFunc(plant))
			after := []*event.Event{r.recorded(own), r.recorded(wrapper)}
			for i := range before {
				assert.ErrorIs(t, after[i].Wait(background), errPlanted, fail)
				assert.NoError(t, before[i].Wait(background), fail)
			}
			assert.ErrorIs(t, own.Err(), errPlanted, fail)
			assert.ErrorIs(t, wrapper.Err(), errPlanted, fail)
			assert.ErrorIs(t, own.Sync(), errPlanted, fail)
			assert.ErrorIs(t, wrapper.Sync(), errPlanted, fail)
			require.NoError(t, wrapper.Close())
		}
	})
}

// One answer of the driver ends the waits for all records that precede it. Each gets its own fate.
func TestOneAnswerFailsOnlyWhatIsBehind(t *testing.T) {
	onFaces(t, withHostFuncs(), sim.Options{}, func(t *testing.T, r *rig) {
		silent(t)
		s := r.stream(r.device(0))
		g := r.hold(s)
		const n, fails = 12, 7
		var events []*event.Event
		var heard []chan error
		for i := range n {
			if i == fails {
				require.NoError(t, s.HostFunc(plant))
			}
			e, c := r.recorded(s), make(chan error, 1)
			require.NoError(t, e.OnDone(func(err error) { c <- err }))
			events, heard = append(events, e), append(heard, c)
		}
		query := r.holdCall("EventQuery") // so that the poller learns of none
		g.Open()
		require.True(t, eventually(func() bool {
			done, err := s.IsDone()
			return done || err != nil
		}))
		asked := make(chan struct{})
		go func() { defer close(asked); _, _ = events[n-1].IsDone() }()
		query.letGo()
		for i, c := range heard {
			err := reached(t, "the callback", c)
			assert.Equal(t, i >= fails, errors.Is(err, errPlanted), "%d: %v", i, err)
			assert.Equal(t, i >= fails, events[i].State() == event.Failed, i)
		}
		<-asked // or it would query when the machine is gone
	})
}

// A GPU's stream that waits for the host's event fails with it, before it goes on.
func TestFailureAcrossBackendsSkipsFunctions(t *testing.T) {
	onFaces(t, withHostFuncs(), sim.Options{}, func(t *testing.T, r *rig) {
		silent(t)
		host := r.stream(obtain(event.Open("host")))
		gate := make(chan struct{})
		require.NoError(t, host.HostFunc(func() error { <-gate; return errPlanted }))
		s := r.stream(r.device(0))
		before := r.recorded(s)
		require.NoError(t, s.WaitEvent(r.recorded(host)))
		ran := false
		require.NoError(t, s.HostFunc(func() error { ran = true; return nil }))
		e := r.recorded(s)
		close(gate)
		err := e.Wait(background)
		assert.ErrorIs(t, err, errPlanted)
		assert.ErrorContains(t, err, "wait for host event 0x")
		assert.NoError(t, before.Wait(background))
		assert.False(t, ran)
		assert.ErrorIs(t, s.Err(), errPlanted)
	})
}
