package reallibs_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hiprtc"
	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/internal/testing/images"
	"github.com/gpuevent/gpuevent/nvrtc"
)

// shapes has kernels with parameters of many shapes, in both vendors' languages. The compilers
// check what the table below says of the structs.
const shapes = `
struct odd { char a; double b; short c; };
struct __attribute__((aligned(16))) four { float x, y, z, w; };
struct three { float x, y, z; };
struct nested { odd o; int i[3]; };
struct tiny { char c; };
static_assert(sizeof(odd) == 24 && alignof(odd) == 8, "odd");
static_assert(sizeof(four) == 16 && alignof(four) == 16, "four");
static_assert(sizeof(three) == 12 && alignof(three) == 4, "three");
static_assert(sizeof(nested) == 40 && alignof(nested) == 8, "nested");
static_assert(sizeof(tiny) == 1 && alignof(tiny) == 1, "tiny");

extern "C" {
__global__ void scalars(char c, short s, int i, long long l, bool b, float f, unsigned char u,
		double d, unsigned short v, unsigned long long w) {}
__global__ void structs(char c, odd o, char d, four f, tiny t, three v, nested n, short s) {}
__global__ void pointers(const int *__restrict__ p, int n, float *q, int &r, const odd *o,
		void (*f)(int)) {
	r = p[n] + (int)q[n] + (int)o[n].b;
}
__global__ void none() {}
__device__ double sum;
__constant__ int most[4];
__global__ void variables(int *x) { sum += most[*x]; }
__global__ void __launch_bounds__(128) bounded(float *x) { x[threadIdx.x] *= 2; }
__global__ void fixed(float *x) {
	__shared__ float s[256];
	s[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	x[threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void dynamic(float *x) {
	extern __shared__ float s[];
	s[threadIdx.x] = x[threadIdx.x];
	__syncthreads();
	x[threadIdx.x] = s[255 - threadIdx.x];
}
}
template <typename T, int N> __global__ void fill(T *x, T v) {
	for (int i = 0; i < N; i++) x[i] = v;
}
template __global__ void fill<double, 4>(double *, double);
`

var (
	odd    = images.Struct(24, 8)
	four   = images.Struct(16, 16)
	three  = images.Struct(12, 4)
	nested = images.Struct(40, 8)
	tiny   = images.Struct(1, 1)
)

// shaped are the kernels of the text, as C lays their parameters out.
var shaped = []images.Kernel{
	{Name: "scalars", Params: []images.Param{images.Int8, images.Int16, images.Int32, images.Int64,
		images.Int8, images.Float32, images.Int8, images.Float64, images.Int16, images.Int64}},
	{Name: "structs", Params: []images.Param{images.Int8, odd, images.Int8, four, tiny, three, nested,
		images.Int16}},
	{Name: "pointers", Params: []images.Param{images.Pointer, images.Int32, images.Pointer,
		images.Pointer, images.Pointer, images.Pointer}},
	{Name: "none"},
	{Name: "variables", Params: []images.Param{images.Pointer}},
	{Name: "bounded", Params: []images.Param{images.Pointer}, MaxThreads: 128},
	{Name: "fixed", Params: []images.Param{images.Pointer}, Shared: 1024},
	{Name: "dynamic", Params: []images.Param{images.Pointer}},
	{Name: "_Z4fillIdLi4EEvPT_S0_", Params: []images.Param{images.Pointer, images.Float64}},
}

// huge has more parameters than CUDA allowed before 12.1.
const huge = `struct big { int v[5000]; };
extern "C" __global__ void huge(const __grid_constant__ big b, int n, int *x) { *x = b.v[n]; }`

var hugeKernel = images.Kernel{Name: "huge", Params: []images.Param{images.Struct(20000, 4),
	images.Int32, images.Pointer}}

// compare compares an image with the kernels that it was compiled from. Pointers have to be known
// as such if marked is set.
func compare(t *testing.T, data []byte, target string, want []images.Kernel,
	marked bool) *image.Image {
	im, err := image.Read(data)
	require.NoError(t, err)
	assert.Equal(t, []string{target}, im.Targets)
	assert.Empty(t, im.Unread)
	assert.Len(t, im.Kernels, len(want))
	if len(want) > 1 {
		assert.ElementsMatch(t, []image.Global{{Name: "sum", Size: 8}, {Name: "most", Size: 16}},
			im.Globals)
	}
	for _, w := range want {
		got, ok := im.Kernel(w.Name)
		require.True(t, ok, w.Name)
		require.True(t, got.ParamsKnown, w.Name)
		params, size := images.Layout(w.Params...)
		assert.Equal(t, size, got.ParamSize, w.Name)
		require.Len(t, got.Params, len(params), w.Name)
		for i, p := range params {
			g := got.Params[i]
			assert.Equal(t, [2]uint32{p.Offset, p.Size}, [2]uint32{g.Offset, g.Size}, "%s: %d", w.Name, i)
			right := g.Kind == p.Kind || g.Kind == image.Any && p.Size <= 8 ||
				g.Kind == image.Word && p.Size == 8
			if marked && p.Kind == image.Pointer {
				right = g.Kind == image.Pointer
			}
			assert.True(t, right, "%s: %d: %v for %v", w.Name, i, g.Kind, p.Kind)
		}
		if w.MaxThreads != 0 {
			assert.Equal(t, w.MaxThreads, got.MaxThreads, w.Name)
		}
		if im.Kind == image.PTX {
			assert.Nil(t, got.Resources)
			continue
		}
		require.NotNil(t, got.Resources, w.Name)
		assert.Equal(t, w.Shared, got.Resources.Shared, "%s: shared memory", w.Name)
		assert.Zero(t, got.Resources.Local, w.Name)
		if len(w.Params) > 0 && w.Name != "scalars" && w.Name != "structs" {
			assert.Positive(t, got.Resources.Registers, w.Name)
		}
	}
	return im
}

