package compute

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/native"
)

// freeingBackend runs a function before a call that has freed memory returns.
type freeingBackend struct {
	backend.Backend
	freed   func()
	refusal error // of frees in a stream's order
}

func (f *freeingBackend) Free(address uintptr) error {
	err := f.Backend.Free(address)
	f.freed()
	return err
}

func (f *freeingBackend) FreeOn(s driver.Object, address uintptr) error {
	if f.refusal != nil {
		return f.refusal
	}
	err := f.Backend.FreeOn(s, address)
	f.freed()
	return err
}

// Memory that another buffer gets before the call that frees it returns does not count twice.
func TestAccountOfMemoryBeingFreed(t *testing.T) {
	t.Parallel()
	on, err := event.Open("host")
	require.NoError(t, err)
	s, err := on.NewStream()
	require.NoError(t, err)
	defer s.Close()
	for name, tt := range map[string]struct {
		stream  *event.Stream
		refusal error
	}{
		"outside of streams": {},
		"in order":           {stream: s},
		"in order, refused":  {s, errors.New("refused")},
	} {
		t.Run(name, func(t *testing.T) {
			d := &device{event: on, driver: native.DeviceOf(on).Driver}
			host, err := backend.New(d.driver)
			require.NoError(t, err)
			f := &freeingBackend{Backend: host, refusal: tt.refusal}
			d.backend = f
			allocate := func() *block {
				b, err := d.allocate("test", tt.stream, 100, reflect.TypeFor[byte]())
				require.NoError(t, err)
				return b
			}
			first := allocate()
			var next *block
			f.freed = func() { next = allocate() }
			require.NoError(t, first.close("test"))
			d.pending.wait(time.Minute)
			require.NotNil(t, next)
			assert.Equal(t, Usage{Buffers: 1, Bytes: 100, Peak: 100}, d.account.usage())

			f.freed = func() {}
			require.NoError(t, next.close("test"))
			d.pending.wait(time.Minute)
			assert.Equal(t, Usage{Peak: 100}, d.account.usage())
		})
	}
}
