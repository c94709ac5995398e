package compute

import (
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
)

// An object ends once, with the close or the last use, whichever comes later.
func TestLifetime(t *testing.T) {
	t.Parallel()
	var l lifetime
	require.True(t, l.retain())
	require.True(t, l.retain())
	assert.False(t, l.close(), "there are two uses")
	assert.False(t, l.close())
	assert.True(t, l.isClosed())
	assert.False(t, l.retain(), "closed")
	l.retainAgain()
	assert.False(t, l.release())
	assert.False(t, l.release())
	assert.True(t, l.release(), "the last use")

	var unused lifetime
	require.True(t, unused.retain())
	assert.False(t, unused.release(), "not closed")
	assert.True(t, unused.close())
	assert.False(t, unused.close(), "closed before")
}

// Many goroutines use an object while another one closes it.
func TestLifetimeOfAnObjectInUse(t *testing.T) {
	t.Parallel()
	for range 200 {
		var l lifetime
		var ended atomic.Int32
		end := func(last bool) {
			if last {
				ended.Add(1)
			}
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for l.retain() {
					assert.Zero(t, ended.Load(), "in use")
					l.retainAgain()
					runtime.Gosched()
					end(l.release())
					assert.Zero(t, ended.Load(), "in use")
					end(l.release())
				}
			})
		}
		all.Go(func() { end(l.close()) })
		all.Wait()
		require.Equal(t, int32(1), ended.Load())
	}
}

// A launch's arguments need no memory of their own, whatever their type.
func TestArgumentsAreNotAllocated(t *testing.T) {
	type count int32
	type pair struct {
		A int32
		B [3]float64
	}
	f := new(backend.Frame)
	put := func(args ...any) {
		f.Reset()
		for _, arg := range noescape(args) {
			if why := (*param)(nil).put(f, arg); why != "" {
				panic(why)
			}
		}
	}
	i := 1000
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		i++
		put(int32(i), uint32(i), int64(i), uint64(i), float32(i), float64(i), DevicePointer(i),
			count(i), pair{int32(i), [3]float64{1, 2, float64(i)}}, i%2 == 0)
	}))
	got := *(*pair)(f.Value(8))
	assert.Equal(t, pair{int32(i), [3]float64{1, 2, float64(i)}}, got)
	assert.Equal(t, count(i), *(*count)(f.Value(7)))
	assert.Equal(t, float32(i), *(*float32)(f.Value(4)))
	assert.Equal(t, uintptr(9+1+3)*8, f.Bytes(), "%v has 4 words", reflect.TypeFor[pair]())
}
