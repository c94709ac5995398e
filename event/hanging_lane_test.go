package event_test

import (
	"testing"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// A wait for a later record of the same stream ends although the query of an older one hangs: if
// the later one is done, so is the older one.
func TestHangingQuestionStallsNoLaterRecord(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) {
		behindAHangingQuestion(t, r, true)
	})
}
