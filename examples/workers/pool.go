package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gpuevent/gpuevent/event"
)

// pool runs jobs on devices. Each device has a few in flight, so that it never waits for the next.
type pool struct {
	devices  []*event.Device
	inFlight int
	jobs     []func(*event.Stream) error
}

// run runs all jobs and returns how many each device did. The first error ends it.
func (p *pool) run(ctx context.Context) (done []int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan func(*event.Stream) error, len(p.jobs))
	for _, j := range p.jobs {
		queue <- j
	}
	close(queue)
	done = make([]int, len(p.devices))
	var workers sync.WaitGroup
	for i, d := range p.devices {
		workers.Go(func() {
			if err := p.work(ctx, d, queue, &done[i]); err != nil {
				cancel(fmt.Errorf("%v: %w", d, err))
			}
		})
	}
	workers.Wait()
	return done, context.Cause(ctx)
}

// work runs jobs on a device, in the order of one stream.
func (p *pool) work(
	ctx context.Context, d *event.Device, queue <-chan func(*event.Stream) error, done *int,
) (err error) {
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	var pending []*event.Event // the oldest first
	defer func() {
		for _, e := range pending {
			err = errors.Join(err, e.Close())
		}
		err = errors.Join(err, s.Close())
	}()
	for {
		job, more := <-queue
		if !more && len(pending) == 0 {
			return nil
		}
		if more {
			if err := job(s); err != nil {
				return err
			}
			e, err := s.RecordNew()
			if err != nil {
				return err
			}
			pending = append(pending, e)
		}
		if more && len(pending) < p.inFlight {
			continue
		}
		if err := pending[0].Wait(ctx); err != nil {
			return err
		}
		if err := pending[0].Close(); err != nil {
			return err
		}
		pending = pending[1:]
		*done++
	}
}
