package event

import (
	"errors"
	"sync"
	"time"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// relay is an event on a stream of its own that waits for another event's record and nothing else.
// It is queried in place of an event that can't be queried itself, because its stream may be
// capturing or because others may record it again.
type relay struct {
	stream *nativeStream
	event  *nativeEvent
}

// relays are a device's idle relays, kept for reuse.
type relays struct {
	mu   sync.Mutex
	idle []*relay
}

const (
	keptRelays = 16
	relayLife  = 20 * time.Millisecond
)

// errNoRelay: streams can't be relied on to wait for the event.
var errNoRelay = errors.New("no stream can wait for the event")

// newRelay returns a relay for the last record of h, or nil if that is done. The caller uses h, and
// is on a thread whose queries don't disturb the captures of others.
func (d *Device) newRelay(h *nativeEvent) (*relay, error) {
	if h.hasNoRelay() {
		return nil, errNoRelay
	}
	r, err := d.takeRelay()
	if err != nil {
		return nil, err
	}
	err = d.driver.WaitEvent(r.stream.object, h.object, false)
	if err == nil && h.needsStream() {
		// A relay is done a little later. But the wait for a done event leaves the stream idle.
		// fact: amd-wait-elided
		var idle bool
		if idle, err = d.driver.QueryStream(r.stream.object); idle && err == nil {
			r.giveBack(true)
			return nil, nil
		}
		if errors.Is(err, driver.ErrCapturing) {
			err = nil // the relay works all the same
		}
	}
	if err == nil {
		err = d.driver.Record(r.event.object, r.stream.object, false)
	}
	if err != nil {
		r.giveBack(false)
		return nil, err
	}
	return r, nil
}

func (d *Device) takeRelay() (*relay, error) {
	if r := d.relays.take(); r != nil {
		return r, nil
	}
	least, _, err := d.driver.Priorities()
	if err != nil {
		return nil, err
	}
	s, err := d.driver.CreateStream(true, least)
	if err != nil {
		return nil, err
	}
	stream := newNativeStream(d, s, true)
	e, err := d.driver.CreateEvent(driver.EventFlags{})
	if err != nil {
		stream.closeAsync()
		return nil, err
	}
	return &relay{stream, newNativeEvent(d, e, eventOwned)}, nil
}

// giveBack keeps the relay for reuse if it is done, and destroys it otherwise.
func (r *relay) giveBack(done bool) {
	d := r.stream.device
	if !done || !d.relays.put(r) {
		r.close()
	}
}

func (r *relay) close() {
	r.event.closeAsync()
	r.stream.closeAsync()
}

// put keeps an idle relay for a while.
func (all *relays) put(r *relay) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.idle) == keptRelays || r.stream.device.gone() {
		return false
	}
	if len(all.idle) == 0 {
		time.AfterFunc(relayLife, all.clear)
	}
	all.idle = append(all.idle, r)
	return true
}

func (all *relays) take() *relay {
	all.mu.Lock()
	defer all.mu.Unlock()
	n := len(all.idle)
	if n == 0 {
		return nil
	}
	r := all.idle[n-1]
	all.idle = all.idle[:n-1]
	return r
}

func (all *relays) clear() {
	for r := all.take(); r != nil; r = all.take() {
		r.close()
	}
}

// askRelay queries the completion's relay, which is made at the first query. The caller uses the
// completion's handle. The last to need the relay gives it back.
func (c *completion) askRelay() (bool, error) {
	if c.handle.hasNoRelay() {
		return c.handle.queryUnlessCaptured()
	}
	c.making.Lock()
	c.mu.Lock()
	c.asking++
	r := c.relay
	c.mu.Unlock()
	var err error
	if r == nil {
		if r, err = c.handle.device.newRelay(c.handle); r != nil {
			r = c.adopt(r)
		}
	}
	c.making.Unlock()
	done := err == nil
	if r != nil {
		done, err = c.handle.device.driver.QueryEvent(r.event.object)
	}
	c.mu.Lock()
	c.asking--
	if r != nil && r == c.relay {
		c.told = c.told || done
	}
	c.leaveRelay()
	return done, err
}

// adopt makes r the completion's relay unless it has one. It returns the completion's relay.
func (c *completion) adopt(r *relay) *relay {
	c.mu.Lock()
	has := c.relay
	if has == nil {
		has, c.relay = r, r
	}
	c.mu.Unlock()
	if has != r {
		r.giveBack(false)
	}
	return has
}

// leaveRelay gives the relay back if nobody needs it any more. It unlocks c.mu.
func (c *completion) leaveRelay() {
	var r *relay
	var told bool
	if c.ended && c.asking == 0 {
		// A later query makes a new relay, perhaps for a later record of the handle.
		r, told = c.relay, c.told
		c.relay, c.told = nil, false
	}
	c.mu.Unlock()
	if r != nil {
		r.giveBack(told)
	}
}
