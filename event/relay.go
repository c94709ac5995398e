package event

import "github.com/gpuevent/gpuevent/internal/native"

// queryRelay queries the completion's relay, which is made at the first query. The caller uses the
// completion's handle. The last to need the relay gives it back.
func (c *completion) queryRelay() (bool, error) {
	if c.handle.HasNoRelay() {
		return c.handle.QueryUnlessCaptured()
	}
	c.making.Lock()
	c.mu.Lock()
	c.relayQueries++
	r := c.relay
	c.mu.Unlock()
	var err error
	if r == nil {
		if r, err = c.handle.Device.NewRelay(c.handle); r != nil {
			r = c.adopt(r)
		}
	}
	c.making.Unlock()
	done := err == nil
	if r != nil {
		done, err = c.handle.Device.Driver.QueryEvent(r.Event.Object)
	}
	c.mu.Lock()
	c.relayQueries--
	if r != nil && r == c.relay {
		c.relayDone = c.relayDone || done
	}
	c.leaveRelay()
	return done, err
}

// adopt makes r the completion's relay unless it has one. It returns the completion's relay.
func (c *completion) adopt(r *native.Relay) *native.Relay {
	c.mu.Lock()
	has := c.relay
	if has == nil {
		has, c.relay = r, r
	}
	c.mu.Unlock()
	if has != r {
		r.GiveBack(false)
	}
	return has
}

// leaveRelay gives the relay back once it is not needed any more. It unlocks c.mu.
func (c *completion) leaveRelay() {
	var r *native.Relay
	var told bool
	if c.ended && c.relayQueries == 0 {
		// A later query makes a new relay, perhaps for a later record of the handle.
		r, told = c.relay, c.relayDone
		c.relay, c.relayDone = nil, false
	}
	c.mu.Unlock()
	if r != nil {
		r.GiveBack(told)
	}
}
