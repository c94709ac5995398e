package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// handler has each request work on a stream of its own.
type handler struct {
	work    func(*event.Stream) error
	streams chan *event.Stream // those that are idle
}

func newHandler(d *event.Device, streams int, work func(*event.Stream) error) (*handler, error) {
	h := &handler{work: work, streams: make(chan *event.Stream, streams)}
	for range streams {
		s, err := d.NewStream()
		if err != nil {
			for range len(h.streams) {
				_ = (<-h.streams).Close()
			}
			return nil, err
		}
		h.streams <- s
	}
	return h, nil
}

// close waits until all streams are idle, and closes them.
func (h *handler) close() {
	for range cap(h.streams) {
		_ = (<-h.streams).Close()
	}
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	took, err := h.serve(r.Context())
	switch {
	case r.Context().Err() != nil: // nobody reads the answer
	case err != nil:
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	default:
		fmt.Fprintf(w, "the work took %v\n", took)
	}
}

// serve has an idle stream work, and waits until that is done or the context ends.
func (h *handler) serve(ctx context.Context) (time.Duration, error) {
	var s *event.Stream
	select {
	case s = <-h.streams:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	start, end, err := h.enqueue(s)
	if err != nil {
		h.streams <- s
		return 0, err
	}
	release := func(error) {
		_ = start.Close()
		_ = end.Close()
		h.streams <- s
	}
	if err := end.Wait(ctx); err != nil && ctx.Err() != nil {
		// The work goes on without a client, and the stream is idle when it is done.
		if end.OnDone(release) != nil {
			release(nil)
		}
		return 0, err
	} else if err != nil {
		release(nil)
		return 0, err
	}
	defer release(nil)
	return end.Sub(start)
}

// enqueue enqueues the work between two events.
func (h *handler) enqueue(s *event.Stream) (start, end *event.Event, err error) {
	if start, err = s.RecordNew(event.WithTiming()); err != nil {
		return nil, nil, err
	}
	if err = h.work(s); err == nil {
		end, err = s.RecordNew(event.WithTiming())
	}
	if err != nil {
		start.Close()
		return nil, nil, err
	}
	return start, end, nil
}
