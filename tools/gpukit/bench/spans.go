package bench

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/timeline"
)

// twoRecords is what a span costs: Begin and End, beside the two records that it takes.
func twoRecords(r *rig) (*set, error) {
	e, w, o, err := pairs(r, 2, true)
	if err != nil {
		return nil, err
	}
	tl, err := timeline.New(timeline.Options{Spans: 1 << 12, Pending: 512,
		Devices: []*event.Device{r.device}})
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	bound := func() (context.Context, context.CancelFunc) {
		return context.WithTimeout(context.Background(), patience)
	}
	return r.only(&set{warm: 20,
		close: func() error {
			ctx, cancel := bound()
			defer cancel()
			return errors.Join(tl.Close(ctx), o.close())
		},
		ways: []way{
			{name: "raw", inside: true,
				do: func() error {
					if err := r.raw.record(w[0], r.rs); err != nil {
						return err
					}
					return r.raw.record(w[1], r.rs)
				},
				after: r.drainRaw},
			{name: "event",
				do: func() error {
					if err := e[0].Record(r.stream); err != nil {
						return err
					}
					return e[1].Record(r.stream)
				},
				after: r.drain},
			{name: "timeline", note: "Begin and End of a span",
				do: func() error { s := tl.Begin(r.stream, "span"); return s.End() },
				after: func(n int) error {
					ctx, cancel := bound()
					defer cancel()
					err := errors.Join(r.drain(n), tl.Flush(ctx))
					if s := tl.Stats(); err == nil && s.Dropped+s.Failed+s.Abandoned > 0 {
						err = fmt.Errorf("%w: %v", errWrong, s)
					}
					return err
				}},
		}}), nil
}
