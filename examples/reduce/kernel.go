package main

import (
	"unsafe"

	"github.com/gpuevent/gpuevent/compute"
)

const (
	threads = 256  // of a block; a power of two
	most    = 1024 // blocks of the first pass: each thread sums many numbers before they share
)

// source has the template once, for GPUs of both vendors; Names are the kernels that are made of
// it. The shared memory is declared as double since one array can't have two types.
var source = compute.Source{Text: `
template <typename T>
__global__ void reduce(int n, const T *x, T *sums) {
  extern __shared__ double memory[];
  T *part = reinterpret_cast<T *>(memory);
  T sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}`,
	Names: []string{"reduce<float>", "reduce<double>"},
	Host: map[string]compute.HostKernel{
		"reduce<float>":  reduce[float32],
		"reduce<double>": reduce[float64],
	},
}

// reduce is the same for the host: a call runs all threads of a block, and where the C text has a
// barrier, one loop over the threads ends and the next begins.
func reduce[T float32 | float64](b *compute.Block, n int32, x, sums []T) {
	part := compute.Shared[T](b)
	clear(part)
	first, stride := b.First(), b.Grid.Size()*b.Size()
	for lo := first; lo < int(n); lo += stride {
		for t, v := range x[lo:min(lo+b.Size(), int(n))] {
			part[t] += v
		}
	}
	for step := b.Size() / 2; step > 0; step /= 2 {
		for t := range step {
			part[t] += part[t+step]
		}
	}
	sums[b.Index.X] = part[0]
}

// shape is a launch of blocks with an element of shared memory for each thread.
func shape[T any](blocks int) compute.Config {
	return compute.Config{Grid: compute.Dim{X: uint32(blocks)}, Block: compute.Dim{X: threads},
		Shared: threads * int(unsafe.Sizeof(*new(T)))}
}
