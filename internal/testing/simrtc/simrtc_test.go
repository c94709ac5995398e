package simrtc

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hiprtc"
	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/testing/images"
	"github.com/gpuevent/gpuevent/nvrtc"
)

const saxpy = `// __global__ void commented(int n) {}
extern "C" __global__ __launch_bounds__(256) void saxpy(int n, const float a, const float *x,
                                                        float *__restrict__ y) {
	const char *s = "} __global__ void quoted() {";
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) y[i] += a * x[i];
}
extern "C" __global__ void all(bool b, short s, unsigned n, unsigned long long m, size_t z,
	double d, unsigned char) {}
extern "C" __global__ void none(void) {}
template <typename T, int N> __global__ void reduce(const T *x, T *sum) { }
`

func none(string) ([]images.Param, bool) { return nil, false }

// cuda compiles and returns the images.
func cuda(t *testing.T, text string, names []string, options ...string) (ptx, cubin []byte,
	log string, lowered []string, err error) {
	t.Helper()
	p, err := nvrtc.CreateProgram(text, "k.cu", 0, nil, nil)
	require.NoError(t, err)
	for _, e := range names {
		require.NoError(t, nvrtc.AddNameExpression(p, e))
	}
	n, list, err := nvrtc.Strings(options...)
	require.NoError(t, err)
	err = nvrtc.CompileProgram(p, n, list)
	log, fault := nvrtc.Log(p)
	require.NoError(t, fault)
	if err == nil {
		ptx, fault = nvrtc.Output(p, nvrtc.GetPTXSize, nvrtc.GetPTX)
		require.NoError(t, fault)
		cubin, fault = nvrtc.Output(p, nvrtc.GetCUBINSize, nvrtc.GetCUBIN)
		require.NoError(t, fault)
		for _, e := range names {
			symbol, fault := nvrtc.GetLoweredName(p, e)
			require.NoError(t, fault)
			lowered = append(lowered, symbol)
		}
	}
	require.NoError(t, nvrtc.DestroyProgram(&p))
	assert.Zero(t, p)
	return ptx, cubin, log, lowered, err
}

func sizes(t *testing.T, b []byte, kernel string) (all []uint32) {
	t.Helper()
	im, err := image.Read(b)
	require.NoError(t, err)
	k, ok := im.Kernel(kernel)
	require.True(t, ok, kernel)
	for _, p := range k.Params {
		all = append(all, p.Size)
	}
	return all
}

func TestNVRTC(t *testing.T) {
	defer New("12.8", none).InstallNVRTC()()
	major, minor, err := nvrtc.Version()
	require.NoError(t, err)
	assert.Equal(t, [2]int32{12, 8}, [2]int32{major, minor})
	ptx, cubin, log, lowered, err := cuda(t, saxpy, []string{"reduce<float, 256>", "saxpy"},
		"-arch=sm_90", "-std=c++17")
	require.NoError(t, err)
	assert.Empty(t, log)
	assert.Equal(t, []string{"_Zreduce_float_256_", "saxpy"}, lowered)
	for _, b := range [][]byte{ptx, cubin} {
		assert.Equal(t, []uint32{4, 4, 8, 8}, sizes(t, b, "saxpy"))
		assert.Equal(t, []uint32{1, 2, 4, 8, 8, 8, 1}, sizes(t, b, "all"))
		assert.Empty(t, sizes(t, b, "none"))
		assert.Equal(t, []uint32{8, 8}, sizes(t, b, lowered[0]))
		im, err := image.Read(b)
		require.NoError(t, err)
		assert.Len(t, im.Kernels, 4)
		k, _ := im.Kernel("saxpy")
		assert.EqualValues(t, 256, k.MaxThreads)
	}
	im, err := image.Read(ptx)
	require.NoError(t, err)
	assert.Equal(t, image.PTXVersion{Major: 8, Minor: 7}, im.PTXVersion)
	assert.Equal(t, byte(0), ptx[len(ptx)-1])

	_, cubin, _, _, err = cuda(t, saxpy, nil, "--gpu-architecture=compute_80")
	require.NoError(t, err)
	assert.Empty(t, cubin, "PTX only")
	n, err := nvrtc.GetNumSupportedArchs()
	require.NoError(t, err)
	archs := make([]int32, n)
	require.NoError(t, nvrtc.GetSupportedArchs(&archs[0]))
	assert.Contains(t, archs, int32(100))
}

