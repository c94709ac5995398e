package event_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// Some runtimes call an idle stream busy. Sync of it makes one more query, and no use of the
// poller.
func TestSyncOfAnIdleStreamThatIsCalledBusy(t *testing.T) {
	onFaces(t, append(hipFaces("cpu"), face{event.HIP, "cpu"}), sim.Options{},
		func(t *testing.T, r *rig) {
			s := r.stream(r.device(0))
			ensure(s.Sync())
			polled := s.Device().Stats().Polled
			for range 10 {
				r.m.FaultAt("hipStreamQuery", 1, 600)
				ensure(s.Sync())
				r.m.ClearFaults()
			}
			assert.Equal(t, polled, s.Device().Stats().Polled)
		})
}
