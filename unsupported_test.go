//go:build !(((linux && !android) || (darwin && !ios) || windows) && (amd64 || arm64))

package gpuevent_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/dl"
)

// Where C can't be called, every function of both packages says that there is no library.
func TestNoLibrary(t *testing.T) {
	t.Parallel()
	for _, a := range apis {
		for _, f := range a.Functions {
			fn := reflect.ValueOf(f.Go)
			var zeros []reflect.Value
			for i := range fn.Type().NumIn() {
				zeros = append(zeros, reflect.Zero(fn.Type().In(i)))
			}
			results := fn.Call(zeros)
			if f.Ret != "result" {
				continue // a text or nothing; it came back
			}
			err, _ := results[len(results)-1].Interface().(error)
			assert.ErrorIs(t, err, dl.ErrLibraryNotFound, f.C)
		}
	}
	assert.ErrorIs(t, cudrv.Available(), cudrv.ErrLibraryNotFound)
	assert.ErrorIs(t, hip.Available(), hip.ErrLibraryNotFound)
	assert.ErrorIs(t, cudrv.Load("/nowhere/libcuda.so.1"), cudrv.ErrLibraryNotFound)
	assert.False(t, cudrv.Has("cuInit"))
	assert.Empty(t, hip.Path())
}

// A table of functions, such as the simulator's, is no library here either.
func TestNoLibraryIsInstalled(t *testing.T) {
	var lib dl.Library
	lib.Search = dl.Search{}
	defer lib.Install("simulated", func(string) uintptr { return 1 })()
	p := dl.Proc{Lib: &lib, Symbol: "f"}
	_, err := p.Addr()
	assert.ErrorIs(t, err, dl.ErrLibraryNotFound)
}

func TestOnlyTheHost(t *testing.T) {
	t.Parallel()
	require.Len(t, event.Devices(), 1)
	d := event.Default()
	assert.True(t, d.IsHost())
	s, err := d.NewStream()
	require.NoError(t, err)
	e, err := s.RecordNew()
	require.NoError(t, err)
	require.NoError(t, e.Wait(t.Context()))
	require.NoError(t, e.Close())
	require.NoError(t, s.Close())
}
