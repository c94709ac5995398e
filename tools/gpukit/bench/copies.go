package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/compute"
)

// pattern fills memory with numbers that differ by run, and check wants them.
func fill(b []byte, seed uint64) {
	for i := 0; i+8 <= len(b); i += 8 {
		seed = seed*6364136223846793005 + 1442695040888963407
		binary.LittleEndian.PutUint64(b[i:], seed)
	}
}

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

func copyPinned(r *rig, bytes int) (*set, error) {
	b, err := compute.AllocOn[byte](r.device, bytes)
	if err != nil {
		return nil, err
	}
	in, err := compute.AllocPinned[byte](r.device, bytes)
	if err != nil {
		return nil, errors.Join(err, b.Close())
	}
	out, err := compute.AllocPinned[byte](r.device, bytes)
	if err != nil {
		return nil, errors.Join(err, b.Close(), in.Close())
	}
	device := uintptr(b.Pointer())
	seed := uint64(0)
	before := func(int) error {
		seed++
		fill(in.Data(), seed)
		clear(out.Data())
		return nil
	}
	after := func(int) error { return check(out.Data(), seed) }
	return r.only(&set{warm: 1, rate: 2 * bytes,
		close: func() error { return errors.Join(r.drain(0), b.Close(), in.Close(), out.Close()) },
		ways: []way{
			{name: "raw", inside: true, before: before, after: after,
				do: func() error { return r.rawCopy(device, in.Data(), out.Data()) }},
			{name: "compute", before: before, after: after,
				do: func() error {
					if err := b.CopyFromPinned(r.stream, in); err != nil {
						return err
					}
					if err := b.CopyToPinned(r.stream, out); err != nil {
						return err
					}
					return r.stream.Sync()
				}},
		}}), nil
}
