package backend_test

import (
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/testing/clib"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// quick is a driver in C that does nothing but keep what is current on a thread.
const quick = `
static __thread void *context;
static __thread int device;
int cuCtxGetCurrent(void **c) { *c = context; return 0; }
int cuCtxSetCurrent(void *c) { context = c; return 0; }
int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	unsigned bz, unsigned shared, void *stream, void **params, void **extra) { return 0; }
int hipGetDevice(int *d) { *d = device; return 0; }
int hipSetDevice(int d) { device = d; return 0; }
int hipModuleLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
	unsigned bz, unsigned shared, void *stream, void **params, void **extra) { return 0; }
`

// quickLibrary serves both APIs by C functions.
func quickLibrary(t testing.TB) {
	t.Helper()
	c, err := purego.Dlopen(clib.Library(t, t.TempDir(), "libquick.so", quick), purego.RTLD_NOW)
	require.NoError(t, err)
	for lib, symbols := range map[*fake.Library][]string{
		fake.CUDA(t, "13.0"): {"cuCtxGetCurrent", "cuCtxSetCurrent", "cuLaunchKernel"},
		fake.HIP(t, "7.2"):   {"hipGetDevice", "hipSetDevice", "hipModuleLaunchKernel"},
	} {
		api := amd.api
		if symbols[0] == "cuCtxGetCurrent" {
			api = nvidia.api
			lib.Handle("cuDevicePrimaryCtxRetain",
				func(a fake.Args) int32 { a.Put64(0, 0xc0+a[1]); return 0 })
			lib.Handle("cuDeviceGet", func(a fake.Args) int32 { a.Put32(0, int32(a[1])); return 0 })
		}
		for _, symbol := range symbols {
			addr, err := purego.Dlsym(c, symbol)
			require.NoError(t, err)
			lib.Address(symbol, addr)
		}
		lib.Install(t, api)
	}
}

// launches are the ways to launch a kernel with four parameters.
func launches(t testing.TB) []struct {
	name string
	run  func(n int)
} {
	t.Helper()
	quickLibrary(t)
	backends := func(v *vendor) (own, other func(int)) {
		ds, err := v.open(0, 2)
		require.NoError(t, err)
		b, err := backend.New(ds[1]) // no thread begins with it
		require.NoError(t, err)
		y := uint64(0xa000)
		once := func() {
			p := b.Frame()
			n, a := int32(1<<20), float32(2)
			p.Add(unsafe.Pointer(&n), 4)
			p.Add(unsafe.Pointer(&a), 4)
			p.AddWord(y)
			p.AddWord(y)
			if err := b.Launch(stream, function, &shape, p); err != nil {
				panic(err)
			}
			b.PutFrame(p)
		}
		loop := func(n int) {
			for range n {
				once()
			}
		}
		inside := func(n int) {
			if err := ds[1].(driver.GPU).Enter(func() error { loop(n); return nil }); err != nil {
				panic(err)
			}
		}
		return inside, loop
	}
	own, other := backends(nvidia)
	ownHIP, otherHIP := backends(amd)
	words := [4]uint64{1 << 20, 2, 0xa000, 0xa000}
	params := []unsafe.Pointer{unsafe.Pointer(&words[0]), unsafe.Pointer(&words[1]),
		unsafe.Pointer(&words[2]), unsafe.Pointer(&words[3])}
	return []struct {
		name string
		run  func(int)
	}{
		{"CUDA/raw", func(n int) {
			for range n {
				_ = cudrv.LaunchKernel(15, 7, 8, 9, 32, 2, 1, 512, 5, &params[0], nil)
			}
		}},
		{"CUDA/own", own},
		{"CUDA/other", other},
		{"HIP/raw", func(n int) {
			for range n {
				_ = hip.ModuleLaunchKernel(15, 7, 8, 9, 32, 2, 1, 512, 5, &params[0], nil)
			}
		}},
		{"HIP/own", ownHIP},
		{"HIP/other", otherHIP},
	}
}

// BenchmarkLaunch compares the raw call with a launch where the device's own context is current
// and where another one is.
func BenchmarkLaunch(b *testing.B) {
	for _, l := range launches(b) {
		b.Run(l.name, func(b *testing.B) {
			b.ReportAllocs()
			l.run(b.N)
		})
	}
}

func TestLaunchesAllocateNothing(t *testing.T) {
	for _, l := range launches(t) {
		if raceDetector {
			l.run(10) // sync.Pool drops at random
			continue
		}
		const entering = 1 // once for all launches where the own context is current
		assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { l.run(100) }), float64(entering), l.name)
	}
}
