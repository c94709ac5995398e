package callback

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type sizeFn func(int) int

// slots is as generated code has them.
var slots = Slots{New: func(s *Slot) any {
	return func(n uintptr) uintptr {
		ret := uintptr(0)
		RunSlot("testSize", s, func(f sizeFn) { ret = uintptr(f(int(n))) })
		return ret
	}
}}

// with calls a C function that calls f with n, as generated code does.
func with(f sizeFn, n int) (int, error) {
	slot, err := slots.Take(f)
	if err != nil {
		return 0, err
	}
	defer slots.Give(slot)
	return int(c(slot.Addr(), uintptr(n))), nil
}

func TestSlots(t *testing.T) {
	reported := collect(t)
	got, err := with(func(n int) int {
		inner, err := with(func(n int) int { return 2 * n }, n)
		assert.NoError(t, err)
		return inner + 1
	}, 5)
	require.NoError(t, err)
	assert.Equal(t, 11, got, "calls nest")
	got, err = with(func(int) int { panic("no") }, 5)
	require.NoError(t, err)
	assert.Zero(t, got)
	assert.Equal(t, []any{"testSize", "no"}, reported())
}

func TestSlotsAreUsedAgain(t *testing.T) {
	_, err := with(func(n int) int { return n }, 1)
	require.NoError(t, err)
	before := made.Load()
	for range 100 {
		_, err := with(func(n int) int { return n }, 1)
		require.NoError(t, err)
	}
	assert.Equal(t, before, made.Load())
}

// More calls than there used to be slots, each in the callback of the one before.
func TestSlotsNestDeeply(t *testing.T) {
	var down sizeFn
	down = func(n int) int {
		if n == 0 {
			return 0
		}
		inner, err := with(down, n-1)
		assert.NoError(t, err)
		return inner + 1
	}
	got, err := with(down, 100)
	require.NoError(t, err)
	assert.Equal(t, 100, got)
}

// Goroutines that each hold slots and want one more.
func TestSlotsOnManyGoroutines(t *testing.T) {
	var all, inside sync.WaitGroup
	inside.Add(64)
	for range 64 {
		all.Go(func() {
			got, err := with(func(n int) int {
				inside.Done()
				inside.Wait() // all hold one
				inner, err := with(func(n int) int { return 2 * n }, n)
				assert.NoError(t, err)
				return inner
			}, 4)
			assert.NoError(t, err)
			assert.Equal(t, 8, got)
		})
	}
	all.Wait()
}

func TestTooManySlotsAreRefused(t *testing.T) {
	var held []*Slot
	var err error
	for range MaxSlots + 1 {
		var slot *Slot
		if slot, err = slots.Take(sizeFn(func(n int) int { return n })); err != nil {
			break
		}
		held = append(held, slot)
	}
	assert.ErrorIs(t, err, ErrTooMany)
	assert.ErrorContains(t, err, "1000 calls with a callback are under way")
	assert.EqualValues(t, MaxSlots, made.Load())
	slots.Give(held[0])
	got, err := with(func(n int) int { return -n }, 3)
	assert.NoError(t, err, "there is one again")
	assert.Equal(t, -3, got)
	for _, slot := range held[1:] {
		slots.Give(slot)
	}
}
