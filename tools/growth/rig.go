package main

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// The ways, as plots name them.
const (
	onHost = "host"
	onSim  = "simulated CUDA"
	// The same without package event: calls through cudrv, and channels.
	alone   = "the simulator alone"
	goAlone = "Go alone"
)

// rig is a device, and a way to keep its streams busy.
type rig struct {
	way    string
	device *event.Device
	// hold enqueues work on a stream that ends when open is called.
	hold  func(s *event.Stream) (open func(), err error)
	close func() error
}

// newRig returns the host, or a new simulated device.
func newRig(way string) (*rig, error) {
	if way == onHost {
		d, err := event.Open("host")
		return &rig{way, d, holdHost, func() error { return nil }}, err
	}
	m, err := eventsim.Open(eventsim.Config{Backend: event.CUDA, RealTime: true})
	if err != nil {
		return nil, err
	}
	hold := func(s *event.Stream) (func(), error) { return m.Gate(s).Open, nil }
	return &rig{way, m.Device(0), hold, m.Close}, nil
}

func holdHost(s *event.Stream) (open func(), err error) {
	gate := make(chan struct{})
	err = s.HostFunc(func() error { <-gate; return nil })
	return func() { close(gate) }, err
}

// with runs f on a new rig.
func with(way string, f func(r *rig) error) error {
	r, err := newRig(way)
	if err != nil {
		return fmt.Errorf("%s: %w", way, err)
	}
	err = f(r)
	if failed := r.close(); err == nil && failed != nil {
		err = failed
	}
	if err != nil {
		return fmt.Errorf("%s: %w", way, err)
	}
	return nil
}

// withStream runs f with a new stream.
func (r *rig) withStream(f func(s *event.Stream) error) error {
	s, err := r.device.NewStream()
	if err != nil {
		return err
	}
	err = f(s)
	return errors.Join(err, s.Close())
}

// counts are 1, 3, 10, 30 and so on to the most, which is one of them.
func counts(most int) (all []int) {
	for power := 1; ; power *= 10 {
		for _, n := range []int{power, 3 * power} {
			if n >= most {
				return append(all, most)
			}
			all = append(all, n)
		}
	}
}

// doubling are 1, 2, 4 and so on to the most, which is one of them.
func doubling(most int) (all []int) {
	for n := 1; n < most; n *= 2 {
		all = append(all, n)
	}
	return append(all, most)
}
