package compute

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/hooks"
	"github.com/gpuevent/gpuevent/internal/native"
)

// users are the streams whose work uses an object: memory, or a module. Until the object ends, it
// can order its end after that work, even if the streams are closed meanwhile.
type users struct {
	all  atomic.Pointer[[]user] // never changed in place
	seen sync.Map               // the keys in all
	mu   sync.Mutex
}

// user is a stream with work that uses an object. It has a reference of its own to the native
// stream. If the user's stream was closed some time ago, an event after all of its work takes the
// place of the reference.
//
// A discarded stream takes no more work, so that no event can follow its work, and a reference
// would keep it. Its work has ended once the native stream is destroyed.
type user struct {
	key       *native.Stream // of the stream, which may be dropped; nil if it was replaced
	stream    *event.Stream  // the reference; nil if an event took its place
	last      *event.Event
	discarded *event.Stream // the reference, which was dropped
	unmarked  bool          // an event after the work could not be recorded
}

// settled is the user, without a reference if its stream was discarded.
func (o user) settled() user {
	if o.stream != nil {
		if is, _ := streamOf(o.stream).IsDiscarded(); is {
			streamOf(o.stream).DropKeepalive()
			return user{discarded: o.stream}
		}
	}
	return o
}

// isLeft reports whether a discarded stream has not ended yet.
func (o user) isLeft() bool {
	if o.discarded == nil {
		return false
	}
	_, ended := streamOf(o.discarded).IsDiscarded()
	return !ended
}

// note notes that work on a stream in use is about to use the object. The caller has retained it.
func (u *users) note(s *event.Stream) {
	key := streamOf(s)
	if all := u.all.Load(); all != nil {
		for i := range min(few, len(*all)) {
			if (*all)[i].key == key {
				return
			}
		}
		if len(*all) > few {
			if _, ok := u.seen.Load(key); ok {
				return
			}
		}
	}
	u.add(s, key)
}

// few is the number of streams that are found fastest by a look at each.
const few = 4

func (u *users) add(s *event.Stream, key *native.Stream) {
	u.mu.Lock()
	defer u.mu.Unlock()
	var all []user
	if old := u.all.Load(); old != nil {
		all = *old
	}
	if slices.ContainsFunc(all, func(o user) bool { return o.key == key }) {
		return
	}
	stream, ok := hooks.Retained(s)
	if !ok {
		return
	}
	kept := make([]user, 0, len(all)+1)
	if len(all) > 0 {
		streamOf(s).Device.Driver.Relaxed(func() { // the thread may be capturing
			for _, old := range all {
				o, used := old.prune()
				if used {
					kept = append(kept, o)
				}
				if !used || o.key == nil {
					u.seen.Delete(old.key)
				}
			}
		})
	}
	kept = append(kept, user{key: key, stream: stream.(*event.Stream)})
	u.all.Store(&kept)
	u.seen.Store(key, nil)
}

