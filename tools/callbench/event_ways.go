package main

import (
	"errors"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

var errWrong = errors.New("a wrong answer")

// The operations of package event.

func (r *rig) record(e *event.Event, s *event.Stream) way {
	return goWay(report.Event, func() error { return e.Record(s) })
}

func (r *rig) query(e *event.Event, want bool) way {
	return goWay(report.Event, func() error {
		done, err := e.IsDone()
		if err == nil && done != want {
			err = errWrong
		}
		return err
	})
}

func (r *rig) recordQuery() way {
	return goWay(report.Event, func() error {
		if err := r.asked.Record(r.stream); err != nil {
			return err
		}
		done, err := r.asked.IsDone()
		if err == nil && !done {
			err = errWrong
		}
		return err
	})
}

func (r *rig) elapsed() way {
	return goWay(report.Event, func() error {
		d, err := r.end.Sub(r.start)
		if err == nil && d != 1500*time.Microsecond {
			err = errWrong
		}
		return err
	})
}

func (r *rig) wait() way {
	return goWay(report.Event, func() error { return r.watching.WaitEvent(r.waited) })
}

func (r *rig) createClose() way {
	return goWay(report.Event, func() error {
		e, err := r.device.NewEvent()
		if err != nil {
			return err
		}
		return e.Close()
	})
}

func (r *rig) createRecordClose() way {
	return goWay(report.Event, func() error {
		e, err := r.stream.RecordNew()
		if err != nil {
			return err
		}
		return e.Close()
	})
}

// recordPending records an event that is pending from then on.
func (r *rig) recordPending() error { return r.pending.Record(r.stream) }

// noteDone has package event know that an event is done.
func (r *rig) noteDone() error { return mustBe(true)(r.done.IsDone()) }
