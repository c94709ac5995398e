package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/event"
)

// task is steps that follow one another, on one device at a time.
type task struct {
	devices []*event.Device // those that work, as far as is known
	steps   int
	work    func(s *event.Stream, step int) error // enqueues a step
	say     func(format string, args ...any)

	done int // steps whose results are safe
}

// run does all steps. When a device fails, the next one goes on behind the last step that was done.
func (t *task) run(ctx context.Context) error {
	var failures []error
	for len(t.devices) > 0 {
		d := t.devices[0]
		err := t.runOn(ctx, d)
		if err == nil || ctx.Err() != nil {
			return err
		}
		// Whatever the driver calls it, all that this device held is lost: streams, events, memory.
		t.say("%v failed in step %d: %v", d, t.done, err)
		failures = append(failures, fmt.Errorf("%v: %w", d, err))
		t.devices = t.devices[1:]
	}
	return fmt.Errorf("no device is left for step %d: %w", t.done, errors.Join(failures...))
}

// runOn does the steps that are left on a device.
func (t *task) runOn(ctx context.Context, d *event.Device) error {
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer s.Close() // on a lost device that returns its failure again
	for t.done < t.steps {
		if err := t.step(ctx, s); err != nil {
			return err
		}
		t.say("%v did step %d", d, t.done)
		t.done++
	}
	return nil
}

// step does a step, and waits until it is done: the step's results would be copied off the device
// here.
func (t *task) step(ctx context.Context, s *event.Stream) error {
	if err := t.work(s, t.done); err != nil {
		return err
	}
	e, err := s.RecordNew()
	if err != nil {
		return err
	}
	defer e.Close()
	return e.Wait(ctx)
}
