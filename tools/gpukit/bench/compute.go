package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
)

func launch0(r *rig) (*set, error) {
	return r.set(20, way{do: func() error { return r.raw.launch0(r.rawEmpty0, r.rs) }},
		way{name: "compute", do: func() error { return r.empty0.Launch(r.stream, one) }}), nil
}

func launch4(r *rig) (*set, error) {
	const count, factor = int32(1000), float32(2.5)
	var b [2]*compute.Buffer[float32]
	for i := range b {
		var err error
		if b[i], err = compute.AllocOn[float32](r.device, 16); err != nil {
			return nil, err
		}
		r.own(b[i].Close)
	}
	p, q := uint64(b[0].Pointer()), uint64(b[1].Pointer())
	return r.set(20,
		way{do: func() error { return r.raw.launch4(r.rawEmpty4, r.rs, p, q, count, factor) }},
		way{name: "compute", do: func() error {
			return r.empty4.Launch(r.stream, one, b[0], b[1], count, factor)
		}}), nil
}

func graphLaunch(r *rig) (*set, error) {
	const nodes = 10
	ten := func(launch func() error) func() error {
		return func() error {
			for range nodes {
				if err := launch(); err != nil {
					return err
				}
			}
			return nil
		}
	}
	g, err := compute.Capture(r.stream, ten(func() error { return r.empty0.Launch(r.stream, one) }))
	if err != nil {
		return nil, err
	}
	r.own(g.Close)
	var x uintptr
	if r.raw != nil {
		err = r.device.Do(func() error {
			x, err = r.raw.capture(r.rs, ten(func() error { return r.raw.launch0(r.rawEmpty0, r.rs) }))
			return err
		})
		if err != nil {
			return nil, err
		}
		r.ownRaw(func() error { return r.raw.closeGraph(x) })
	}
	return r.set(5, way{do: func() error { return r.raw.launchGraph(x, r.rs) }},
		way{name: "compute", do: func() error { return g.Launch(r.stream) }}), nil
}

// allocBytes is the size of the buffers that allocFreeOrdered allocates.
const allocBytes = 1 << 20

func allocFreeOrdered(r *rig) (*set, error) {
	allocFree := func() error {
		p, err := r.raw.allocAsync(allocBytes, r.rs)
		if err != nil {
			return err
		}
		return r.raw.freeAsync(p, r.rs)
	}
	if r.raw != nil {
		// The first allocation shows whether the driver has pools, and fills them.
		err := r.device.Do(allocFree)
		for _, lacking := range []error{event.ErrUnsupported, cudrv.ErrNotSupported, cudrv.ErrNotFound,
			hip.ErrNotSupported, hip.ErrNotFound} {
			if errors.Is(err, lacking) {
				return nil, fmt.Errorf("%w: no memory pools: %w", errLeftOut, err)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return r.set(5, way{before: r.drainRaw, do: allocFree},
		way{name: "compute", before: r.drain,
			do: func() error {
				b, err := compute.Alloc[byte](r.stream, allocBytes)
				if err != nil {
					return err
				}
				return b.Close()
			},
			after: func(int) error { return r.noneLeft() }}), nil
}

// noneLeft wants no memory to be allocated by package compute. A closed buffer may be freed a while
// after its stream is idle, by another goroutine.
func (r *rig) noneLeft() error {
	if err := r.drain(0); err != nil {
		return err
	}
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		u, err := compute.UsageOf(r.device)
		if err != nil || u.Bytes < allocBytes {
			return err
		}
		if time.Since(began) > 10*time.Second {
			return fmt.Errorf("%w: %d bytes are still allocated", errWrong, u.Bytes)
		}
	}
}

// fill fills memory with numbers that depend on a seed.
func fill(b []byte, seed uint64) {
	for i := 0; i+8 <= len(b); i += 8 {
		seed = seed*6364136223846793005 + 1442695040888963407
		binary.LittleEndian.PutUint64(b[i:], seed)
	}
}

// check wants the numbers of fill.
func check(b []byte, seed uint64) error {
	for i := 0; i+8 <= len(b); i += 8 {
		seed = seed*6364136223846793005 + 1442695040888963407
		if got := binary.LittleEndian.Uint64(b[i:]); got != seed {
			return fmt.Errorf("%w: byte %d of %d was not copied", errWrong, i, len(b))
		}
	}
	return nil
}

// rawCopy copies there and back, and waits.
func (r *rig) rawCopy(device uintptr, in, out []byte) error {
	n := uintptr(len(in))
	if err := r.raw.copyIn(r.rs, device, unsafe.Pointer(&in[0]), n); err != nil {
		return err
	}
	if err := r.raw.copyOut(r.rs, unsafe.Pointer(&out[0]), device, n); err != nil {
		return err
	}
	err := r.raw.syncStream(r.rs)
	runtime.KeepAlive(in)
	runtime.KeepAlive(out)
	return err
}

func copies(bytes int) func(*rig) (*set, error) {
	return func(r *rig) (*set, error) {
		b, err := compute.AllocOn[byte](r.device, bytes)
		if err != nil {
			return nil, err
		}
		r.own(b.Close)
		var pinned [2]*compute.Pinned[byte]
		for i := range pinned {
			if pinned[i], err = compute.AllocPinned[byte](r.device, bytes); err != nil {
				return nil, err
			}
			r.own(pinned[i].Close)
		}
		in, out := pinned[0], pinned[1]
		r.own(func() error { return r.drain(0) })
		device, seed := uintptr(b.Pointer()), uint64(0)
		before := func(int) error {
			seed++
			fill(in.Data(), seed)
			clear(out.Data())
			return nil
		}
		after := func(int) error { return check(out.Data(), seed) }
		s := r.set(1, way{before: before, after: after,
			do: func() error { return r.rawCopy(device, in.Data(), out.Data()) }},
			way{name: "compute", before: before, after: after,
				do: func() error {
					if err := b.CopyFromPinned(r.stream, in); err != nil {
						return err
					}
					if err := b.CopyToPinned(r.stream, out); err != nil {
						return err
					}
					return r.stream.Sync()
				}})
		s.rate = 2 * bytes
		return s, nil
	}
}
