package compute_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/battery"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// TestMemoryOfAReplacedLibrary ends the memory of a library after another one took its place, which
// does not know the streams that used the memory.
func TestMemoryOfAReplacedLibrary(t *testing.T) {
	for _, before := range []bool{true, false} {
		for _, to := range drivers() {
			t.Run(map[bool]string{true: "closed before/", false: "closed after/"}[before]+to.name,
				func(t *testing.T) {
					old := newBench(to, sim.Options{})
					old.open()
					x := must(compute.AllocOn[float32](old.device, 4))
					handOut(t, old.stream)
					old.hold(old.stream)
					require.NoError(t, x.Zero(old.stream))
					goOn := func() {}
					if before { // its end waits in the background
						require.NoError(t, x.Close())
						goOn = holdQuery(old)
					}
					old.Remove()

					next := newBench(to, sim.Options{})
					defer next.Remove()
					next.open()
					goOn()
					require.NoError(t, x.Close())
					ended := battery.Within(2*time.Second, func() bool {
						return must(compute.UsageOf(old.device)).Buffers == 0
					})
					assert.True(t, ended)
					assert.Empty(t, next.Machine.Misuse())
					old.CloseAll()
					assert.Empty(t, next.CloseAll())
				})
		}
	}
}

// holdQuery waits for the next query of an event, and holds it up until goOn is called. The library
// must not be replaced just before a query: the new library would get a handle of the old one.
func holdQuery(b *bench) (goOn func()) {
	call := "cuEventQuery"
	if b.target.backend == event.HIP {
		call = "hipEventQuery" // after the calls that make a relay
	}
	arrived, gate := make(chan struct{}), make(chan struct{})
	b.Machine.Fault(sim.Fault{Call: call, OnlyBefore: true,
		Before: func() { close(arrived); <-gate }})
	<-arrived
	return func() { close(gate) }
}

// handOut gives out a stream's handle, so that a capture may begin behind the package's back.
func handOut(t *testing.T, s *event.Stream) {
	if s.Device().Backend() == event.CUDA {
		_, err := s.CUDAStream()
		require.NoError(t, err)
		return
	}
	_, err := s.HIPStream()
	require.NoError(t, err)
}
