// Package simulated loads the kernels of examples on simulated GPUs, for their tests.
package simulated

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// Module makes a machine with a GPU and loads a module with the kernels of Source.Host, which the
// GPU runs. The machine's clock is the system's.
func Module(t testing.TB, b event.Backend, s compute.Source) (*eventsim.Machine, *compute.Module) {
	t.Helper()
	m := eventsim.New(t, eventsim.Config{Backend: b, RealTime: true})
	d := m.Device(0)
	var list []images.Kernel
	for name, fn := range s.Host {
		m.Kernel(name, fn)
		f, err := kernel.Of(fn)
		require.NoError(t, err)
		list = append(list, images.Kernel{Name: name, Params: params(f)})
	}
	build := images.Cubin
	if b == event.HIP {
		build = images.CodeObject
	}
	module, err := compute.Load(d, build(d.Architecture(), list...))
	require.NoError(t, err)
	return m, module
}

// params returns a Go kernel's parameters as a C compiler has them.
func params(f *kernel.Func) (list []images.Param) {
	kinds := map[kernel.Kind]image.ParamKind{kernel.Integer: image.Integer, kernel.Float: image.Float,
		kernel.Bytes: image.Bytes, kernel.Buffer: image.Pointer}
	for _, p := range f.Params() {
		list = append(list, images.Param{Size: uint32(p.Size), Align: uint32(p.Align), Kind: kinds[p.Kind]})
	}
	return list
}
