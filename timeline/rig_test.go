package timeline

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
)

func open(t testing.TB, o Options) *Timeline {
	t.Helper()
	tl, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tl.Close(context.Background())) })
	return tl
}

func hostDevice(t testing.TB) *event.Device {
	t.Helper()
	d, err := event.Open("host")
	require.NoError(t, err)
	return d
}

func stream(t testing.TB, d *event.Device) *event.Stream {
	t.Helper()
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func flushed(t testing.TB, tl *Timeline) *Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	require.NoError(t, tl.Flush(ctx))
	return tl.Snapshot()
}

// named returns the snapshot's items of a name.
func named(s *Snapshot, name string) (found []Item) {
	for _, it := range s.Items {
		if it.Name == name {
			found = append(found, it)
		}
	}
	return found
}
