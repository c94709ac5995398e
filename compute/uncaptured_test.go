package compute_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// AMD's runtime runs some work on a captured stream at once, and the graph would lack it. Such work
// is refused before the driver is called; on all other devices it becomes part of the graph.
func TestWorkThatCapturesLack(t *testing.T) {
	all := append([]target{{"hip-5.7", event.HIP, "5.7"}, {"hip-7.2.0", event.HIP, "7.2.0"}},
		targets...)
	of := func(names ...string) map[string]bool {
		set := map[string]bool{}
		for _, n := range names {
			set[n] = true
		}
		return set
	}
	for name, x := range map[string]struct {
		lacking map[string]bool
		texts   []string
		// work enqueues an increment of b.
		work func(r *rig, b *compute.Buffer[int32]) func() error
	}{
		"launch": {of("hip-5.2.3"), []string{"HIP 5.2", "ROCm 5.3 or later"},
			func(r *rig, b *compute.Buffer[int32]) func() error {
				add := r.kernel("add", func(_ *compute.Block, x []int32) { x[0]++ })
				return func() error { return add.Launch(r.stream, compute.Config{}, b) }
			}},
		"cooperative launch": {of("hip-5.2.3", "hip-5.7", "hip-6.4"), nil,
			func(r *rig, b *compute.Buffer[int32]) func() error {
				add := r.kernel("add", func(_ *compute.Block, x []int32) { x[0]++ })
				c := compute.Config{Cooperative: r.machine != nil} // the host has no such launches
				return func() error { return add.Launch(r.stream, c, b) }
			}},
		"graph": {of("hip-5.2.3", "hip-5.7", "hip-6.4", "hip-7.2.0", "hip-7.2"),
			[]string{"hipGraphLaunch", "no release of ROCm"},
			func(r *rig, b *compute.Buffer[int32]) func() error {
				one := buffer(r, int32(1))
				g := r.graph(func() error { return b.CopyFromBuffer(r.stream, one) })
				r.Cleanup(func() { require.NoError(r, g.Close()) })
				return func() error { return g.Launch(r.stream) }
			}},
		"copy between devices": {of("hip-5.7", "hip-6.4", "hip-7.2.0", "hip-7.2"),
			[]string{"hipMemcpyPeerAsync"},
			func(r *rig, b *compute.Buffer[int32]) func() error {
				if r.machine == nil {
					return func() error { return b.Fill(r.stream, 1) } // there is only one host
				}
				one, err := compute.AllocOn[int32](r.machine.Device(1), 1)
				require.NoError(r, err)
				r.Cleanup(func() { require.NoError(r, one.Close()) })
				s, err := r.machine.Device(1).NewStream()
				require.NoError(r, err)
				require.NoError(r, one.Fill(s, 1))
				require.NoError(r, s.Sync())
				require.NoError(r, s.Close())
				return func() error { return b.CopyFromBuffer(r.stream, one) }
			}},
	} {
		for _, to := range all {
			t.Run(name+"/"+to.name, func(t *testing.T) {
				r := newRig(t, to, eventsim.Config{Devices: 2})
				assert.Equal(t, to.name != "hip-5.2.3",
					r.device.Capabilities().Has(event.CapCaptureLaunch))
				b, after := buffer(r, int32(0)), buffer(r, int32(0))
				require.NoError(t, r.stream.Sync())
				work := x.work(r, b)
				var inside error
				g := r.graph(func() error {
					inside = work()
					return after.Fill(r.stream, 5)
				})
				defer func() { require.NoError(t, g.Close()) }()
				assert.Equal(t, []int32{0}, read(r, b), "nothing runs during a capture")
				require.NoError(t, g.Launch(r.stream))
				assert.Equal(t, []int32{5}, read(r, after))
				if !x.lacking[to.name] {
					require.NoError(t, inside)
					assert.Equal(t, []int32{1}, read(r, b))
					require.NoError(t, work(), "outside a capture")
					return
				}
				require.ErrorIs(t, inside, event.ErrUnsupported)
				for _, text := range x.texts {
					assert.ErrorContains(t, inside, text)
				}
				assert.Equal(t, []int32{0}, read(r, b))
				if to.name != "hip-5.2.3" || name != "cooperative launch" {
					require.NoError(t, work(), "outside a capture")
					assert.Equal(t, []int32{1}, read(r, b))
				}
			})
		}
	}
}
