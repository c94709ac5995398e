// Package scheduler spreads jobs over GPUs and gives up those that are lost. It is an example of a
// user's code: it knows package event, and nothing of the simulator that its tests use.
package scheduler

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gpuevent/gpuevent/event"
)

// Job enqueues work on a stream. It is called again, on another stream, if that fails.
type Job func(*event.Stream) error

// ErrNoDevices is returned for jobs that were left when the last device was lost.
var ErrNoDevices = errors.New("no devices are left")

// attempts is how often a job is tried.
const attempts = 2

// Report says how the jobs ended.
type Report struct {
	Errs []error         // of each job; nil if it is done
	Lost []*event.Device // those that failed for good
}

type task struct {
	number int
	job    Job
	tries  int
}

// run is a call of Run.
type run struct {
	tasks chan *task

	mu     sync.Mutex
	left   int // jobs that have not ended
	report Report
}

// Run runs the jobs, one at a time on each device, and waits for all of them.
func Run(ctx context.Context, devices []*event.Device, jobs ...Job) Report {
	r := &run{tasks: make(chan *task, len(jobs)), left: len(jobs)}
	r.report.Errs = make([]error, len(jobs))
	for i, j := range jobs {
		r.tasks <- &task{number: i, job: j}
	}
	if len(jobs) == 0 {
		return r.report
	}
	var workers sync.WaitGroup
	for _, d := range devices {
		workers.Go(func() { r.work(ctx, d) })
	}
	workers.Wait()
	for len(r.tasks) > 0 {
		r.end(<-r.tasks, ErrNoDevices)
	}
	return r.report
}

// work runs tasks on a device until there are no more, or the device is lost.
func (r *run) work(ctx context.Context, d *event.Device) {
	for t := range r.tasks {
		t.tries++
		err := execute(ctx, d, t.job)
		if err != nil && ctx.Err() == nil && t.tries < attempts {
			r.tasks <- t
		} else {
			r.end(t, err)
		}
		if err != nil && ctx.Err() == nil && !healthy(ctx, d) {
			r.mu.Lock()
			r.report.Lost = append(r.report.Lost, d)
			r.mu.Unlock()
			return
		}
	}
}

// end notes how a task ended. The last one ends the workers.
func (r *run) end(t *task, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("job %d: %w", t.number, err)
	}
	r.report.Errs[t.number] = err
	if r.left--; r.left == 0 {
		close(r.tasks)
	}
}

// execute runs a job on a stream of its own.
func execute(ctx context.Context, d *event.Device, j Job) error {
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer release(ctx, s)
	if err := j(s); err != nil {
		return err
	}
	e, err := s.RecordNew()
	if err != nil {
		return err
	}
	defer e.Close()
	return e.Wait(ctx)
}

// release closes a stream. On AMD that waits for the stream's work, which nobody wants after giving
// the job up.
func release(ctx context.Context, s *event.Stream) {
	if ctx.Err() != nil {
		go s.Close()
		return
	}
	s.Close()
}

// healthy reports whether a device still does anything, whatever the error was: drivers differ in
// what they answer when a device is lost.
func healthy(ctx context.Context, d *event.Device) bool {
	return execute(ctx, d, func(*event.Stream) error { return nil }) == nil
}
