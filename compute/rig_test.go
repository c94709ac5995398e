package compute_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// target is a kind of device that tests run on.
type target struct {
	name    string
	backend event.Backend
	version string
}

// targets are the host, and drivers of both vendors, old and new.
var targets = []target{
	{"host", event.Host, ""},
	{"cuda-11.8", event.CUDA, "11.8"},
	{"cuda-12.4", event.CUDA, "12.4"},
	{"cuda-13.5", event.CUDA, "13.5"},
	{"hip-5.2.3", event.HIP, "5.2.3"},
	{"hip-6.4", event.HIP, "6.4"},
	{"hip-7.2", event.HIP, "7.2"},
}

// rig is a device of a target with kernels.
type rig struct {
	testing.TB
	target  target
	machine *eventsim.Machine // nil for the host
	device  *event.Device
	stream  *event.Stream
}

// onEach runs a test on each target.
func onEach(t *testing.T, f func(*testing.T, *rig)) {
	for _, to := range targets {
		t.Run(to.name, func(t *testing.T) {
			r := newRig(t, to, eventsim.Config{Devices: 2})
			f(t, r)
		})
	}
}

func newRig(t testing.TB, to target, c eventsim.Config) *rig {
	r := &rig{TB: t, target: to}
	if to.backend == event.Host {
		var err error
		r.device, err = event.Open("host")
		require.NoError(t, err)
	} else {
		c.Backend, c.Version, c.RealTime = to.backend, to.version, true
		r.machine = eventsim.New(t, c)
		r.device = r.machine.Device(0)
	}
	r.stream = r.newStream()
	return r
}

// newStream makes a stream that is closed at the end.
func (r *rig) newStream() *event.Stream {
	r.Helper()
	s, err := r.device.NewStream()
	require.NoError(r, err)
	r.Cleanup(func() { require.NoError(r, s.Close()) })
	return s
}

// module loads a module with Go kernels.
func (r *rig) module(kernels map[string]compute.HostKernel) *compute.Module {
	r.Helper()
	m := r.load(kernels)
	r.Cleanup(func() { require.NoError(r, m.Close()) })
	return m
}

func (r *rig) load(kernels map[string]compute.HostKernel) *compute.Module {
	r.Helper()
	if r.machine == nil {
		m, err := compute.Compile(context.Background(), r.device, compute.Source{Host: kernels})
		require.NoError(r, err)
		return m
	}
	var list []images.Kernel
	for name, fn := range kernels {
		r.machine.Kernel(name, fn)
		k, err := images.KernelOf(name, fn)
		require.NoError(r, err)
		list = append(list, k)
	}
	m, err := compute.Load(r.device, r.image(list...))
	require.NoError(r, err)
	return m
}

// image makes an image that the device loads.
func (r *rig) image(kernels ...images.Kernel) []byte {
	if r.target.backend == event.HIP {
		return images.CodeObject(r.device.Architecture(), kernels...)
	}
	return images.PTX("7.0", "sm_70", kernels...)
}

// kernel returns one kernel of a module of its own.
func (r *rig) kernel(name string, fn any) *compute.Kernel {
	r.Helper()
	k, err := r.module(map[string]compute.HostKernel{name: fn}).Kernel(name)
	require.NoError(r, err)
	return k
}

// buffer allocates a buffer with values, that is closed at the end.
func buffer[T any](r *rig, values ...T) *compute.Buffer[T] {
	r.Helper()
	b, err := compute.Alloc[T](r.stream, len(values))
	require.NoError(r, err)
	r.Cleanup(func() { require.NoError(r, b.Close()) })
	require.NoError(r, b.CopyFrom(r.stream, values))
	return b
}

// read returns a buffer's values.
func read[T any](r *rig, b *compute.Buffer[T]) []T {
	r.Helper()
	values := make([]T, b.Len())
	require.NoError(r, b.CopyTo(r.stream, values))
	return values
}
