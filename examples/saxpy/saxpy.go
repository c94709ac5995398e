package main

import (
	"context"
	"errors"
	"slices"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// source is the kernel for GPUs of both vendors, and the same in Go for the host.
var source = compute.Source{Text: `
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}`, Host: map[string]compute.HostKernel{"saxpy": saxpy}}

// saxpy runs one block of threads: elements lo to hi.
func saxpy(b *compute.Block, n int32, a float32, x, y []float32) {
	lo, hi := b.Span(int(n))
	x, y = x[lo:hi], y[lo:hi]
	for i := range y {
		y[i] += a * x[i]
	}
}

// measure runs a module's saxpy once to check what it computes, and then many times for a sample.
// It closes the module.
func measure(ctx context.Context, m *compute.Module, n int) (
	correct bool, sample event.Sample, err error) {
	defer func() { err = errors.Join(err, m.Close()) }()
	k, err := m.Kernel("saxpy")
	if err != nil {
		return false, sample, err
	}
	s, err := m.Device().NewStream()
	if err != nil {
		return false, sample, err
	}
	defer s.Close()
	// Small whole numbers: a GPU rounds a*x + y once, Go twice, and here neither has to.
	const a = 2
	xs, ys, want := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range want {
		xs[i], ys[i] = float32(i%1000), float32(i%77)
		want[i] = a*xs[i] + ys[i]
	}
	x, err := compute.From(s, xs)
	if err != nil {
		return false, sample, err
	}
	defer x.Close()
	y, err := compute.From(s, ys)
	if err != nil {
		return false, sample, err
	}
	defer y.Close()
	launch := func() error {
		return k.Launch(s, compute.Linear(n, 256), int32(n), float32(a), x, y)
	}
	if err := launch(); err != nil {
		return false, sample, err
	}
	if err := y.CopyTo(s, ys); err != nil {
		return false, sample, err
	}
	sample, err = event.Measure(ctx, s, runs, launch)
	return slices.Equal(ys, want), sample, err
}
