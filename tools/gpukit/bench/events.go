package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/timeline"
)

// set makes the set of a raw way, which is left out where there are no raw calls, and of others. A
// way without a check of its own waits at the end of a run.
func (r *rig) set(warm int, raw way, others ...way) *set {
	s := &set{warm: warm}
	if raw.name, raw.inside = "raw", true; r.raw != nil {
		s.ways = append(s.ways, raw)
	}
	s.ways = append(s.ways, others...)
	for i := range s.ways {
		switch w := &s.ways[i]; {
		case w.after != nil:
		case w.inside:
			w.after = r.drainRaw
		default:
			w.after = r.drain
		}
	}
	return s
}

// events makes events of package event and, where there are raw calls, as many raw ones.
func (r *rig) events(n int, timed bool) (es []*event.Event, ws []uintptr, err error) {
	var options []event.EventOption
	if timed {
		options = append(options, event.WithTiming())
	}
	ws = make([]uintptr, n)
	for i := range ws {
		e, err := r.device.NewEvent(options...)
		if err != nil {
			return nil, nil, err
		}
		es = append(es, e)
		r.own(e.Close)
		if r.raw == nil {
			continue
		}
		create := r.raw.newEvent
		if timed {
			create = r.raw.newTimedEvent
		}
		if err := r.device.Do(func() error { ws[i], err = create(); return err }); err != nil {
			return nil, nil, err
		}
		r.ownRaw(func() error { return r.raw.closeEvent(ws[i]) })
	}
	return es, ws, nil
}

var errWrong = errors.New("a wrong answer")

// must wants an answer.
func must(want bool) func(bool, error) error {
	return func(got bool, err error) error {
		if err == nil && got != want {
			err = fmt.Errorf("%w: %v instead of %v", errWrong, got, want)
		}
		return err
	}
}

// recorded wants that an event was recorded, and is done.
func recorded(e *event.Event) error {
	if !e.IsRecorded() {
		return fmt.Errorf("%w: the event was never recorded", errWrong)
	}
	return must(true)(e.IsDone())
}

func record(r *rig) (*set, error) {
	e, w, err := r.events(1, false)
	if err != nil {
		return nil, err
	}
	return r.set(20, way{
		do: func() error { return r.raw.record(w[0], r.rs) },
		after: func(n int) error {
			return errors.Join(r.drainRaw(n), must(true)(r.raw.done(w[0])))
		},
	}, way{name: "event",
		do:    func() error { return e[0].Record(r.stream) },
		after: func(n int) error { return errors.Join(r.drain(n), recorded(e[0])) },
	}), nil
}

func queryDone(r *rig) (*set, error) {
	e, w, err := r.events(1, false)
	if err != nil {
		return nil, err
	}
	return r.set(20, way{
		before: func(n int) error { return errors.Join(r.raw.record(w[0], r.rs), r.drainRaw(n)) },
		do:     func() error { return must(true)(r.raw.done(w[0])) },
	}, way{name: "event", note: "known to be done, so the driver is not asked",
		before: func(n int) error { return errors.Join(e[0].Record(r.stream), r.drain(n)) },
		do:     func() error { return must(true)(e[0].IsDone()) },
	}), nil
}

// pending queries what must not be done. If it is, the run has outlasted the work before it.
func pending(done bool, err error) error {
	if done && err == nil {
		return errOutlasted
	}
	return err
}

// behindWork makes an event and a raw one. The functions that it returns record them behind the
// kernel that lasts.
func (r *rig) behindWork() (e *event.Event, w uintptr, before, rawBefore func(int) error,
	err error) {
	es, ws, err := r.events(1, false)
	if err != nil {
		return nil, 0, nil, nil, err
	}
	before = func(int) error {
		return errors.Join(r.spin.Launch(r.stream, one, r.ticks(r.hold)), es[0].Record(r.stream))
	}
	rawBefore = func(int) error {
		return errors.Join(r.raw.spin(r.rawSpinning, r.rs, r.ticks(r.hold)), r.raw.record(ws[0], r.rs))
	}
	return es[0], ws[0], before, rawBefore, nil
}

func queryPending(r *rig) (*set, error) {
	e, w, before, rawBefore, err := r.behindWork()
	if err != nil {
		return nil, err
	}
	return r.set(5,
		way{before: rawBefore, do: func() error { return held(r.drainRaw, pending(r.raw.done(w))) }},
		way{name: "event", before: before,
			do: func() error { return held(r.drain, pending(e.IsDone())) }}), nil
}

// held drains the stream before an error is returned, so that the next run finds it idle.
func held(drain func(int) error, err error) error {
	if err != nil {
		err = errors.Join(err, drain(0))
	}
	return err
}

func streamWait(r *rig) (*set, error) {
	e, w, before, rawBefore, err := r.behindWork()
	if err != nil {
		return nil, err
	}
	return r.set(5, way{before: rawBefore,
		do:    func() error { return r.raw.waitEvent(r.rsecond, w) },
		after: func(n int) error { return errors.Join(pending(r.raw.done(w)), r.drainRaw(n)) },
	}, way{name: "event", before: before,
		do:    func() error { return r.second.WaitEvent(e) },
		after: func(n int) error { return errors.Join(pending(e.IsDone()), r.drain(n)) },
	}), nil
}

