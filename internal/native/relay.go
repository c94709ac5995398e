package native

import (
	"errors"
	"sync"
	"time"

	"github.com/gpuevent/gpuevent/internal/driver"
)

// Relay is an event on a stream of its own that waits for another event's record and nothing else.
// It is queried in place of an event that can't be queried itself, because its stream may be
// capturing or because others may record it again.
type Relay struct {
	Stream *Stream
	Event  *Event
}

// relays are a device's idle relays, kept for reuse.
type relays struct {
	mu   sync.Mutex
	idle []*Relay
}

const (
	keptRelays = 16
	relayLife  = 20 * time.Millisecond
)

// errNoRelay: streams can't be relied on to wait for the event.
var errNoRelay = errors.New("no stream can wait for the event")

// NewRelay returns a relay for the last record of h, or nil if that is done. The caller uses h, and
// is on a thread whose queries don't disturb the captures of others.
func (d *Device) NewRelay(h *Event) (*Relay, error) {
	if h.HasNoRelay() {
		return nil, errNoRelay
	}
	r, err := d.TakeRelay()
	if err != nil {
		return nil, err
	}
	err = d.Driver.WaitEvent(r.Stream.Object, h.Object, false)
	if err == nil && h.NeedsStream() {
		// A relay is done a little later. But the wait for a done event leaves the stream idle.
		// fact: amd-wait-elided
		var idle bool
		if idle, err = d.Driver.QueryStream(r.Stream.Object); idle && err == nil {
			r.GiveBack(true)
			return nil, nil
		}
		if errors.Is(err, driver.ErrCapturing) {
			err = nil // the relay works all the same
		}
	}
	if err == nil {
		err = d.Driver.Record(r.Event.Object, r.Stream.Object, false)
	}
	if err != nil {
		r.GiveBack(false)
		return nil, err
	}
	return r, nil
}

// TakeRelay returns an idle relay, or a new one.
func (d *Device) TakeRelay() (*Relay, error) {
	if r := d.relays.take(); r != nil {
		return r, nil
	}
	least, _, err := d.Driver.Priorities()
	if err != nil {
		return nil, err
	}
	s, err := d.Driver.CreateStream(true, least)
	if err != nil {
		return nil, err
	}
	stream := newStream(d, s, true)
	e, err := d.Driver.CreateEvent(driver.EventFlags{})
	if err != nil {
		stream.CloseAsync()
		return nil, err
	}
	return &Relay{stream, newEvent(d, e, Owned)}, nil
}

// GiveBack keeps the relay for reuse if it is done, and destroys it otherwise.
func (r *Relay) GiveBack(done bool) {
	d := r.Stream.Device
	if !done || !d.relays.put(r) {
		r.close()
	}
}

func (r *Relay) close() {
	r.Event.CloseAsync()
	r.Stream.CloseAsync()
}

// put keeps an idle relay for a while.
func (all *relays) put(r *Relay) bool {
	all.mu.Lock()
	defer all.mu.Unlock()
	if len(all.idle) == keptRelays || r.Stream.Device.Gone() {
		return false
	}
	if len(all.idle) == 0 {
		time.AfterFunc(relayLife, all.clear)
	}
	all.idle = append(all.idle, r)
	return true
}

func (all *relays) take() *Relay {
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

// DropRelays destroys the idle relays.
func (d *Device) DropRelays() { d.relays.clear() }

// HasIdleRelays reports whether idle relays are kept.
func (d *Device) HasIdleRelays() bool {
	d.relays.mu.Lock()
	defer d.relays.mu.Unlock()
	return len(d.relays.idle) > 0
}
