package soak

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/natives"
)

// Host functions that fail do so on streams of their own: a stream stays failed, and what the model
// knows of the others would shrink to nothing.

// fail has a host function fail on a new stream. Events recorded on it before must be done, those
// recorded after must have failed, however they are asked for.
func (w *worker) fail() bool {
	d := w.device()
	if d.blocksCaller || !d.caps.Has(event.CapHostFunc) || d.failing.Load() {
		return false
	}
	st, err := d.dev.NewStream()
	if err != nil {
		w.created("NewStream", d, err)
		return false
	}
	w.begin(opFail, nil, nil)
	defer func() { w.over(nil) }()
	defer func() {
		if err := st.Close(); err != nil {
			w.lost.Add(1)
			w.created("Stream.Close", d, err)
		}
	}()
	if w.oneIn(4) {
		natives.Word(st)
	}
	name, open := st.String(), func() {}
	if w.oneIn(2) {
		var ok bool
		if open, ok = w.held(d, st); !ok {
			open()
			return true
		}
	}
	defer open()
	var ran atomic.Bool
	before := w.mark3(d, st)
	err = st.HostFunc(w.failing(d))
	if err == nil {
		err = st.HostFunc(func() error { ran.Store(true); return nil })
	}
	var failure *event.HostFuncError
	if err != nil && !errors.As(err, &failure) { // the second is refused if the first has failed
		w.created("HostFunc", d, err)
	}
	sure := err == nil || failure != nil
	after := w.mark3(d, st)
	defer func() {
		for _, o := range append(before, after...) {
			w.used(o, d)
		}
	}()
	answers := make(chan func(), len(before)+len(after))
	for _, o := range append(before, after...) { // some wait before the function runs
		ask, late := w.question(d), w.oneIn(2)
		answer := func() { w.checkFailed(d, st, o, ask(o), len(after) > 0 && in(after, o), sure, name) }
		if late {
			answers <- answer
			continue
		}
		done := make(chan struct{})
		go func() { defer close(done); answer() }()
		answers <- func() { <-done }
	}
	close(answers)
	open()
	if w.oneIn(4) {
		if err := st.Close(); err != nil {
			w.lost.Add(1)
			w.created("Stream.Close", d, err)
		}
	}
	for answer := range answers {
		answer()
	}
	if err := st.Err(); !errors.As(err, &failure) && !errors.Is(err, event.ErrClosed) && sure &&
		len(after) > 0 && w.strict(d) {
		w.find("Stream.Err of %s answers %v after a host function has failed", name, err)
	}
	if ran.Load() && w.strict(d) {
		w.find("a host function of %s ran behind one that has failed", name)
	}
	return true
}

func in(all []*event.Event, o *event.Event) bool {
	for _, one := range all {
		if one == o {
			return true
		}
	}
	return false
}

// mark3 records up to three new events.
func (w *worker) mark3(d *device, st *event.Stream) (all []*event.Event) {
	for range 1 + w.n(3) {
		o, err := st.RecordNew()
		if err != nil {
			w.created("RecordNew", d, err)
			return all
		}
		if w.oneIn(8) {
			natives.Word(o)
		}
		all = append(all, o)
	}
	return all
}

// failing is a host function that fails in one of the ways there are.
func (w *worker) failing(d *device) func() error {
	how, exits := w.n(3), &w.exits
	if how == 0 && d.backend != event.Host && exits.Add(1) >= mostExits {
		how = 1 // each leaves a goroutine behind
	}
	return func() error {
		switch how {
		case 0:
			runtime.Goexit()
		case 1:
			panic(planned)
		}
		return errors.New(planned)
	}
}

// question is a way to learn what becomes of an event.
func (w *worker) question(d *device) func(*event.Event) error {
	switch w.n(6) {
	case 0:
		return func(o *event.Event) error {
			c := make(chan error, 1)
			if err := o.OnDone(func(err error) { c <- err }); err != nil {
				return err
			}
			return <-c
		}
	case 1:
		return func(o *event.Event) error { return event.WaitAll(context.Background(), o) }
	case 2, 3:
		return func(o *event.Event) error {
			if !d.asking.TryRLock() { // it would end a capture
				return o.Wait(context.Background())
			}
			defer d.asking.RUnlock()
			for {
				done, err := o.IsDone()
				if done || err != nil {
					return err
				}
				runtime.Gosched()
			}
		}
	case 4:
		return func(o *event.Event) error {
			if !d.asking.TryRLock() {
				return o.Wait(context.Background())
			}
			defer d.asking.RUnlock()
			return o.Sync()
		}
	}
	return func(o *event.Event) error { return o.Wait(context.Background()) }
}

// checkFailed holds an answer against what must have become of an event.
func (w *worker) checkFailed(d *device, st *event.Stream, o *event.Event, err error,
	behind, sure bool, stream string,
) {
	var failure *event.HostFuncError
	failed := errors.As(err, &failure)
	switch {
	case !w.strict(d):
	case behind && sure && !failed:
		w.find("%v was recorded behind a failed host function of %s and answers %v", o, stream, err)
	case !behind && err != nil:
		w.find("%v was recorded before a failed host function of %s and answers %v", o, stream, err)
	case failed && failure.Stream != stream:
		w.find("%v answers %v, which names another stream than %s", o, err, stream)
	}
}