// before makes a stream wait for the work enqueued by the users so far.
func (u *users) before(s *event.Stream) error {
	u.mu.Lock() // keeps the references
	defer u.mu.Unlock()
	all := u.all.Load()
	if all == nil {
		return nil
	}
	for _, o := range *all {
		var err error
		switch {
		case o.isLeft():
			err = refusal("Stream.WaitStream", o.discarded, event.ErrCaptureFailed,
				"close it; nothing can wait for its work before")
		case o.stream != nil:
			err = s.WaitStream(o.stream)
		case o.last != nil:
			err = s.WaitEvent(o.last)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// prune lets go of a stream that was closed, so that it is destroyed before the object is. It
// reports whether there is work left.
func (o user) prune() (user, bool) {
	if o = o.settled(); o.discarded != nil {
		return o, o.isLeft()
	}
	if o.stream != nil && o.key.HasEnded() && !o.capturing() {
		last, err := o.stream.RecordNew()
		if !isOver(err) {
			return o, true // nothing else marks the end of the work yet
		}
		o.last = last
		streamOf(o.stream).DropKeepalive()
		o.stream, o.key = nil, nil
	}
	if o.stream != nil {
		return o, true
	}
	if o.last == nil {
		return o, false // the stream has failed
	}
	if o.isDone() {
		report(o.last.Close())
		return o, false
	}
	return o, true
}

// isOver reports whether an answer about work means that it has ended: it is done, or has failed. A
// call that failed by itself says nothing about the work.
func isOver(err error) bool {
	var call *event.DriverError
	return err == nil || isDeviceFailure(err) ||
		!errors.As(err, &call) && !errors.Is(err, event.ErrCaptured)
}

// isDone reports whether the work before the last event has ended.
func (o user) isDone() bool {
	done, err := o.last.IsDone()
	return done || err != nil && isOver(err)
}

// wait waits until the work has ended, or the library was replaced. A query that fails is repeated,
// but not forever.
func (o user) wait(on driver.Driver) {
	for pause := time.Millisecond; o.isLeft(); pause = min(2*pause, 50*time.Millisecond) {
		time.Sleep(pause)
	}
	if o.discarded != nil {
		return
	}
	for pause := time.Millisecond; pause < time.Second && !on.Gone(); pause *= 2 {
		if o.last != nil && isOver(o.last.Wait(forever)) {
			return
		}
		if o.stream != nil && isOver(o.stream.Sync()) {
			return
		}
		time.Sleep(pause)
	}
}

// capturing reports whether the stream is being captured, or that is not known.
func (o user) capturing() bool {
	if o.stream == nil {
		return false
	}
	if is, _ := streamOf(o.stream).IsDiscarded(); is { // its capture has no graph any more
		return false
	}
	if o.key.Device.Driver.Gone() { // the call would reach another library
		return false
	}
	is, err := o.key.Capturing()
	return is || err != nil && !isDeviceFailure(err)
}

// drop lets go of a stream.
func (o user) drop() {
	if o.stream != nil {
		streamOf(o.stream).DropKeepalive()
	}
	if o.last != nil {
		report(o.last.Close())
	}
}

// take returns the users, and begins anew.
func (u *users) take() (all []user) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.seen.Clear()
	if p := u.all.Swap(nil); p != nil {
		all = slices.Clone(*p) // others may still read it
	}
	return all
}

// capturing returns a stream that is being captured; nil if there is none.
func (u *users) capturing() *event.Stream {
	if all := u.all.Load(); all != nil {
		return capturedOf(*all)
	}
	return nil
}

func capturedOf(all []user) *event.Stream {
	for _, o := range all {
		if o.capturing() {
			return o.stream
		}
	}
	return nil
}

// whenDone calls free when the work enqueued so far by the users is done: at once if it is, else
// later, on another goroutine. Work of a stream that has failed is done. It lets go of the users.
func (d *device) whenDone(all []user, free func() error) error {
	if d.driver.Gone() { // the library was replaced: there is no work, and nothing to call
		for _, o := range all {
			o.drop()
		}
		return free()
	}
	for i := range all {
		all[i] = all[i].settled()
	}
	if capturedOf(all) != nil { // records would become part of the graph
		d.background(func() {
			for !d.driver.Gone() && capturedOf(all) != nil {
				time.Sleep(time.Millisecond)
			}
			report(d.whenDone(all, free))
		})
		return nil
	}
	for i := range all {
		if o := &all[i]; o.stream != nil {
			last, err := o.stream.RecordNew()
			o.last, o.unmarked = last, !isOver(err)
		}
	}
	finish := func() error {
		err := free()
		for _, o := range all {
			o.drop()
		}
		return err
	}
	if allDone(all) {
		return finish()
	}
	d.background(func() {
		for _, o := range all {
			if o.last != nil || o.unmarked || o.discarded != nil {
				o.wait(d.driver)
			}
		}
		report(finish())
	})
	return nil
}

// destroy makes a driver call that ends an object which nothing uses. If the library was replaced,
// there is nothing to call; if the device has failed, the object went with it.
func (d *device) destroy(call func() error) error {
	if d.driver.Gone() {
		return nil
	}
	err := call()
	if isDeviceFailure(err) || errors.Is(failed("destroy", d.event, err), event.ErrDeviceLost) {
		return nil
	}
	return err
}

// allDone reports whether the work of all has ended.
func allDone(all []user) bool {
	for _, o := range all {
		if o.unmarked || o.isLeft() || o.last != nil && !o.isDone() {
			return false
		}
	}
	return true
}
