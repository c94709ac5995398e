package eventsim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// Objects of a closed machine say so, whether the machine was the last one of its backend or not.
func TestClosedMachine(t *testing.T) {
	for _, b := range []event.Backend{event.CUDA, event.HIP} {
		for _, last := range []bool{true, false} {
			m, err := eventsim.Open(eventsim.Config{Backend: b})
			require.NoError(t, err)
			other := m
			if !last {
				other, err = eventsim.Open(eventsim.Config{Backend: b})
				require.NoError(t, err)
			}
			d := m.Device(0)
			s := get(d.NewStream())
			e := get(s.RecordNew())
			assert.ErrorContains(t, m.Close(), "1 stream(s), 1 event(s)")

			_, created := d.NewStream()
			_, recorded := s.RecordNew()
			_, asked := e.IsDone()
			_, memory := d.Memory()
			for name, err := range map[string]error{"NewStream": created, "RecordNew": recorded,
				"IsDone": asked, "Memory": memory, "Stream.Sync": s.Sync(), "Record": s.Record(e),
				"Device.Sync": d.Sync(), "Do": d.Do(func() error { return nil }),
				"Wait": e.Wait(t.Context())} {
				assert.ErrorIs(t, err, event.ErrClosed, "%s %s, the last: %v", b, name, last)
				assert.ErrorContains(t, err, "the simulated machine of the device is closed", name)
				assert.NotContains(t, err.Error(), "install", name)
			}
			assert.NoError(t, e.Close())
			assert.NoError(t, s.Close())
			assert.NoError(t, other.Close())
		}
	}
}
