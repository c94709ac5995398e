package compute_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// Too little memory names what there is; memory that is being freed is waited for.
func TestTooLittleMemory(t *testing.T) {
	const memory = 1 << 20
	for _, to := range targets {
		if to.backend == event.Host {
			continue
		}
		t.Run(to.name, func(t *testing.T) {
			r := newRig(t, to, eventsim.Config{Memory: memory})
			allocations := map[string]func(n int) (*compute.Buffer[byte], error){
				"Alloc": func(n int) (*compute.Buffer[byte], error) {
					return compute.Alloc[byte](r.stream, n)
				},
				"AllocOn": func(n int) (*compute.Buffer[byte], error) {
					return compute.AllocOn[byte](r.device, n)
				},
				"From": func(n int) (*compute.Buffer[byte], error) {
					return compute.From(r.stream, make([]byte, n))
				},
			}
			for name, allocate := range allocations {
				all, err := allocate(memory * 3 / 4)
				require.NoError(t, err, name)
				_, err = allocate(memory / 2)
				require.ErrorIs(t, err, compute.ErrOutOfMemory, name)
				assert.ErrorContains(t, err, "524288 bytes wanted; 262144 of 1048576 bytes are free; "+
					"this process has 786432 bytes in 1 buffers", name)
				require.NoError(t, all.Close())

				other := r.newStream()
				all, err = allocate(memory * 3 / 4)
				require.NoError(t, err, "%s of memory that was freed", name)
				require.NoError(t, r.stream.Sync())
				g := r.machine.Gate(other)
				require.NoError(t, all.Zero(other))
				require.NoError(t, all.Close())
				go g.Open() // memory that is freed meanwhile is waited for
				again, err := allocate(memory / 2)
				require.NoError(t, err, "%s of memory that is being freed", name)
				require.NoError(t, again.Close())
				require.NoError(t, r.stream.Sync())
			}
			_, err := compute.AllocPinned[byte](r.device, memory*2)
			assert.ErrorIs(t, err, compute.ErrOutOfMemory)
			u, err := compute.UsageOf(r.device)
			require.NoError(t, err)
			assert.Zero(t, u.Buffers+u.PinnedBuffers)
			assert.Equal(t, uint64(memory*3/4), u.Peak)
		})
	}
}
