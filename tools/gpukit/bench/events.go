package bench

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/event"
)

// objects are the events of an operation, closed behind it.
type objects struct {
	r      *rig
	events []*event.Event
	words  []uintptr
}

// pair makes an event of package event, and a raw one where there are raw calls.
func (o *objects) pair(timed bool) (*event.Event, uintptr, error) {
	var options []event.EventOption
	if timed {
		options = append(options, event.WithTiming())
	}
	e, err := o.r.device.NewEvent(options...)
	if err != nil {
		return nil, 0, err
	}
	o.events = append(o.events, e)
	if o.r.raw == nil {
		return e, 0, nil
	}
	var word uintptr
	err = o.r.device.Do(func() error { word, err = o.r.raw.newEvent(timed); return err })
	if err == nil {
		o.words = append(o.words, word)
	}
	return e, word, err
}

func (o *objects) close() error {
	var all []error
	for _, e := range o.events {
		all = append(all, e.Close())
	}
	for _, w := range o.words {
		all = append(all, o.r.device.Do(func() error { return o.r.raw.closeEvent(w) }))
	}
	return errors.Join(all...)
}

// pairs makes n pairs.
func pairs(r *rig, n int, timed bool) (es []*event.Event, ws []uintptr, o *objects, err error) {
	o = &objects{r: r}
	for range n {
		e, w, err := o.pair(timed)
		if err != nil {
			return nil, nil, nil, errors.Join(err, o.close())
		}
		es, ws = append(es, e), append(ws, w)
	}
	return es, ws, o, nil
}

// only leaves raw ways out where there are no raw calls.
func (r *rig) only(s *set) *set {
	if r.raw != nil {
		return s
	}
	var kept []way
	for _, w := range s.ways {
		if !w.inside {
			kept = append(kept, w)
		}
	}
	s.ways = kept
	return s
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
	e, w, o, err := pairs(r, 1, false)
	if err != nil {
		return nil, err
	}
	return r.only(&set{warm: 20, close: o.close, ways: []way{
		{name: "raw", inside: true,
			do: func() error { return r.raw.record(w[0], r.rs) },
			after: func(n int) error {
				return errors.Join(r.drainRaw(n), must(true)(r.raw.done(w[0])))
			}},
		{name: "event",
			do:    func() error { return e[0].Record(r.stream) },
			after: func(n int) error { return errors.Join(r.drain(n), recorded(e[0])) }},
	}}), nil
}

func queryDone(r *rig) (*set, error) {
	e, w, o, err := pairs(r, 1, false)
	if err != nil {
		return nil, err
	}
	return r.only(&set{warm: 20, close: o.close, ways: []way{
		{name: "raw", inside: true,
			before: func(n int) error {
				return errors.Join(r.raw.record(w[0], r.rs), r.drainRaw(n))
			},
			do: func() error { return must(true)(r.raw.done(w[0])) }},
		{name: "event", note: "known to be done, so the driver is not asked",
			before: func(n int) error { return errors.Join(e[0].Record(r.stream), r.drain(n)) },
			do:     func() error { return must(true)(e[0].IsDone()) }},
	}}), nil
}

// pending queries what must not be done. If it is, the run has outlasted the work before it.
func pending(done bool, err error) error {
	if done && err == nil {
		return errOutlasted
	}
	return err
}

func queryPending(r *rig) (*set, error) {
	if r.kernels == nil {
		return nil, leftOut("%w", r.without)
	}
	e, w, o, err := pairs(r, 1, false)
	if err != nil {
		return nil, err
	}
	return r.only(&set{warm: 5, close: o.close, ways: []way{
		{name: "raw", inside: true,
			before: func(int) error {
				return errors.Join(r.holdUpRaw(), r.raw.record(w[0], r.rs))
			},
			do:    func() error { return held(r.drainRaw, pending)(r.raw.done(w[0])) },
			after: r.drainRaw},
		{name: "event",
			before: func(int) error { return errors.Join(r.holdUp(), e[0].Record(r.stream)) },
			do:     func() error { return held(r.drain, pending)(e[0].IsDone()) },
			after:  r.drain},
	}}), nil
}

// held drains the stream before an error is returned, so that the next run finds it idle.
func held(drain func(int) error, check func(bool, error) error) func(bool, error) error {
	return func(done bool, err error) error {
		if err = check(done, err); err != nil {
			err = errors.Join(err, drain(0))
		}
		return err
	}
}

func elapsed(r *rig) (*set, error) {
	e, w, o, err := pairs(r, 2, true)
	if err != nil {
		return nil, err
	}
	return r.only(&set{warm: 20, close: o.close, ways: []way{
		{name: "raw", inside: true,
			before: func(n int) error {
				return errors.Join(r.raw.record(w[0], r.rs), r.raw.record(w[1], r.rs), r.drainRaw(n))
			},
			do: func() error {
				ms, err := r.raw.elapsed(w[0], w[1])
				return plausible(float64(ms), err)
			}},
		{name: "event",
			before: func(n int) error {
				return errors.Join(e[0].Record(r.stream), e[1].Record(r.stream), r.drain(n))
			},
			do: func() error {
				d, err := e[1].Sub(e[0])
				return plausible(float64(d)/1e6, err)
			}},
	}}), nil
}

// plausible checks the time between two records that follow each other, in milliseconds. Drivers
// may be off by a little, below zero too.
func plausible(ms float64, err error) error {
	if err == nil && (ms < -0.01 || ms > 1000) {
		err = fmt.Errorf("%w: %g ms between two records", errWrong, ms)
	}
	return err
}

func streamWait(r *rig) (*set, error) {
	if r.kernels == nil {
		return nil, leftOut("%w", r.without)
	}
	e, w, o, err := pairs(r, 1, false)
	if err != nil {
		return nil, err
	}
	return r.only(&set{warm: 5, close: o.close, ways: []way{
		{name: "raw", inside: true,
			before: func(int) error {
				return errors.Join(r.holdUpRaw(), r.raw.record(w[0], r.rs))
			},
			do: func() error { return r.raw.waitEvent(r.rsecond, w[0]) },
			after: func(n int) error {
				return errors.Join(pending(r.raw.done(w[0])), r.drainRaw(n))
			}},
		{name: "event",
			before: func(int) error { return errors.Join(r.holdUp(), e[0].Record(r.stream)) },
			do:     func() error { return r.second.WaitEvent(e[0]) },
			after: func(n int) error {
				return errors.Join(pending(e[0].IsDone()), r.drain(n))
			}},
	}}), nil
}

func createRecordClose(r *rig) (*set, error) {
	return r.only(&set{warm: 20, ways: []way{
		{name: "raw", inside: true,
			do: func() error {
				w, err := r.raw.newEvent(false)
				if err != nil {
					return err
				}
				err = r.raw.record(w, r.rs)
				if closed := r.raw.closeEvent(w); err == nil {
					err = closed
				}
				return err
			},
			after: r.drainRaw},
		{name: "event",
			do: func() error {
				e, err := r.stream.RecordNew()
				if err != nil {
					return err
				}
				return e.Close()
			},
			after: r.drain},
	}}), nil
}

func syncEmpty(r *rig) (*set, error) {
	return r.only(&set{warm: 20, ways: []way{
		{name: "raw", inside: true, before: r.drainRaw,
			do: func() error { return r.raw.syncStream(r.rs) }},
		{name: "event", before: r.drain,
			do: func() error { return r.stream.Sync() }},
	}}), nil
}
