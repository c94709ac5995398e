package compute_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// pair is a struct argument.
type pair struct {
	A int32
	B float32
}

func mixedGo(b *compute.Block, n int32, a float32, p pair, x []float32, y []int64) {
	panic("a refused launch has run")
}

// Each wrong launch is refused with its own cause, before it reaches the driver.
func TestWrongLaunches(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		k := r.kernel("mixed", mixedGo)
		x, y := buffer(r, 1, float32(2)), buffer(r, int64(1), 2)
		closed, err := compute.Alloc[float32](r.stream, 4)
		require.NoError(t, err)
		require.NoError(t, closed.Close())
		gone := r.newStream()
		require.NoError(t, gone.Close())
		module := r.load(map[string]compute.HostKernel{"mixed": mixedGo})
		unloaded, err := module.Kernel("mixed")
		require.NoError(t, err)
		require.NoError(t, module.Close())
		other := r.other(t)
		elsewhere, err := compute.Alloc[float32](other, 4)
		require.NoError(t, err)
		defer elsewhere.Close()

		n, a, p := int32(2), float32(1), pair{1, 2}
		shape := compute.Linear(2, 32)
		good := []any{n, a, p, x, y}
		with := func(i int, v any) []any {
			args := append([]any(nil), good...)
			args[i] = v
			return args
		}
		type launch struct {
			name   string
			kernel *compute.Kernel
			stream *event.Stream
			shape  compute.Config
			args   []any
			cause  error
			says   string
			// needsKind: only who knows integers from floats finds it.
			needsKind bool
		}
		wrong := []launch{
			{"too few", k, r.stream, shape, good[:4], compute.ErrArgument, "4 arguments; the kernel takes 5", false},
			{"too many", k, r.stream, shape, append(good[:5:5], n), compute.ErrArgument, "6 arguments", false},
			{"none", k, r.stream, shape, nil, compute.ErrArgument, "0 arguments", false},
			{"wide integer", k, r.stream, shape, with(0, int64(2)), compute.ErrArgument, "argument 0: int64", false},
			{"int", k, r.stream, shape, with(0, 2), compute.ErrArgument, "int has no fixed width", false},
			{"double for float", k, r.stream, shape, with(1, 1.0), compute.ErrArgument, "argument 1: float64", false},
			{"float for integer", k, r.stream, shape, with(0, float32(2)), compute.ErrArgument, "argument 0: float32", true},
			{"integer for float", k, r.stream, shape, with(1, int32(2)), compute.ErrArgument, "argument 1: int32", true},
			{"short struct", k, r.stream, shape, with(2, struct{ A int32 }{}), compute.ErrArgument, "argument 2", false},
			{"struct with a pointer", k, r.stream, shape, with(2, struct{ P *int32 }{}), compute.ErrArgument, "Go pointer", false},
			{"Go pointer", k, r.stream, shape, with(3, &n), compute.ErrArgument, "Go pointer", false},
			{"Go slice", k, r.stream, shape, with(3, []float32{1}), compute.ErrArgument, "argument 3", false},
			{"string", k, r.stream, shape, with(3, "x"), compute.ErrArgument, "argument 3", false},
			{"nil", k, r.stream, shape, with(3, nil), compute.ErrArgument, "DevicePointer(0)", false},
			{"nil buffer", k, r.stream, shape, with(3, (*compute.Buffer[float32])(nil)), compute.ErrNil, "nil buffer", false},
			{"buffer for integer", k, r.stream, shape, with(0, x), compute.ErrArgument, "argument 0: a buffer of float32", false},
			{"closed buffer", k, r.stream, shape, with(3, closed), event.ErrClosed, "closed", false},
			{"buffer of another device", k, r.stream, shape, with(3, elsewhere), r.mismatch(other), "CopyFromBuffer", false},
			{"nil stream", k, nil, shape, good, event.ErrNilStream, "nil stream", false},
			{"closed stream", k, gone, shape, good, event.ErrClosed, "closed", false},
			{"stream of another device", k, other, shape, good, r.mismatch(other), "use a stream of", false},
			{"nil kernel", nil, r.stream, shape, good, compute.ErrNil, "Module.Kernel", false},
			{"closed module", unloaded, r.stream, shape, good, event.ErrClosed, "its module is closed", false},
			{"too many threads", k, r.stream, compute.Linear(4096, 2048), good, compute.ErrConfig, "block of", false},
			{"negative elements", k, r.stream, compute.Linear(-1, 256), good, compute.ErrConfig, "grid of", false},
			{"no threads", k, r.stream, compute.Linear(10, 0), good, compute.ErrConfig, "grid of", false},
			{"too tall a grid", k, r.stream, compute.Config{Grid: compute.Dim{Y: 70000}, Block: compute.Dim{X: 32, Y: 32}}, good, compute.ErrConfig, "", false},
			{"too deep a block", k, r.stream, compute.Config{Block: compute.Dim{Z: 1025}}, good, compute.ErrConfig, "block of", false},
			{"negative shared memory", k, r.stream, compute.Config{Shared: -1}, good, compute.ErrConfig, "shared", false},
			{"too much shared memory", k, r.stream, compute.Config{Shared: 1 << 20}, good, compute.ErrConfig, "shared", false},
			{"grid no multiple of clusters", k, r.stream, compute.Config{Grid: compute.Dim{X: 3}, Cluster: compute.Dim{X: 2}}, good, nil, "cluster", false},
		}
		before := r.launches()
		for _, w := range wrong {
			if r.target.backend == event.HIP && w.needsKind {
				continue // code objects tell the sizes of values only
			}
			t.Run(w.name, func(t *testing.T) {
				err := w.kernel.Launch(w.stream, w.shape, w.args...)
				require.Error(t, err)
				if w.cause != nil {
					assert.ErrorIs(t, err, w.cause)
				}
				assert.ErrorContains(t, err, w.says)
				var e *event.Error
				assert.ErrorAs(t, err, &e, "refused by this package")
			})
		}
		assert.Equal(t, before, r.launches(), "a wrong launch has reached the driver")
		require.NoError(t, k.Launch(r.stream, compute.Linear(0, 32), good...), "no blocks, no launch")
		require.NoError(t, r.stream.Sync())
		assert.Equal(t, before, r.launches())
	})
}

// other returns a stream of another device: of the machine, or a simulated one beside the host.
func (r *rig) other(t *testing.T) *event.Stream {
	var d *event.Device
	if r.machine != nil {
		d = r.machine.Device(1)
	} else {
		d = eventsim.New(t, eventsim.Config{RealTime: true}).Device(0)
	}
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// mismatch is the cause of an error about an object of another device.
func (r *rig) mismatch(other *event.Stream) error {
	if other.Backend() != r.device.Backend() {
		return event.ErrBackendMismatch
	}
	return event.ErrDeviceMismatch
}

// launches returns how many launches have reached the driver.
func (r *rig) launches() (n int) {
	if r.machine == nil {
		return 0 // mixedGo panics
	}
	for _, c := range r.machine.Log() {
		switch c.Name {
		case "cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel", "hipModuleLaunchKernel",
			"hipModuleLaunchCooperativeKernel":
			n++
		}
	}
	return n
}
