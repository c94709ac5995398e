package main

import "github.com/gpuevent/gpuevent/compute"

// source is a kernel that takes as long as it is told to: it adds 1 to each number, many times.
var source = compute.Source{Text: `
extern "C" __global__ void work(int n, int rounds, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int r = 0; r < rounds; r++) v += 1;
  x[i] = v;
}`, Host: map[string]compute.HostKernel{"work": work}}

func work(b *compute.Block, n, rounds int32, x []float32) {
	lo, hi := b.Span(int(n))
	for i, v := range x[lo:hi] {
		for range rounds {
			v++
		}
		x[lo+i] = v
	}
}
