package event_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/host"
)

// The host's default stream answers for its blocking streams: IsDone, Sync, Wait and an event
// agree.
func TestHostDefaultStreamAgrees(t *testing.T) {
	for name, busy := range map[string]bool{"legacy": true, "non-blocking": false} {
		t.Run(name, func(t *testing.T) {
			d := event.NewHostDevice(host.New(host.Options{}))
			var options []event.StreamOption
			if busy {
				options = append(options, event.WithLegacySync())
			}
			s := obtain(d.NewStream(options...))
			def := d.DefaultStream()
			gate := make(chan struct{})
			require.NoError(t, s.HostFunc(func() error { <-gate; return nil }))

			assert.Equal(t, !busy, obtain(def.IsDone()))
			returned := map[string]chan error{"Wait": make(chan error, 1), "Sync": make(chan error, 1)}
			go func() { returned["Wait"] <- def.Wait(context.Background()) }()
			go func() { returned["Sync"] <- def.Sync() }()
			e := obtain(def.RecordNew())
			assert.Equal(t, !busy, obtain(e.IsDone()))
			assert.Equal(t, !busy, obtain(def.IsDone()), "still")
			if busy {
				for name, c := range returned {
					assert.True(t, isOpen(c), name)
				}
				close(gate)
			}
			for name, c := range returned {
				assert.NoError(t, reached(t, name, c), name)
			}
			assert.NoError(t, e.Wait(background))
			assert.True(t, obtain(def.IsDone()))
			if !busy {
				close(gate)
			}
			assert.NoError(t, e.Close())
			assert.NoError(t, s.Close())
		})
	}
}
