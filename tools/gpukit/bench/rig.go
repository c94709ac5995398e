package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

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
	raw            raw // nil on the host
	rs, rsecond    uintptr
	*kernels
	without error   // why there are no kernels
	perNS   float64 // ticks of the kernel that lasts, in a nanosecond
	hold    time.Duration
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

// holdUp keeps the stream of package event busy, and holdUpRaw the raw one.
func (r *rig) holdUp() error { return r.spin.Launch(r.stream, one, r.ticks(r.hold)) }

func (r *rig) holdUpRaw() error { return r.raw.spin(r.rawSpinning, r.rs, r.ticks(r.hold)) }

// drain waits until the streams are idle, and drainRaw does it by raw calls.
func (r *rig) drain(int) error { return errors.Join(r.stream.Sync(), r.second.Sync()) }

func (r *rig) drainRaw(int) error {
	return errors.Join(r.raw.syncStream(r.rs), r.raw.syncStream(r.rsecond))
}

// idle waits for all streams, whatever has happened on them.
func (r *rig) idle() error {
	var all []error
	for _, s := range []*event.Stream{r.stream, r.second} {
		if s != nil {
			all = append(all, s.Sync())
		}
	}
	for _, s := range []uintptr{r.rs, r.rsecond} {
		if s != 0 {
			all = append(all, r.device.Do(func() error { return r.raw.syncStream(s) }))
		}
	}
	return errors.Join(all...)
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
	for _, s := range []uintptr{r.rs, r.rsecond} {
		if s != 0 {
			all = append(all, r.device.Do(func() error { return r.raw.closeStream(s) }))
		}
	}
	for _, s := range []*event.Stream{r.stream, r.second} {
		if s != nil {
			all = append(all, s.Close())
		}
	}
	return errors.Join(all...)
}