func elapsed(r *rig) (*set, error) {
	e, w, err := r.events(2, true)
	if err != nil {
		return nil, err
	}
	return r.set(20, way{
		before: func(n int) error {
			return errors.Join(r.raw.record(w[0], r.rs), r.raw.record(w[1], r.rs), r.drainRaw(n))
		},
		do: func() error {
			ms, err := r.raw.elapsed(w[0], w[1])
			return plausible(float64(ms), err)
		},
	}, way{name: "event",
		before: func(n int) error {
			return errors.Join(e[0].Record(r.stream), e[1].Record(r.stream), r.drain(n))
		},
		do: func() error {
			d, err := e[1].Sub(e[0])
			return plausible(float64(d)/1e6, err)
		},
	}), nil
}

// plausible checks the time between two records that follow each other, in milliseconds. Drivers
// may be off by a little, below zero too.
func plausible(ms float64, err error) error {
	if err == nil && (ms < -0.01 || ms > 1000) {
		err = fmt.Errorf("%w: %g ms between two records", errWrong, ms)
	}
	return err
}

func createRecordClose(r *rig) (*set, error) {
	return r.set(20, way{do: func() error {
		w, err := r.raw.newEvent()
		if err != nil {
			return err
		}
		err = r.raw.record(w, r.rs)
		if closed := r.raw.closeEvent(w); err == nil {
			err = closed
		}
		return err
	}}, way{name: "event", do: func() error {
		e, err := r.stream.RecordNew()
		if err != nil {
			return err
		}
		return e.Close()
	}}), nil
}

func syncEmpty(r *rig) (*set, error) {
	return r.set(20, way{before: r.drainRaw, do: func() error { return r.raw.syncStream(r.rs) }},
		way{name: "event", before: r.drain, do: r.stream.Sync}), nil
}

// twoRecords is what a span costs: Begin and End, beside the two records that it takes.
func twoRecords(r *rig) (*set, error) {
	e, w, err := r.events(2, true)
	if err != nil {
		return nil, err
	}
	tl, err := timeline.New(timeline.Options{Spans: 1 << 12, Pending: 512,
		Devices: []*event.Device{r.device}})
	if err != nil {
		return nil, err
	}
	bounded := func(f func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return f(ctx)
	}
	r.own(func() error { return bounded(tl.Close) })
	return r.set(20, way{do: func() error {
		if err := r.raw.record(w[0], r.rs); err != nil {
			return err
		}
		return r.raw.record(w[1], r.rs)
	}}, way{name: "event", do: func() error {
		if err := e[0].Record(r.stream); err != nil {
			return err
		}
		return e[1].Record(r.stream)
	}}, way{name: "timeline", note: "Begin and End of a span",
		do: func() error { s := tl.Begin(r.stream, "span"); return s.End() },
		after: func(n int) error {
			err := errors.Join(r.drain(n), bounded(tl.Flush))
			if s := tl.Stats(); err == nil && s.Dropped+s.Failed+s.Abandoned > 0 {
				err = fmt.Errorf("%w: %v", errWrong, s)
			}
			return err
		}}), nil
}

// wakeAfter is how much later than the work a wait for it ends.
func wakeAfter(work time.Duration) func(*rig) (*set, error) {
	return func(r *rig) (*set, error) {
		e, w, err := r.events(2, true)
		if err != nil {
			return nil, err
		}
		ticks := r.ticks(work)
		sample := func(busy func() (time.Duration, error), steps ...func() error) func() (time.Duration,
			error) {
			return func() (time.Duration, error) {
				began := time.Now()
				for _, step := range steps {
					if err := step(); err != nil {
						return 0, err
					}
				}
				took := time.Since(began)
				of, err := busy()
				return took - of, err
			}
		}
		ours := func(wait func() error) func() (time.Duration, error) {
			return sample(func() (time.Duration, error) { return e[1].Sub(e[0]) },
				func() error { return e[0].Record(r.stream) },
				func() error { return r.spin.Launch(r.stream, one, ticks) },
				func() error { return e[1].Record(r.stream) }, wait)
		}
		raws := sample(func() (time.Duration, error) {
			ms, err := r.raw.elapsed(w[0], w[1])
			return time.Duration(float64(ms) * float64(time.Millisecond)), err
		}, func() error { return r.raw.record(w[0], r.rs) },
			func() error { return r.raw.spin(r.rawSpinning, r.rs, ticks) },
			func() error { return r.raw.record(w[1], r.rs) },
			func() error { return r.raw.syncEvent(w[1]) })
		ctx := context.Background()
		return r.set(0, way{before: r.drainRaw, note: "synchronize", sample: raws},
			way{name: "event", before: r.drain, note: "Event.Wait",
				sample: ours(func() error { return e[1].Wait(ctx) })},
			way{name: "event Sync", before: r.drain, note: "Event.Sync", sample: ours(e[1].Sync)}), nil
	}
}
