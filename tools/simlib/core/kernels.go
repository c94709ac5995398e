//go:build cgo

package main

import (
	"time"

	"github.com/gpuevent/gpuevent/event/eventtest"
	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// addKernels adds the kernels that do something.
func addKernels(m *sim.Machine) {
	m.Kernel("busy", busy)
	m.Kernel("fill", fill)
	m.Kernel("add", add)
	m.Kernel("axpy", axpy)
	for name, f := range eventtest.KernelSource.Host {
		m.Kernel(name, f)
	}
}

// add and axpy are those of the soak of compute.
func add(b *kernel.Block, n, v int32, x []int32) {
	for i := range b.Threads(int(n)) {
		x[i] += v
	}
}

func axpy(b *kernel.Block, n, a int32, x, y []int32) {
	for i := range b.Threads(int(n)) {
		y[i] += a * x[i]
	}
}

// busy takes a time: launch one block of it.
func busy(_ *kernel.Block, nanoseconds uint64) { time.Sleep(time.Duration(nanoseconds)) }

func fill(b *kernel.Block, n, value uint32, out []uint32) {
	for i := range b.Threads(int(n)) {
		out[i] = value
	}
}
