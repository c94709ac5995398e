package event

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
	"github.com/gpuevent/gpuevent/internal/poll"
)

// completion is one record of an event that is waited for. It ends once: done, failed, or given up
// because the event was closed. Its native handle is not recorded again before that, unless the
// event is shared.
type completion struct {
	poll.Item
	event *Event // keeps the event, and so its handle, alive during the wait

	// Written under the event's lock when the completion is armed; constant from then on.
	armed    bool
	detached bool // the caller's own: the event's Close does not end it
	reached  bool // known to be done: no query, since the driver may still see an older record
	rec      record
	handle   *native.Event
	on       *native.Stream // the stream that this package recorded it on; nil for captures
	begin    uint32         // its number there
	lane     any            // callbacks of one lane run in order
	watch    driver.Watch
	then     func(error) // called at the end, before all others; must not block
	// relayed: query a relay, since others may record the handle again.
	relayed atomic.Bool

	done  chan struct{}
	err   error         // valid once done is closed
	known time.Duration // when it ended; 0 if latencies are not counted. Valid once done is closed

	mu        sync.Mutex
	ended     bool
	sealed    bool // a query of a shared event is in flight: it answers for existing waiters only
	alone     bool // no new users: others may have recorded the event since
	users     int  // calls that wait, or are about to
	lasting   bool // polled even without users: the channel was given out, or a callback is set
	callbacks []func(error)
	alarms    []alarm

	relay        *native.Relay // queried in place of an event that must not be queried
	relayQueries int           // queries of the relay in flight
	relayDone    bool          // the relay is done, and idle

	making sync.Mutex // held while the relay is made
}

// alarm receives a completion's number when it ends.
type alarm struct {
	c      chan<- int // with room for one
	number int
}

func newCompletion(e *Event) *completion {
	poll.RefuseBubble() // before the channel is made, which could not be closed outside of the bubble
	c := &completion{event: e, done: make(chan struct{})}
	c.Task = c
	return c
}

// bind gives the completion its record, unless it has ended: then it returns false. The caller
// holds the event's rec and mu, or the completion is not published yet.
func (c *completion) bind(rec record, h *native.Event) bool {
	c.mu.Lock() // who ends it either sees that it is armed, or is seen here
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	h.Pin() // can't fail: the event has the handle
	h.Watchers.Add(1)
	c.armed, c.rec, c.handle, c.lane = true, rec, h, c.event
	if rec.kind() == plain {
		c.on, c.begin = h.On.Load(), c.event.begin
	}
	if s := c.on; s != nil && c.ordered(s) {
		s.Watchers.Add(1)
		c.lane = s
		c.Order = poll.Order{Lane: s, Begin: c.event.begin, End: c.event.end}
	} else {
		c.event.home.counts.unordered.Add(1)
	}
	return true
}

// ordered reports whether the record is reached in its order on the stream.
func (c *completion) ordered(s *native.Stream) bool {
	return !c.event.rec.has(flagShared) && !driver.IsPerThread(s.Object.Word)
}

// unbind releases the handle.
func (c *completion) unbind() {
	if !c.armed {
		return
	}
	if s, ok := c.lane.(*native.Stream); ok {
		s.Watchers.Add(-1)
	} else {
		c.event.home.counts.unordered.Add(-1)
	}
	c.handle.Watchers.Add(-1)
	c.handle.Release()
	c.mu.Lock()
	c.leaveRelay()
}

// Query queries the driver for the record. The poller calls it.
func (c *completion) Query() (bool, error) {
	e := c.event
	if !c.detached && e.rec.closed() {
		return false, &driver.Refusal{Cause: ErrClosed, Detail: "create a new event"}
	}
	if !e.rec.has(flagShared) {
		return c.queryOrRetry()
	}
	c.seal(true)
	if e.home.info().Traits.CapturedQueryEndsCapture && e.rec.held() {
		c.seal(false)
		return false, nil // it may be being recorded in a capture
	}
	done, err := c.queryOrRetry()
	if !done && err == nil {
		c.seal(false)
	}
	return done, err
}

// queryOrRetry is queryRecord for callers that query again if a capture keeps the driver from
// answering.
func (c *completion) queryOrRetry() (bool, error) {
	done, err := c.queryRecord()
	if errors.Is(err, driver.ErrCapturing) {
		return false, nil
	}
	if err != nil {
		c.event.home.diagnoseQuery(err) // here, where it may take its time
	}
	return done, err
}

