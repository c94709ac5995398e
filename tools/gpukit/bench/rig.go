package bench

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// How long a stream is held up for operations on what is pending.
const (
	shortestHold = 20 * time.Millisecond
	longestHold  = 8 * shortestHold
)

// rig is a device with what most operations need. Raw calls have objects of their own: a stream
// whose handle was given out costs package event more.
type rig struct {
	device         *event.Device
	stream, second *event.Stream
	raw            *raw // nil on the host
	rs, rsecond    uintptr
	*kernels
	without error   // why there are no kernels
	perNS   float64 // ticks of the kernel that lasts, in a nanosecond
	hold    time.Duration
	owned   []func() error // close the objects of an operation
}

func newRig(d *event.Device) (r *rig, err error) {
	r = &rig{device: d, raw: rawOf(d), perNS: 1}
	defer func() {
		if err != nil {
			err = errors.Join(err, r.close())
		}
	}()
	for _, s := range []**event.Stream{&r.stream, &r.second} {
		if *s, err = d.NewStream(); err != nil {
			return r, err
		}
	}
	err = d.Do(func() error {
		if r.raw != nil {
			for _, s := range []*uintptr{&r.rs, &r.rsecond} {
				if *s, err = r.raw.newStream(); err != nil {
					return err
				}
			}
		}
		r.kernels, err = loadKernels(d, r.raw)
		if errors.Is(err, compute.ErrNotInstalled) {
			r.without, err = err, nil
		}
		return err
	})
	if err == nil && r.kernels != nil {
		err = r.calibrate()
	}
	return r, err
}

// calibrate finds how many ticks of the kernel that lasts make a nanosecond.
func (r *rig) calibrate() error {
	const ticks = 1_000_000 // a millisecond on NVIDIA, ten on AMD's GPUs of today
	var took time.Duration
	for range 2 { // the first run may load the code
		var err error
		if took, err = r.lasting(ticks); err != nil {
			return err
		}
	}
	if took < 100*time.Microsecond || took > time.Second {
		return fmt.Errorf("a kernel of %d ticks took %v: the device's timer does not work as "+
			"expected", ticks, took)
	}
	r.perNS = ticks / float64(took)
	return nil
}

// lasting is how long the kernel takes for a number of ticks.
func (r *rig) lasting(ticks uint64) (took time.Duration, err error) {
	start, err := r.stream.RecordNew(event.WithTiming())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, start.Close()) }()
	if err := r.spin.Launch(r.stream, one, ticks); err != nil {
		return 0, err
	}
	end, err := r.stream.RecordNew(event.WithTiming())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, end.Close()) }()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := end.Wait(ctx); err != nil {
		return 0, err
	}
	return end.Sub(start)
}

// one is the shape of all launches.
var one = compute.Config{}

// ticks is how long the kernel that lasts has to last, in its own unit.
func (r *rig) ticks(d time.Duration) uint64 { return uint64(float64(d) * r.perNS) }

// drain waits until the streams are idle, and drainRaw does it by raw calls.
func (r *rig) drain(int) error { return errors.Join(r.stream.Sync(), r.second.Sync()) }

func (r *rig) drainRaw(int) error {
	return errors.Join(r.raw.syncStream(r.rs), r.raw.syncStream(r.rsecond))
}

// each calls one of two functions for each stream that there is.
func (r *rig) each(ours func(*event.Stream) error, raw func(uintptr) error) error {
	var all []error
	for _, s := range []uintptr{r.rs, r.rsecond} {
		if s != 0 {
			all = append(all, r.device.Do(func() error { return raw(s) }))
		}
	}
	for _, s := range []*event.Stream{r.stream, r.second} {
		if s != nil {
			all = append(all, ours(s))
		}
	}
	return errors.Join(all...)
}

// idle waits for all streams, whatever has happened on them.
func (r *rig) idle() error {
	return r.each((*event.Stream).Sync, func(s uintptr) error { return r.raw.syncStream(s) })
}

// own keeps a function that closes an object until the operation's end.
func (r *rig) own(close func() error) { r.owned = append(r.owned, close) }

// ownRaw is own for raw calls.
func (r *rig) ownRaw(close func() error) {
	r.own(func() error { return r.device.Do(close) })
}

// release closes the objects of an operation, the newest first.
func (r *rig) release() (err error) {
	for _, f := range slices.Backward(r.owned) {
		err = errors.Join(err, f())
	}
	r.owned = nil
	return err
}

// close frees everything, when no work is left that uses it.
func (r *rig) close() error {
	all := []error{r.idle()}
	if k := r.kernels; k != nil {
		if k.module != nil {
			all = append(all, k.module.Close())
		}
		if k.rawModule != 0 {
			all = append(all, r.device.Do(func() error { return r.raw.unload(k.rawModule) }))
		}
	}
	return errors.Join(append(all,
		r.each((*event.Stream).Close, func(s uintptr) error { return r.raw.closeStream(s) }))...)
}

// kernels are the measured ones, loaded by package compute and, except on the host, by raw calls.
type kernels struct {
	module               *compute.Module
	empty0, empty4, spin *compute.Kernel

	code                              []byte // AMD's runtime reads it until the end
	rawModule                         uintptr
	rawEmpty0, rawEmpty4, rawSpinning uintptr
}

// goKernels are the kernels on the host device.
var goKernels = map[string]compute.HostKernel{
	"empty0": func(*compute.Block) {},
	"empty4": func(_ *compute.Block, _, _ []float32, _ int32, _ float32) {},
	"busy":   func(_ *compute.Block, ns uint64) { time.Sleep(time.Duration(ns)) },
}

//go:embed kernels.ptx
var kernelsPTX string

//go:embed kernels.hip
var kernelsHIP string

// patience bounds a compilation, and what is waited for.
const patience = 30 * time.Second

// loadKernels loads them on a device. PTX needs the driver only; AMD's source needs hipRTC.
func loadKernels(d *event.Device, x *raw) (k *kernels, err error) {
	k = &kernels{}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	switch d.Backend() {
	case event.CUDA:
		k.code = append([]byte(kernelsPTX), 0)
		k.module, err = compute.Load(d, k.code)
	case event.HIP:
		var image *compute.Image
		source := compute.Source{Text: kernelsHIP}
		if d.Architecture() == "" { // of another vendor; its image is not known
			x = nil
			k.module, err = compute.Compile(ctx, d, source, compute.WithoutCache())
			break
		}
		image, err = compute.CompileFor(ctx, d.Architecture(), source, compute.WithoutCache())
		if err == nil {
			k.code = image.Code
			k.module, err = compute.Load(d, k.code)
		}
	default:
		k.module, err = compute.Compile(ctx, d, compute.Source{Host: goKernels})
	}
	if err != nil {
		return nil, err
	}
	for name, f := range map[string]**compute.Kernel{"empty0": &k.empty0, "empty4": &k.empty4,
		"busy": &k.spin} {
		if *f, err = k.module.Kernel(name); err != nil {
			return nil, err
		}
	}
	if x == nil {
		return k, nil
	}
	if k.rawModule, err = x.load(unsafe.Pointer(unsafe.SliceData(k.code))); err != nil {
		return nil, fmt.Errorf("raw module: %w", err)
	}
	for name, f := range map[string]*uintptr{"empty0": &k.rawEmpty0, "empty4": &k.rawEmpty4,
		"busy": &k.rawSpinning} {
		if *f, err = x.function(k.rawModule, name); err != nil {
			return nil, fmt.Errorf("raw function %s: %w", name, err)
		}
	}
	return k, nil
}
