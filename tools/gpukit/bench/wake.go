package bench

import (
	"context"
	"time"
)

// wake is how much later than the work a wait for it ends.
func wake(r *rig, work time.Duration) (*set, error) {
	if r.kernels == nil {
		return nil, leftOut("%w", r.without)
	}
	e, w, o, err := pairs(r, 2, true)
	if err != nil {
		return nil, err
	}
	ticks := r.ticks(work)
	waiting := func(wait func() error) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			began := time.Now()
			err := e[0].Record(r.stream)
			if err == nil {
				err = r.spin.Launch(r.stream, one, ticks)
			}
			if err == nil {
				err = e[1].Record(r.stream)
			}
			if err == nil {
				err = wait()
			}
			took := time.Since(began)
			if err != nil {
				return 0, err
			}
			busy, err := e[1].Sub(e[0])
			return took - busy, err
		}
	}
	raw := func() (time.Duration, error) {
		began := time.Now()
		err := r.raw.record(w[0], r.rs)
		if err == nil {
			err = r.raw.spin(r.rawSpinning, r.rs, ticks)
		}
		if err == nil {
			err = r.raw.record(w[1], r.rs)
		}
		if err == nil {
			err = r.raw.syncEvent(w[1])
		}
		took := time.Since(began)
		if err != nil {
			return 0, err
		}
		ms, err := r.raw.elapsed(w[0], w[1])
		return took - time.Duration(float64(ms)*float64(time.Millisecond)), err
	}
	ctx := context.Background()
	return r.only(&set{close: o.close, ways: []way{
		{name: "raw", inside: true, before: r.drainRaw, sample: raw, note: "synchronize"},
		{name: "event", before: r.drain, note: "Event.Wait",
			sample: waiting(func() error { return e[1].Wait(ctx) })},
		{name: "event Sync", before: r.drain, note: "Event.Sync",
			sample: waiting(e[1].Sync)},
	}}), nil
}