// queryRecord queries the completion's handle, or a relay if the handle must not be queried.
func (c *completion) queryRecord() (bool, error) {
	if c.reached {
		return true, nil
	}
	h := c.handle
	if h.Device.Gone() {
		return false, &driver.Refusal{Cause: ErrNoDevice, Detail: "its library was replaced"}
	}
	if !h.Pin() {
		return false, nil // it has ended
	}
	defer h.Release()
	if c.relayed.Load() {
		return c.queryRelay()
	}
	done, err := c.queryDirectly(h)
	if c.relayed.Load() { // set meanwhile: the answer may be that of another record
		return false, nil
	}
	return done, err
}

func (c *completion) queryDirectly(h *native.Event) (bool, error) {
	switch s := h.On.Load(); {
	case c.event.rec.has(flagShared) && h.QueryEndsCapture():
		return h.QueryByRelay() // others may have recorded it on any stream
	case s == nil:
	case h.StreamDrained() && !c.event.rec.has(flagShared):
		return true, nil
	case c.rec.kind() == inGraph && h.Device.Info.Traits.CapturedQueryEndsCapture:
		if err := h.RefuseInCapture(); err != nil {
			return false, err
		}
	}
	done, queried, err := h.Query()
	if !queried {
		return c.queryRelay()
	}
	return done, err
}

// seal keeps new users out while a query is in flight whose answer could be older than their wait.
func (c *completion) seal(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sealed = on
}

// End takes the result, and notes the outcome of the record in the event.
func (c *completion) End(err error) {
	e := c.event
	if err == nil {
		if s, ok := c.lane.(*native.Stream); ok {
			s.Advance(c.Order.Begin)
		}
		err = c.fate()
	} else if c.on != nil {
		c.on.Learn(err)
	}
	switch {
	case err == nil:
		e.rememberDone(c.rec)
	case c.rec.stays():
		e.rememberFailure(c.rec, err)
	}
	c.finish(failed("Event.Wait", e, err))
}

// finish ends the completion, wakes the waiters and runs the callbacks.
func (c *completion) finish(err error) {
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		return
	}
	c.ended = true
	alarms := c.alarms
	if len(c.callbacks) > 0 { // under the lock, so that callbacks given later come after these
		dispatch(c.lane, c.callbacks, err)
	}
	c.callbacks, c.alarms = nil, nil
	c.mu.Unlock()

	c.event.forget(c)
	c.err = err
	c.learned()
	close(c.done)
	if c.then != nil {
		c.then(err)
	}
	for _, a := range alarms {
		a.ring()
	}
	c.unbind()
}

// ring never blocks: only the first alarm on a channel counts.
func (a alarm) ring() {
	select {
	case a.c <- a.number:
	default:
	}
}

// isBound reports whether the completion has its record.
func (c *completion) isBound() bool {
	c.event.mu.Lock()
	defer c.event.mu.Unlock()
	return c.armed
}

// isOver reports whether the completion has ended.
func (c *completion) isOver() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// join adds a user, and a callback if f is not nil. It returns false if the completion has ended,
// or can't serve a new user.
func (c *completion) join(f func(error)) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.sealed || c.alone {
		return false
	}
	c.users++
	if f != nil {
		c.lasting = true
		c.callbacks = append(c.callbacks, f)
	}
	return true
}

// leave removes a user. After the last one leaves, the driver is no longer polled.
func (c *completion) leave() {
	c.mu.Lock()
	c.users--
	unwanted := c.unwanted()
	c.mu.Unlock()
	if unwanted {
		c.event.withdraw(c)
	}
}

// unwanted reports whether the completion has no users and need not last. The caller holds the
// lock.
func (c *completion) unwanted() bool { return c.users == 0 && !c.lasting && !c.ended }

// giveUp ends an unwanted completion without notifying any goroutine. It returns false if the
// completion has a user again.
func (c *completion) giveUp() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.unwanted() {
		return false
	}
	c.ended = true
	return true
}

// closeToOthers keeps new users from joining.
func (c *completion) closeToOthers() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.alone = true
}

// keepPolling makes the completion lasting: it is polled even without users.
func (c *completion) keepPolling() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lasting = true
}

// alert registers an alarm that rings when the completion ends, at once if it has ended.
func (c *completion) alert(a alarm) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		a.ring()
		return
	}
	c.alarms = append(c.alarms, a)
}

// calm removes the alarms of one channel.
func (c *completion) calm(ch chan<- int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.alarms[:0]
	for _, a := range c.alarms {
		if a.c != ch {
			kept = append(kept, a)
		}
	}
	clear(c.alarms[len(kept):])
	c.alarms = kept
}
