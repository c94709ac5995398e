package compute_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/internal/testing/images"
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

		pinned, err := compute.AllocPinned[float32](r.device, 2)
		require.NoError(t, err)
		defer pinned.Close()

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
		}
		var wrong []launch
		args := func(name string, args []any, cause error, says string) {
			wrong = append(wrong, launch{name, k, r.stream, shape, args, cause, says})
		}
		argument := func(name string, i int, v any, says string) {
			args(name, with(i, v), compute.ErrArgument, says)
		}
		config := func(name string, c compute.Config, says string) {
			wrong = append(wrong, launch{name, k, r.stream, c, good, compute.ErrConfig, says})
		}
		object := func(name string, k *compute.Kernel, s *event.Stream, cause error, says string) {
			wrong = append(wrong, launch{name, k, s, shape, good, cause, says})
		}

		args("none", nil, compute.ErrArgument, "0 arguments")
		args("too few", good[:4], compute.ErrArgument, "4 arguments; the kernel takes 5")
		args("too many", append(good[:5:5], n), compute.ErrArgument, "6 arguments")
		argument("wide integer", 0, int64(2), "argument 0: int64")
		argument("int", 0, 2, "int has no fixed width")
		argument("double for float", 1, 1.0, "argument 1: float64")
		if r.target.backend != event.HIP { // code objects have the sizes of values only
			argument("float for integer", 0, float32(2), "argument 0: float32")
			argument("integer for float", 1, int32(2), "argument 1: int32")
		}
		argument("short struct", 2, struct{ A int32 }{}, "argument 2")
		argument("struct with a pointer", 2, struct{ P *int32 }{}, "Go pointer")
		argument("Go pointer", 3, &n, "Go pointer")
		argument("Go slice", 3, []float32{1}, "argument 3: []float32 is memory of Go; copy it to the "+
			"device with compute.From, and pass the buffer")
		argument("array of Go", 3, &[2]float32{},
			"a Go pointer; copy what it points to with compute.From")
		argument("buffer by value", 3, *x, "pass the *Buffer that Alloc returned")
		argument("pinned memory", 3, pinned, "is memory of the host; copy it with Buffer.CopyFromPinned")
		argument("buffer that was not allocated", 0, &compute.Buffer[float32]{}, "argument 0")
		args("zero buffer", with(3, &compute.Buffer[float32]{}), compute.ErrNil,
			"argument 3: a nil buffer")
		argument("string", 3, "x", "argument 3")
		argument("nil", 3, nil, "DevicePointer(0)")
		argument("buffer for integer", 0, x, "argument 0: a buffer of float32")
		args("nil buffer", with(3, (*compute.Buffer[float32])(nil)), compute.ErrNil, "nil buffer")
		args("closed buffer", with(3, closed), event.ErrClosed, "closed")
		args("buffer of another device", with(3, elsewhere), r.mismatch(other), "CopyFromBuffer")
		object("nil stream", k, nil, event.ErrNilStream, "nil stream")
		object("closed stream", k, gone, event.ErrClosed, "closed")
		object("stream of another device", k, other, r.mismatch(other), "use a stream of")
		object("nil kernel", nil, r.stream, compute.ErrNil, "Module.Kernel")
		object("closed module", unloaded, r.stream, event.ErrClosed, "its module is closed")
		config("too many threads", compute.Linear(4096, 2048), "block of")
		config("negative elements", compute.Linear(-1, 256),
			"Linear(-1, 256): the number of elements is negative")
		config("no threads", compute.Linear(10, 0), "Linear(10, 0): a block has at least one thread")
		config("no threads for no elements", compute.Linear(0, 0), "Linear(0, 0)")
		config("too many threads to count", compute.Linear(10, 1<<40), "Linear(10, 1099511627776)")
		config("too many blocks", compute.Linear(1<<50, 32), "35184372088832 blocks; devices take up to")
		config("too tall a grid", compute.Config{Grid: compute.Dim{Y: 70000},
			Block: compute.Dim{X: 32, Y: 32}}, "")
		config("too deep a block", compute.Config{Block: compute.Dim{Z: 1025}}, "block of")
		config("negative shared memory", compute.Config{Shared: -1}, "shared")
		config("too much shared memory", compute.Config{Shared: 1 << 20}, "shared")
		large := compute.Config{Grid: compute.Dim{X: 1 << 20}, Block: compute.Dim{X: 1024}}
		large.Cooperative = true
		wrong = append(wrong, launch{"cooperative and too large", k, r.stream, large, good, nil,
			"cooperative"})
		uneven := compute.Config{Grid: compute.Dim{X: 3}, Cluster: compute.Dim{X: 2}}
		wrong = append(wrong, launch{"grid no multiple of clusters", k, r.stream, uneven, good, nil,
			"cluster"})

		before := r.launches()
		for _, w := range wrong {
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

// A target is of one vendor, or unknown: then no compiler is looked for.
func TestCompileForUnknownTargets(t *testing.T) {
	for _, target := range []string{"", "spirv64", "unavailable", "90", "x86_64", "smx", "GFX90a"} {
		_, err := compute.CompileFor(t.Context(), target, compute.Source{Text: "text"})
		assert.ErrorIs(t, err, compute.ErrTarget, target)
		assert.NotErrorIs(t, err, compute.ErrNotInstalled, target)
		assert.ErrorContains(t, err, "use Compile with the device", target)
	}
}

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
