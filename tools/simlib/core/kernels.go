//go:build cgo

package main

import (
	"time"

	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// addKernels adds the kernels that do something.
func addKernels(m *sim.Machine) {
	m.Kernel("busy", busy)
	m.Kernel("saxpy", saxpy)
	m.Kernel("fill", fill)
}

// busy takes a time: launch one block of it.
func busy(_ *kernel.Block, nanoseconds uint64) { time.Sleep(time.Duration(nanoseconds)) }

func saxpy(b *kernel.Block, n int32, a float32, x, y []float32) {
	for i := range b.Threads(int(n)) {
		y[i] += a * x[i]
	}
}

func fill(b *kernel.Block, n, value uint32, out []uint32) {
	for i := range b.Threads(int(n)) {
		out[i] = value
	}
}
