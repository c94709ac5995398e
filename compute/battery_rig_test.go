package compute_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/native"
	"github.com/gpuevent/gpuevent/internal/testing/battery"
	"github.com/gpuevent/gpuevent/internal/testing/images"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// bench is a rig for one attempt at an operation, with a device and a stream.
type bench struct {
	*battery.Rig
	target target
	device *event.Device
	stream *event.Stream
}

func must[T any](v T, err error) T { return battery.Obtain(v, err) }

var (
	ensure     = battery.Ensure
	eventually = battery.Eventually
)

func newBench(to target, o sim.Options) *bench {
	return &bench{Rig: battery.New(to.backend, profile(to), o), target: to}
}

// profile is the simulator's name for a version.
func profile(to target) string {
	all := sim.HIPProfiles()
	if to.backend == event.CUDA {
		all = sim.CUDAProfiles()
	}
	i := slices.IndexFunc(all, func(p string) bool {
		return p == to.version || strings.HasPrefix(p, to.version+".")
	})
	return all[i]
}

// open finds the devices and makes a stream.
func (b *bench) open() {
	b.device = b.Device(0)
	b.device.Capabilities() // which queries the driver for some, once
	b.stream = b.Stream(b.device)
}

// hold keeps a stream busy until the gate opens, at the end if not before.
func (b *bench) hold(s *event.Stream) *sim.Gate {
	g := b.Machine.Gate(native.StreamOf(s).Object.Word)
	b.Later(func() error { g.Open(); return nil })
	return g
}

// load loads kernels, and on NVIDIA a variable.
func (b *bench) load(kernels map[string]compute.HostKernel) *compute.Module {
	m := must(compute.Load(b.device, b.image(kernels)))
	b.Later(m.Close)
	return m
}

func (b *bench) image(kernels map[string]compute.HostKernel) []byte {
	var list []images.Kernel
	for name, fn := range kernels {
		b.Machine.Kernel(name, fn)
		list = append(list, must(images.KernelOf(name, fn)))
	}
	slices.SortFunc(list, func(x, y images.Kernel) int { return strings.Compare(x.Name, y.Name) })
	if b.target.backend == event.HIP {
		return images.CodeObject(b.device.Architecture(), list...)
	}
	text := strings.TrimRight(string(images.PTX("7.0", "sm_70", list...)), "\x00")
	return []byte(text + "\n.visible .global .align 4 .b32 table[4];\n\x00")
}

// saxpy is a loaded kernel.
func (b *bench) saxpy() *compute.Kernel {
	return must(b.load(map[string]compute.HostKernel{"saxpy": saxpyGo}).Kernel("saxpy"))
}

// floats is a buffer with values.
func (b *bench) floats(values ...float32) *compute.Buffer[float32] {
	x := must(compute.From(b.stream, values))
	b.Later(x.Close)
	return x
}

// handles counts what a test must close, without what package event keeps for reuse.
func (b *bench) handles() sim.Handles {
	for n := range 2 {
		if d, err := event.Open(fmt.Sprintf("%s:%d", b.target.backend, n)); err == nil {
			native.DeviceOf(d).Settle()
		}
	}
	h := b.Live()
	h.Contexts = 0
	return h
}

// usage adds up the accounts of both devices.
func (b *bench) usage() (u compute.Usage) {
	for n := range 2 {
		d, err := event.Open(fmt.Sprintf("%s:%d", b.target.backend, n))
		if err != nil {
			continue
		}
		one, err := compute.UsageOf(d)
		if err != nil {
			continue
		}
		u.Buffers += one.Buffers
		u.Bytes += one.Bytes
		u.PinnedBuffers += one.PinnedBuffers
		u.PinnedBytes += one.PinnedBytes
	}
	return u
}
