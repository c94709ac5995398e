// Package simulated compiles the kernels of examples for simulated GPUs, for their tests.
package simulated

import (
	"testing"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// Each runs a test on GPUs of both vendors, with the oldest and with the newest driver.
func Each(t *testing.T, s compute.Source, f func(*testing.T, *compute.Module)) {
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		versions := eventsim.Versions(b)
		for _, v := range []string{versions[0], versions[len(versions)-1]} {
			t.Run(string(b)+" "+v, func(t *testing.T) {
				_, m := Module(t, eventsim.Config{Backend: b, Version: v}, s)
				f(t, m)
			})
		}
	}
}

// Module makes a machine and compiles a source for its first GPU. The GPU takes the kernels and
// their parameters from the C text, and runs the Go functions of Source.Host. The machine's clock
// is the system's.
func Module(t testing.TB, c eventsim.Config, s compute.Source) (
	*eventsim.Machine, *compute.Module) {
	t.Helper()
	c.RealTime = true
	m := eventsim.New(t, c)
	for name, fn := range s.Host {
		m.Kernel(name, fn)
	}
	module, err := compute.Compile(t.Context(), m.Device(0), s, compute.WithoutCache())
	if err != nil {
		t.Fatal(err)
	}
	return m, module
}
