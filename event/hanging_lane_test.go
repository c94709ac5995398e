package event_test

import (
	"testing"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// A later record of the same stream is heard of though the question about an older one hangs: that
// it is done says that the older one is done too.
func TestHangingQuestionStallsNoLaterRecord(t *testing.T) {
	onFaces(t, newests(), sim.Options{}, func(t *testing.T, r *rig) { behindAHangingQuestion(t, r, true) })
}
