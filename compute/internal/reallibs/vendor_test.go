package reallibs_test

import (
	"context"
	"os"

	"github.com/gpuevent/gpuevent/compute/internal/cache"
	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// vendor is the compiler that this process has.
type vendor struct {
	nvidia  bool
	release string
	compile func(context.Context, compiler.Request) (compiler.Result, error)
	cached  func(*cache.Cache, context.Context, compiler.Request) (compiler.Result, error)
	targets []string
}

func current() vendor {
	v := vendor{release: os.Getenv(release)}
	if os.Getenv(api) == "nvrtc" {
		v.nvidia, v.compile, v.cached = true, compiler.CUDA, (*cache.Cache).CUDA
		v.targets = []string{"sm_80", "sm_90", "sm_100"}
		return v
	}
	v.compile, v.cached = compiler.HIP, (*cache.Cache).HIP
	v.targets = []string{"gfx90a", "gfx942", "gfx1100"}
	return v
}

// source is in both vendors' languages.
const source = `#include "scale.h"
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = scaled(x[i], a) + y[i];
}
template <typename T> __global__ void fill(T *x, T v) { x[threadIdx.x] = v; }
namespace limits { __constant__ int most = 7; }
`

// request has a header, a template and a variable.
func request(target string) compiler.Request {
	return compiler.Request{
		Text: source, Name: "kernels/saxpy.cu", Target: target,
		Headers: map[string]string{
			"scale.h": "template <typename T> __device__ T scaled(T x, T f) { return x * f; }\n"},
		Names: []string{"fill<float>", "&limits::most"},
	}
}

// lowered are the symbols of the request's names.
var lowered = map[string]string{"fill<float>": "_Z4fillIfEvPT_S0_",
	"&limits::most": "_ZN6limits4mostE"}
