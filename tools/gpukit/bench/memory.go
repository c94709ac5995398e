package bench

import (
	"errors"
	"fmt"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
)

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
		if time.Since(began) > freedWithin {
			return fmt.Errorf("%w: %d bytes are still allocated", errWrong, u.Bytes)
		}
	}
}

// freedWithin bounds the wait for memory that is freed in the background.
const freedWithin = 10 * time.Second

func allocFreeOrdered(r *rig) (*set, error) {
	s := &set{warm: 5, ways: []way{
		{name: "raw", inside: true, before: r.drainRaw, after: r.drainRaw,
			do: func() error {
				p, err := r.raw.allocAsync(allocBytes, r.rs)
				if err != nil {
					return err
				}
				return r.raw.freeAsync(p, r.rs)
			}},
		{name: "compute", before: r.drain,
			do: func() error {
				b, err := compute.Alloc[byte](r.stream, allocBytes)
				if err != nil {
					return err
				}
				return b.Close()
			},
			after: func(int) error { return r.noneLeft() }},
	}}
	if r.raw == nil {
		return r.only(s), nil
	}
	// The first allocation says whether the driver has pools, and fills them.
	err := r.device.Do(s.ways[0].do)
	if errors.Is(err, event.ErrUnsupported) || isUnsupported(err) {
		return nil, leftOut("no memory pools: %w", err)
	}
	return s, err
}

// isUnsupported reports whether a raw call failed since the driver lacks it.
func isUnsupported(err error) bool {
	return errors.Is(err, cudrv.ErrNotSupported) || errors.Is(err, cudrv.ErrNotFound) ||
		errors.Is(err, hip.ErrNotSupported) || errors.Is(err, hip.ErrNotFound)
}
