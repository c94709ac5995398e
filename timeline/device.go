package timeline

import (
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/event"
)

// device is what a timeline keeps for a device: its slots and its clock.
type device struct {
	device *event.Device
	keeper keeper // the resolver's

	about    atomic.Pointer[Clock]
	anchored chan struct{} // closed after the first measurement
	first    sync.Once

	mu     sync.Mutex
	idle   []*slot // the free ones
	all    map[*slot]struct{}
	most   int
	closed bool
}

// take returns a free slot, or why there is none.
func (d *device) take() (*slot, error) {
	d.mu.Lock()
	if n := len(d.idle); n > 0 {
		s := d.idle[n-1]
		d.idle = d.idle[:n-1]
		d.mu.Unlock()
		return s, nil
	}
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return nil, ErrClosed
	case len(d.all) >= d.most:
		return nil, ErrFull
	}
	s, err := d.create()
	if err != nil {
		return nil, err
	}
	d.all[s] = struct{}{}
	return s, nil
}

// create makes a slot. The caller holds the lock, which others of this device wait for: it happens
// while the pool grows only.
func (d *device) create() (*slot, error) {
	begin, err := d.device.NewEvent(event.WithTiming())
	if err != nil {
		return nil, err
	}
	end, err := d.device.NewEvent(event.WithTiming())
	if err != nil {
		_ = begin.Close() // it is unused
		return nil, err
	}
	return &slot{device: d, begin: begin, end: end}, nil
}

// giveBack frees slots.
func (d *device) giveBack(slots ...*slot) {
	for _, s := range slots {
		s.free()
	}
	d.mu.Lock()
	closed := d.closed
	if !closed {
		d.idle = append(d.idle, slots...)
	}
	d.mu.Unlock()
	if closed {
		for _, s := range slots {
			_ = s.close() // the timeline is gone
		}
	}
}

// discard closes a slot for good, one whose events a capture has seen.
func (d *device) discard(s *slot) {
	s.free()
	d.mu.Lock()
	delete(d.all, s)
	d.mu.Unlock()
	_ = s.close() // what a capture keeps stays
}

// grow makes slots in advance.
func (d *device) grow(n int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.all) < min(n, d.most) {
		s, err := d.create()
		if err != nil {
			return err
		}
		d.all[s] = struct{}{}
		d.idle = append(d.idle, s)
	}
	return nil
}

// close closes all slots, those of spans that never ended too.
func (d *device) close() error {
	d.mu.Lock()
	d.closed = true
	all := d.all
	d.all, d.idle = nil, nil
	d.mu.Unlock()
	var err error
	for s := range all {
		err = firstError(err, s.close())
	}
	return err
}
