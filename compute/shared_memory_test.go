package compute_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// Static shared memory counts: together with it less dynamic memory than the usual limit must be
// asked for.
func TestDynamicBesidesStaticMemory(t *testing.T) {
	for _, to := range targets {
		if to.backend != event.CUDA {
			continue
		}
		t.Run(to.name, func(t *testing.T) {
			r := newRig(t, to, eventsim.Config{})
			r.machine.Kernel("k", nil)
			arch := r.device.Architecture()
			m, err := compute.Load(r.device, images.Cubin(arch, images.Kernel{Name: "k", Shared: 16 << 10}))
			require.NoError(t, err)
			defer m.Close()
			k, err := m.Kernel("k")
			require.NoError(t, err)
			require.Equal(t, 16<<10, k.Attributes().Shared)
			for _, shared := range []int{40 << 10, 60 << 10, 8 << 10} {
				require.NoError(t, k.Launch(r.stream, compute.Config{Shared: shared}), "%d bytes", shared)
			}
		})
	}
}
