package compute

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/door"
)

// users are the streams whose work uses an object: memory, or a module. Until the object ends, it
// can order its end behind that work, even if the streams are closed meanwhile.
type users struct {
	all   atomic.Pointer[[]user] // never changed in place
	mu    sync.Mutex
	ended bool
}

// user is a stream with work that uses an object. The shadow keeps the native stream. If the stream
// was closed some time ago, it is replaced by an event behind all of its work.
type user struct {
	stream, shadow *event.Stream
	last           *event.Event
}

// note notes that work on a stream in use is about to use the object. It must be called before the
// caller looks whether the object is closed.
func (u *users) note(s *event.Stream) {
	if all := u.all.Load(); all != nil {
		for i := range *all {
			if (*all)[i].stream == s {
				return
			}
		}
	}
	u.add(s)
}

func (u *users) add(s *event.Stream) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended {
		return // the caller finds the object closed
	}
	var all []user
	if old := u.all.Load(); old != nil {
		all = *old
	}
	if slices.ContainsFunc(all, func(o user) bool { return o.stream == s }) {
		return
	}
	shadow, ok := door.Shadow(s)
	if !ok {
		return
	}
	kept := make([]user, 0, len(all)+1)
	for _, o := range all {
		if o, used := o.prune(); used {
			kept = append(kept, o)
		}
	}
	kept = append(kept, user{stream: s, shadow: shadow.(*event.Stream)})
	u.all.Store(&kept)
}

// before makes a stream wait for the work enqueued by the users so far.
func (u *users) before(s *event.Stream) error {
	u.mu.Lock() // keeps the shadows
	defer u.mu.Unlock()
	all := u.all.Load()
	if all == nil {
		return nil
	}
	for _, o := range *all {
		var err error
		if o.shadow != nil {
			err = s.WaitStream(o.shadow)
		} else {
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
	if o.shadow != nil && door.Ended(o.stream) && !o.capturing() {
		if last, err := o.shadow.RecordNew(); err == nil {
			o.last = last
		}
		door.Unshadow(o.shadow)
		o.shadow, o.stream = nil, nil
	}
	if o.shadow != nil {
		return o, true
	}
	if o.last == nil {
		return o, false // the stream has failed
	}
	if done, err := o.last.IsDone(); done || err != nil {
		report(o.last.Close())
		return o, false
	}
	return o, true
}

// capturing reports whether the stream is being captured, or can't tell.
func (o user) capturing() bool {
	if o.shadow == nil {
		return false
	}
	is, err := door.Capturing(o.stream)
	return is || err != nil && !isDeviceFailure(err)
}

// drop lets go of a stream.
func (o user) drop() {
	if o.shadow != nil {
		door.Unshadow(o.shadow)
	}
	if o.last != nil {
		report(o.last.Close())
	}
}

// end returns the users. Nobody is noted any more. first is true for the first caller.
func (u *users) end() (all []user, first bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ended {
		return nil, false
	}
	u.ended = true
	if p := u.all.Swap(nil); p != nil {
		all = *p
	}
	return all, true
}

// start returns the users, and begins anew.
func (u *users) start() (all []user) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if p := u.all.Swap(nil); p != nil {
		all = *p
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
	if capturedOf(all) != nil { // records would become part of the graph
		d.background(func() {
			for capturedOf(all) != nil {
				time.Sleep(time.Millisecond)
			}
			report(d.whenDone(all, free))
		})
		return nil
	}
	for i := range all {
		if o := &all[i]; o.shadow != nil {
			o.last, _ = o.shadow.RecordNew() // nil if the stream has failed
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
			if o.last != nil {
				_ = o.last.Wait(forever) // a failure ends the work too
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
	if err := call(); !isDeviceFailure(err) {
		return err
	}
	return nil
}

// allDone reports whether the last events of all are done, or have failed.
func allDone(all []user) bool {
	for _, o := range all {
		if o.last == nil {
			continue
		}
		if done, err := o.last.IsDone(); !done && err == nil {
			return false
		}
	}
	return true
}
