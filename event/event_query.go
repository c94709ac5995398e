package event

import "runtime"

// IsDone tells whether the stream has come as far as the last record. An event that was never recorded is done: there is nothing
// to wait for (see [Event.State] to tell the two apart). A device that failed is an error, never "not done".
//
// While a stream is being captured in global mode, drivers refuse questions from other threads too and end the capture; [Event.Wait]
// and its kin don't disturb it.
func (e *Event) IsDone() (bool, error) {
	const op = "Event.IsDone"
	if err := e.enter(op); err != nil {
		return false, err
	}
	defer e.native.leave()
	return e.query(op, e.rec.Load())
}

// known tells whether a record is done without asking the driver.
func (e *Event) known(rec record) bool {
	return (rec.unrecorded() || rec == e.done.Load()) && !e.open.Load()
}

// query asks for one record. The caller is inside the guard.
func (e *Event) query(op string, rec record) (bool, error) {
	if e.known(rec) {
		return true, nil
	}
	if rec.captured() {
		return false, e.capturedError(op)
	}
	if err := e.failure(op, rec); err != nil {
		return false, err
	}
	done, err := e.driver.queryEvent(e.native.handle)
	if err != nil {
		return false, failed(op, e, err)
	}
	if done {
		e.settle(rec)
	} else if rec.unrecorded() {
		e.seen.Store(true) // by another, since it is pending
	}
	return done, nil
}

// queryRelaxed is query, and safe while others capture.
func (e *Event) queryRelaxed(op string, rec record) (bool, error) {
	if e.known(rec) || rec.captured() {
		return e.query(op, rec)
	}
	e.polls.entry.Lock() // before the thread is locked, so that many waits don't need many threads
	defer e.polls.entry.Unlock()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer e.driver.relax()()
	return e.query(op, rec)
}

// settle notes that a record is done, so that the driver need not be asked again.
func (e *Event) settle(rec record) {
	if rec.settles() && !e.open.Load() {
		e.done.Store(rec)
	}
}

// failure is why a record was waited for in vain, if so.
func (e *Event) failure(op string, rec record) error {
	if f := e.broken.Load(); f != nil && f.rec == rec {
		return failed(op, e, f.err)
	}
	return nil
}

// Sync waits in the driver until the stream has come as far as the last record: spinning, or asleep if the event was created
// [WithBlockingSync]. It blocks an OS thread and can't be interrupted; [Event.Wait] does neither.
func (e *Event) Sync() error {
	const op = "Event.Sync"
	if err := e.enter(op); err != nil {
		return err
	}
	defer e.native.leave()
	rec := e.rec.Load()
	if e.known(rec) {
		return nil
	}
	if rec.captured() {
		return e.capturedError(op)
	}
	if err := e.failure(op, rec); err != nil {
		return err
	}
	if err := e.driver.syncEvent(e.native.handle, e.flags.blocking); err != nil {
		return failed(op, e, err)
	}
	e.settle(rec)
	return nil
}

// State tells what the event is now. A pending event is asked for, so the answer is of this moment. If the device can't be asked
// the state is [Failed]. An event that others record is [Unrecorded] until this process has recorded it or has seen it pending.
func (e *Event) State() State {
	if e == nil || !e.native.enter() {
		return Closed
	}
	defer e.native.leave()
	rec := e.rec.Load()
	if rec.captured() {
		return Captured
	}
	done, err := e.query("Event.State", rec)
	switch {
	case err != nil:
		return Failed
	case !done:
		return Pending
	case rec.unrecorded() && !e.seen.Load():
		return Unrecorded
	}
	return Done
}

// Err returns why the last record will never be reached, or why the event can't be asked: nil while it is pending, and once it is done.
func (e *Event) Err() error {
	const op = "Event.Err"
	if err := e.enter(op); err != nil {
		return err
	}
	defer e.native.leave()
	_, err := e.query(op, e.rec.Load())
	return err
}
