package event

import "context"

// IsDone tells whether everything enqueued so far has run. An error is never "not done".
func (s *Stream) IsDone() (bool, error) {
	const op = "Stream.IsDone"
	if err := s.ask(op); err != nil {
		return false, err
	}
	defer s.native.leave()
	done, err := s.device.driver.queryStream(s.native.handle)
	return done, failed(op, s, err)
}

// Sync waits until everything enqueued so far has run. It blocks an OS thread; [Stream.Wait] does not.
func (s *Stream) Sync() error {
	const op = "Stream.Sync"
	if err := s.ask(op); err != nil {
		return err
	}
	defer s.native.leave()
	return failed(op, s, s.device.driver.syncStream(s.native.handle))
}

// Wait waits until everything enqueued so far has run, or until ctx ends, with ctx's error then. It holds no OS thread, and after it returns
// nothing of it is left behind.
func (s *Stream) Wait(ctx context.Context) error {
	const op = "Stream.Wait"
	if err := s.ask(op); err != nil {
		return err
	}
	defer s.native.leave()
	if err := ctx.Err(); err != nil {
		return interrupted(op, s.String(), err)
	}
	e, err := s.RecordNew()
	if err != nil {
		return err
	}
	return joinLater(e.Wait(ctx), e.Close())
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
	s.native.leave()
	if err != nil {
		return failed(op, s, err)
	}
	return &Error{op, s.String(), ErrCaptured, "asking a stream during its capture would end the capture; end it first"}
}
