package event

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHotCallsDontAllocate looks at the host, whose engine allocates nothing either. The software
// GPUs can't be asked: their C functions are Go functions, which allocate as they are called.
func TestHotCallsDontAllocate(t *testing.T) {
	d, err := Open("host")
	require.NoError(t, err)
	s, err := d.NewStream()
	require.NoError(t, err)
	defer s.Close()
	start, err := s.RecordNew(WithTiming())
	require.NoError(t, err)
	defer start.Close()
	end, err := s.RecordNew(WithTiming())
	require.NoError(t, err)
	defer end.Close()
	require.NoError(t, end.Sync())
	pending, err := d.NewStream()
	require.NoError(t, err)
	defer pending.Close()
	gate := make(chan struct{})
	require.NoError(t, pending.HostFunc(func() error { <-gate; return nil }))
	held, err := pending.RecordNew()
	require.NoError(t, err)
	defer held.Close()
	defer close(gate)
	for name, f := range map[string]func() error{
		"record":        func() error { return end.Record(s) },
		"query":         func() error { _, err := end.IsDone(); return err },
		"query pending": func() error { _, err := held.IsDone(); return err },
		"state":         func() error { held.State(); return nil },
		"sub":           func() error { _, err := end.Sub(start); return err },
		"sync":          func() error { return end.Sync() },
		"wait":          func() error { return s.WaitEvent(end) },
		"stream query":  func() error { _, err := s.IsDone(); return err },
	} {
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			if err := f(); err != nil {
				t.Error(err)
			}
		}), name)
	}
}
