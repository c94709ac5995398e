package event

import (
	"context"

	"github.com/gpuevent/gpuevent/event/internal/driver"
)

// IsDone reports whether everything enqueued so far has run. An error is never "not done".
func (s *Stream) IsDone() (bool, error) {
	const op = "Stream.IsDone"
	if err := s.ask(op); err != nil {
		return false, err
	}
	defer s.native.release()
	done, err := s.device.driver.QueryStream(s.native.native)
	return done, failed(op, s, err)
}

// Sync waits until everything enqueued so far has run. It blocks an OS thread; [Stream.Wait] does
// not.
func (s *Stream) Sync() error {
	const op = "Stream.Sync"
	if err := s.ask(op); err != nil {
		return err
	}
	defer s.native.release()
	return failed(op, s, s.device.driver.SyncStream(s.native.native))
}

// Wait waits until everything enqueued so far has run, or until ctx ends, with ctx's error then. It
// holds no OS thread, and after it returns nothing of it is left behind.
func (s *Stream) Wait(ctx context.Context) error {
	const op = "Stream.Wait"
	if err := s.ask(op); err != nil {
		return err
	}
	defer s.native.release()
	if err := ctx.Err(); err != nil {
		return interrupted(op, s.String(), err)
	}
	e, err := s.mark(op, driver.EventFlags{})
	if err != nil {
		return err
	}
	return joinLater(renamed(op, s, e.wait(ctx, op, s)), e.Close())
}

// ask begins a use that a capture would not survive: it refuses while the stream is being captured.
func (s *Stream) ask(op string) error {
	if err := s.enter(op); err != nil {
		return err
	}
	capturing, err := s.capturing()
	if err == nil && !capturing {
		return nil
	}
	s.native.release()
	if err != nil {
		return failed(op, s, err)
	}
	return &Error{op, s.String(), ErrCaptured,
		"asking a stream during its capture would end the capture; end it first"}
}
