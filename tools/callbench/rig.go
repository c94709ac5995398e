package main

import (
	"fmt"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// rig is a device of the driver with what the operations of package event need.
type rig struct {
	device *event.Device
	// given is a stream whose handle was given out; watching waits for events of stream.
	stream, given, watching *event.Stream
	// One event for each operation, so that none depends on what another left behind.
	recorded, onGiven, onDefault, pending, done, waited, asked *event.Event
	start, end                                                 *event.Event
	// Package compute's, on CUDA.
	kernel *compute.Kernel
	a, b   *compute.Buffer[byte]
}

// install has both vendors' bindings call the driver until restore is called.
func install() (restore func()) {
	cuda := libs.CUDA.Install("a driver that does nothing", symbol)
	hip := libs.HIP.Install("a driver that does nothing", symbol)
	return func() {
		hip()
		cuda()
	}
}

// newRig opens a device by name.
func newRig(name string) (*rig, error) {
	setPending(false)
	setInside(false)
	d, err := event.Open(name)
	if err != nil {
		return nil, err
	}
	r := &rig{device: d}
	for _, s := range []**event.Stream{&r.stream, &r.given, &r.watching} {
		if *s, err = d.NewStream(); err != nil {
			return nil, err
		}
	}
	if err := give(r.given); err != nil {
		return nil, err
	}
	for _, e := range []**event.Event{&r.recorded, &r.onGiven, &r.onDefault, &r.pending, &r.done,
		&r.waited, &r.asked} {
		if *e, err = r.stream.RecordNew(); err != nil {
			return nil, err
		}
	}
	for _, e := range []**event.Event{&r.start, &r.end} {
		if *e, err = r.stream.RecordNew(event.WithTiming()); err != nil {
			return nil, err
		}
	}
	for _, e := range []*event.Event{r.start, r.end, r.done} {
		if err := mustBe(true)(e.IsDone()); err != nil {
			return nil, err
		}
	}
	if d.Backend() == event.CUDA {
		err = r.loadKernel()
	}
	return r, err
}

// loadKernel gets a kernel of four parameters, and its two buffers.
func (r *rig) loadKernel() error {
	const ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
	m, err := compute.Load(r.device, []byte(ptx))
	if err != nil {
		return err
	}
	if r.kernel, err = m.Kernel("k"); err != nil {
		return err
	}
	if r.a, err = compute.Alloc[byte](r.stream, 16); err != nil {
		return err
	}
	r.b, err = compute.Alloc[byte](r.stream, 16)
	return err
}

// mustBe checks the answer to a query.
func mustBe(want bool) func(done bool, err error) error {
	return func(done bool, err error) error {
		if err == nil && done != want {
			err = fmt.Errorf("the event is done: %v", done)
		}
		return err
	}
}

// at returns what prepares a round: what queries answer, and which context is current.
func at(pending, inside bool, more ...func() error) func() error {
	return func() error {
		setPending(pending)
		setInside(inside)
		for _, f := range more {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}
}

// give gives a stream's handle out.
func give(s *event.Stream) error {
	if s.Backend() == event.HIP {
		_, err := s.HIPStream()
		return err
	}
	_, err := s.CUDAStream()
	return err
}
