package event

import (
	"context"
	"errors"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// IsDone reports whether everything enqueued so far has run. A failure is an error, never "not
// done". The error of a failed host function is returned only once everything has run.
//
// On chipStar it takes up to 5 ms if the stream is busy. That runtime's own answer may be wrong, so
// an event is recorded and queried for that long. In a loop, query an event of the stream instead.
func (s *Stream) IsDone() (bool, error) {
	const op = "Stream.IsDone"
	n, err := s.enterForQuery(op)
	if err != nil {
		return false, err
	}
	done, err := s.device.driver.QueryStream(s.native.Object)
	if errors.Is(err, driver.ErrCapturing) {
		done, err = s.hasPassed(op)
	}
	switch root := s.native.Root(); {
	case err != nil:
		root.Learn(err)
	case done:
		s.native.Advance(n)
		err = root.FailedBefore(n)
	}
	s.native.Release() // no defer, for speed
	if err != nil {
		return false, failed(op, s, err)
	}
	return done, nil
}

// hasPassed is IsDone for releases of ROCm that refuse a query of the stream while another thread
// captures. An event behind all work needs a moment to be reached, even if the stream is idle.
// fact: amd-relaxed-threads-heed
func (s *Stream) hasPassed(op string) (done bool, err error) {
	e, err := s.recordNew(op, driver.EventFlags{})
	if err != nil {
		return false, err
	}
	native.Soon(native.Patience/10, func() bool {
		done, err = e.IsDone()
		return done || err != nil
	})
	return done, joinLater(renamed(op, s, err), e.Close())
}

// Sync waits until everything enqueued so far has run. It occupies an OS thread, except on AMD:
// there the runtime's own wait would block other calls on the stream, and Sync is [Stream.Wait]
// without a context.
func (s *Stream) Sync() error {
	const op = "Stream.Sync"
	n, err := s.enterForQuery(op)
	if err != nil {
		return err
	}
	defer s.native.Release()
	if err := s.device.driver.SyncStream(s.native.Object); err != nil {
		s.native.Root().Learn(err)
		return failed(op, s, err)
	}
	s.native.Advance(n)
	return failed(op, s, s.native.Root().FailedBefore(n))
}

// Wait waits until everything enqueued so far has run, or returns ctx's error when ctx ends. It
// occupies no OS thread and leaves nothing behind.
func (s *Stream) Wait(ctx context.Context) error {
	const op = "Stream.Wait"
	n, err := s.enterForQuery(op)
	if err != nil {
		return err
	}
	defer s.native.Release()
	if err := ctx.Err(); err != nil {
		return interrupted(op, s.String(), err)
	}
	e, err := s.recordNew(op, driver.EventFlags{})
	if err != nil {
		return err
	}
	err = e.wait(ctx, op, s)
	if err == nil {
		s.native.Advance(n)
	}
	return joinLater(renamed(op, s, err), e.Close())
}

// enterForQuery begins a use for a query, which would end a capture: it refuses while the stream is
// being captured. The number follows those of all records made before.
func (s *Stream) enterForQuery(op string) (number uint32, err error) {
	if number, err = s.enterNumbered(op); err != nil {
		return 0, err
	}
	capturing, err := s.native.Capturing()
	if err == nil && !capturing {
		return number, nil
	}
	s.native.Release()
	if err != nil {
		return 0, failed(op, s, err)
	}
	return 0, &Error{op, s.String(), ErrCaptured,
		"a query would end the stream's capture; end the capture first"}
}
