package eventbench_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventbench"
)

// On the host device the work is Go functions.
func BenchmarkHost(b *testing.B) {
	d, err := event.Open("host")
	require.NoError(b, err)
	s := stream(b, d)
	eventbench.Run(b, s, func() error {
		return s.HostFunc(func() error {
			for began := time.Now(); time.Since(began) < 50*time.Microsecond; {
			}
			return nil
		})
	})
}
