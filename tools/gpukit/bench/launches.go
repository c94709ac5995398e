package bench

import (
	"errors"

	"github.com/gpuevent/gpuevent/compute"
)

// launching is the set of a launch.
func launching(r *rig, raw, compute func() error, close func() error) *set {
	return r.only(&set{warm: 20, close: close, ways: []way{
		{name: "raw", inside: true, do: raw, after: r.drainRaw},
		{name: "compute", do: compute, after: r.drain},
	}})
}

func launch0(r *rig) (*set, error) {
	if r.kernels == nil {
		return nil, leftOut("%w", r.without)
	}
	return launching(r,
		func() error { return r.raw.launch0(r.rawEmpty0, r.rs) },
		func() error { return r.empty0.Launch(r.stream, one) }, nil), nil
}

// Values of the arguments that are numbers.
const (
	count  = int32(1000)
	factor = float32(2.5)
)

// buffers are what the arguments that are pointers point to.
func buffers(r *rig, n int) (all []*compute.Buffer[float32], close func() error, err error) {
	close = func() error {
		var errs []error
		for _, b := range all {
			errs = append(errs, b.Close())
		}
		return errors.Join(errs...)
	}
	for range n {
		b, err := compute.AllocOn[float32](r.device, 16)
		if err != nil {
			return nil, nil, errors.Join(err, close())
		}
		all = append(all, b)
	}
	return all, close, nil
}

func launch4(r *rig) (*set, error) {
	if r.kernels == nil {
		return nil, leftOut("%w", r.without)
	}
	b, close, err := buffers(r, 2)
	if err != nil {
		return nil, err
	}
	p, q := uint64(b[0].Pointer()), uint64(b[1].Pointer())
	return launching(r,
		func() error { return r.raw.launch4(r.rawEmpty4, r.rs, p, q, count, factor) },
		func() error { return r.empty4.Launch(r.stream, one, b[0], b[1], count, factor) },
		close), nil
}

func graphLaunch(r *rig) (*set, error) {
	if r.kernels == nil {
		return nil, leftOut("%w", r.without)
	}
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
	g, err := compute.Capture(r.stream, ten(func() error {
		return r.empty0.Launch(r.stream, one)
	}))
	if err != nil {
		return nil, err
	}
	close := g.Close
	var x uintptr
	if r.raw != nil {
		err = r.device.Do(func() error {
			x, err = r.raw.capture(r.rs, ten(func() error {
				return r.raw.launch0(r.rawEmpty0, r.rs)
			}))
			return err
		})
		close = func() error {
			return errors.Join(g.Close(), r.device.Do(func() error { return r.raw.closeGraph(x) }))
		}
		if err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	return r.only(&set{warm: 5, close: close, ways: []way{
		{name: "raw", inside: true, after: r.drainRaw,
			do: func() error { return r.raw.launchGraph(x, r.rs) }},
		{name: "compute", after: r.drain,
			do: func() error { return g.Launch(r.stream) }},
	}}), nil
}
