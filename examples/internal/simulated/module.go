// Package simulated compiles the kernels of examples for simulated GPUs, for their tests.
package simulated

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// Module makes a machine with a GPU and compiles a source for it. The GPU takes the kernels and
// their parameters from the C text, and runs the Go functions of Source.Host. The machine's clock
// is the system's.
func Module(t testing.TB, b event.Backend, s compute.Source) (*eventsim.Machine, *compute.Module) {
	t.Helper()
	m := eventsim.New(t, eventsim.Config{Backend: b, RealTime: true})
	for name, fn := range s.Host {
		m.Kernel(name, fn)
	}
	module, err := compute.Compile(t.Context(), m.Device(0), s, compute.WithoutCache())
	require.NoError(t, err)
	return m, module
}