func TestNVRTCFailures(t *testing.T) {
	defer New("12.4", none).InstallNVRTC()()
	for name, c := range map[string]struct {
		text, arch, log string
		err             error
	}{
		"open brace": {"__global__ void k() {\n\tif (x) {\n}\n", "sm_80",
			"k.cu(4): error: expected a \"}\"", nvrtc.ErrCompilation},
		"wrong bracket": {"void f() {\n\tx[(1];\n}", "sm_80", "k.cu(2): error: expected a \")\"",
			nvrtc.ErrCompilation},
		"too many": {"}", "sm_80", "k.cu(1): error: expected a declaration", nvrtc.ErrCompilation},
		"type": {"\n__global__ void k(struct pair p) {}", "sm_80",
			"k.cu(2): error: the simulated compiler does not know the type of " +
				"parameter \"struct pair p\" of kernel k", nvrtc.ErrCompilation},
		"architecture": {"", "sm_100", "invalid value for --gpu-architecture", nvrtc.ErrInvalidOption},
	} {
		_, _, log, _, err := cuda(t, c.text, nil, "--gpu-architecture="+c.arch)
		assert.ErrorIs(t, err, c.err, name)
		assert.Contains(t, log, c.log, name)
	}
	_, _, log, _, err := cuda(t, saxpy, []string{"missing<int>"}, "-arch=sm_80")
	assert.ErrorIs(t, err, nvrtc.ErrCompilation)
	assert.Contains(t, log, `identifier "missing" is undefined`)
	p, err := nvrtc.CreateProgram(saxpy, "", 0, nil, nil)
	require.NoError(t, err)
	_, err = nvrtc.GetLoweredName(p, "reduce<int>")
	assert.ErrorIs(t, err, nvrtc.ErrNoLoweredNamesBeforeCompilation)
	require.NoError(t, nvrtc.CompileProgram(p, 0, nil))
	assert.ErrorIs(t, nvrtc.AddNameExpression(p, "x"), nvrtc.ErrNoNameExpressionsAfterCompilation)
	_, err = nvrtc.GetLoweredName(p, "reduce<int>")
	assert.ErrorIs(t, err, nvrtc.ErrNameExpressionNotValid)
	gone := p
	require.NoError(t, nvrtc.DestroyProgram(&p))
	assert.ErrorIs(t, nvrtc.CompileProgram(gone, 0, nil), nvrtc.ErrInvalidProgram)
}

func TestParametersOfTheGoFunction(t *testing.T) {
	asked := ""
	defer New("13.5", func(name string) ([]images.Param, bool) {
		asked = name
		return []images.Param{images.Struct(24, 8)}, true
	}).InstallNVRTC()()
	ptx, _, _, lowered, err := cuda(t, "template <class T> __global__ void k(pair<T> p) {}",
		[]string{"&k<int>"}, "-arch=sm_90")
	require.NoError(t, err)
	assert.Equal(t, "k<int>", asked)
	assert.Equal(t, []uint32{24}, sizes(t, ptx, lowered[0]))
	assert.Equal(t, lowered[0], Symbol("k< int >"))
}

func TestHIPRTC(t *testing.T) {
	defer New("6.4", none).InstallHIPRTC()()
	compile := func(text, arch string) (code []byte, log string, err error) {
		p, err := hiprtc.CreateProgram(text, "k.hip", 0, nil, nil)
		require.NoError(t, err)
		require.NoError(t, hiprtc.AddNameExpression(p, "saxpy"))
		n, list, err := hiprtc.Strings("--offload-arch=" + arch)
		require.NoError(t, err)
		err = hiprtc.CompileProgram(p, n, list)
		log, fault := hiprtc.Log(p)
		require.NoError(t, fault)
		if err == nil {
			code, fault = hiprtc.Output(p, hiprtc.GetCodeSize, hiprtc.GetCode)
			require.NoError(t, fault)
			symbol, fault := hiprtc.GetLoweredName(p, "saxpy")
			require.NoError(t, fault)
			assert.Equal(t, "saxpy", symbol)
		}
		require.NoError(t, hiprtc.DestroyProgram(&p))
		return code, log, err
	}
	code, log, err := compile(saxpy, "gfx942:sramecc+:xnack-")
	require.NoError(t, err)
	assert.Empty(t, log)
	assert.Equal(t, []uint32{4, 4, 8, 8}, sizes(t, code, "saxpy"))
	im, err := image.Read(code)
	require.NoError(t, err)
	assert.Equal(t, []string{"gfx942:sramecc+:xnack-"}, im.Targets)
	_, log, err = compile("void saxpy() {\n", "gfx942")
	assert.ErrorIs(t, err, hiprtc.ErrCompilation)
	assert.Contains(t, log, "k.hip:2:1: error: expected a")
	_, _, err = compile(saxpy, "sm_90")
	assert.Error(t, err)
}
