package main

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/tools/gpukit/peers"
)

func allocFree(r *rig) (*set, error) {
	return r.only(&set{warm: 3, ways: []way{
		{name: "raw", inside: true, before: r.drainRaw,
			do: func() error {
				p, err := r.raw.alloc(peers.AllocBytes)
				if err != nil {
					return err
				}
				return r.raw.free(p)
			}},
		{name: "compute", before: r.drain,
			do: func() error {
				b, err := compute.AllocOn[byte](r.device, peers.AllocBytes)
				if err != nil {
					return err
				}
				return b.Close()
			},
			after: func(int) error { return r.noneLeft() }},
	}}), nil
}

// noneLeft wants no memory to be allocated by package compute.
func (r *rig) noneLeft() error {
	if err := r.drain(0); err != nil {
		return err
	}
	u, err := compute.UsageOf(r.device)
	if err == nil && u.Bytes >= peers.AllocBytes {
		err = fmt.Errorf("%w: %d bytes are still allocated", errWrong, u.Bytes)
	}
	return err
}

func allocFreeOrdered(r *rig) (*set, error) {
	s := &set{warm: 5, ways: []way{
		{name: "raw", inside: true, before: r.drainRaw, after: r.drainRaw,
			do: func() error {
				p, err := r.raw.allocAsync(peers.AllocBytes, r.rs)
				if err != nil {
					return err
				}
				return r.raw.freeAsync(p, r.rs)
			}},
		{name: "compute", before: r.drain,
			do: func() error {
				b, err := compute.Alloc[byte](r.stream, peers.AllocBytes)
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