// testNVRTCImages reads what the compiler makes.
func testNVRTCImages(t *testing.T) {
	major, _, err := nvrtc.Version()
	require.NoError(t, err)
	archs := []string{"sm_80", "sm_90"}
	if major >= 12 {
		archs = append(archs, "sm_75", "sm_100", "sm_120")
	}
	for _, arch := range archs {
		t.Run(arch, func(t *testing.T) {
			cubin, ptx := nvImages(t, shapes, arch)
			marked := major >= 13 && len(arch) == len("sm_100")
			im := compare(t, cubin, arch, shaped, marked)
			assert.Equal(t, image.Cubin, im.Kind)
			assert.Positive(t, im.Kernels[0].Resources.WaveSize)

			target := "compute_" + arch[len("sm_"):]
			im = compare(t, ptx, target, shaped, marked)
			assert.Equal(t, image.PTX, im.Kind)
			assert.Equal(t, os.Getenv(release), im.PTXVersion.CUDA(), im.PTXVersion.String())

			parts := []images.Part{{Target: arch, Data: cubin}, {Target: target, Data: ptx}}
			for _, data := range [][]byte{images.Fatbin(parts...), images.FatbinLZ4(parts...)} {
				fat, err := image.Read(data)
				require.NoError(t, err)
				assert.Empty(t, fat.Unread)
				assert.Len(t, fat.Entries[0].Kernels, len(shaped))
				assert.Equal(t, im.Kernels, fat.Entries[1].Kernels)
			}
		})
	}
	t.Run("many parameters", func(t *testing.T) {
		if fake.Newer("12.1", os.Getenv(release)) {
			prog := nvProgram(t, huge)
			assert.ErrorIs(t, nvCompile(t, prog, "--gpu-architecture=sm_90", "-std=c++17"),
				nvrtc.ErrCompilation)
			return
		}
		cubin, ptx := nvImages(t, huge, "sm_90")
		compare(t, cubin, "sm_90", []images.Kernel{hugeKernel}, false)
		compare(t, ptx, "compute_90", []images.Kernel{hugeKernel}, false)
	})
	t.Run("code for one GPU alone", func(t *testing.T) {
		if major < 12 {
			return
		}
		cubin, ptx := nvImages(t, shapes, "sm_90a")
		compare(t, ptx, "compute_90a", shaped, false)
		target := "sm_90a"
		if major > 12 {
			target = "sm_90" // the header does not say more
		}
		compare(t, cubin, target, shaped, false)
	})
	t.Run("code for linking", func(t *testing.T) {
		if major < 12 {
			return
		}
		prog := nvProgram(t, shapes)
		require.NoError(t, nvCompile(t, prog, "--gpu-architecture=compute_80", "-dlto", "-std=c++17"))
		code, err := nvrtc.Output(prog, nvrtc.GetLTOIRSize, nvrtc.GetLTOIR)
		require.NoError(t, err)
		assert.Equal(t, image.LTOIR, image.KindOf(code))
	})
}

func nvImages(t *testing.T, source, arch string) (cubin, ptx []byte) {
	prog := nvProgram(t, source)
	err := nvCompile(t, prog, "--gpu-architecture="+arch, "-std=c++17")
	log, logErr := nvrtc.Log(prog)
	require.NoError(t, logErr)
	require.NoError(t, err, log)
	cubin, err = nvrtc.Output(prog, nvrtc.GetCUBINSize, nvrtc.GetCUBIN)
	require.NoError(t, err)
	ptx, err = nvrtc.Output(prog, nvrtc.GetPTXSize, nvrtc.GetPTX)
	require.NoError(t, err)
	return cubin, ptx
}

// testHIPRTCImages reads what the compiler makes.
func testHIPRTCImages(t *testing.T) {
	var parts []images.Part
	for arch, wave := range map[string]uint32{"gfx90a": 64, "gfx942": 64, "gfx1100": 32,
		"gfx942:sramecc+:xnack-": 64, "gfx90a:xnack+": 64, "gfx908:sramecc-": 64} {
		prog := hipProgram(t, shapes)
		err := hipCompile(t, prog, "--offload-arch="+arch)
		log, logErr := hiprtc.Log(prog)
		require.NoError(t, logErr)
		require.NoError(t, err, log)
		code, err := hiprtc.Output(prog, hiprtc.GetCodeSize, hiprtc.GetCode)
		require.NoError(t, err)
		im := compare(t, code, arch, shaped, true)
		assert.Equal(t, image.CodeObject, im.Kind)
		for _, k := range im.Kernels {
			assert.Equal(t, wave, k.Resources.WaveSize, "%s on %s", k.Name, arch)
		}
		parts = append(parts, images.Part{Target: arch, Data: code})
	}
	im, err := image.Read(images.Bundle(parts...))
	require.NoError(t, err)
	assert.Len(t, im.Targets, len(parts))
	assert.Len(t, im.Kernels, len(shaped))
	assert.Empty(t, im.Unread)
}
