// Package hostkernels has kernels for the host device, as users write them: it imports package
// compute and nothing that compute is made of. Its tests check that the compiler inlines a block's
// methods here, and compare kernels with plain loops.
package hostkernels

import "github.com/gpuevent/gpuevent/compute"

func vecadd(b *compute.Block, n int32, x, y, z []float32) {
	for i := range b.Threads(int(n)) {
		z[i] = x[i] + y[i]
	}
}

func span(b *compute.Block, n int32, x, y, z []float32) {
	lo, hi := b.Span(int(n))
	x, y, z = x[lo:hi], y[lo:hi], z[lo:hi]
	for i := range z {
		z[i] = x[i] + y[i]
	}
}

// bound is vecadd as a function that returns the function of a block.
func bound(n int32, x, y, z []float32) func(*compute.Block) {
	return func(b *compute.Block) {
		for i := range b.Threads(int(n)) {
			z[i] = x[i] + y[i]
		}
	}
}

// cut is bound with slices that are cut to the block.
func cut(n int32, x, y, z []float32) func(*compute.Block) {
	return func(b *compute.Block) {
		lo, hi := b.Span(int(n))
		x, y, z := x[lo:hi], y[lo:hi], z[lo:hi]
		for i := range z {
			z[i] = x[i] + y[i]
		}
	}
}

func empty(*compute.Block, int32, []float32, []float32, []float32) {}

func stride(b *compute.Block, n int32, x, y, z []float32) {
	for i := range b.Stride(int(n)) {
		z[i] = x[i] + y[i]
	}
}

func transpose(b *compute.Block, height, width int32, in, out []float32) {
	for y := range b.Y(int(height)) {
		for x := range b.X(int(width)) {
			out[x*int(height)+y] = in[y*int(width)+x]
		}
	}
}

func planes(b *compute.Block, depth int32, out []float32) {
	for z := range b.Z(int(depth)) {
		out[z] = float32(b.First() + b.Size() + b.Dim.Size() + int(b.Thread(0).X))
	}
}

// loop is vecadd without a device.
func loop(x, y, z []float32) {
	for i := range z {
		z[i] = x[i] + y[i]
	}
}
