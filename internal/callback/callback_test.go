package callback

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type fn func(int)

// trampoline is as generated code has them.
var trampoline = Trampoline{Fn: enter}

func enter(data, n uintptr) uintptr {
	ret := uintptr(99)
	Run("testFn", data, func(f fn) {
		f(int(n))
		ret = 0
	})
	return ret
}

func c(addr uintptr, words ...uintptr) uintptr {
	r, _, _ := purego.SyscallN(addr, words...)
	return r
}

// collect replaces the panic handler and returns what it was told.
func collect(t *testing.T) func() []any {
	var mu sync.Mutex
	var got []any
	SetPanicHandler(func(name string, v any, _ []byte) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, name, v)
	})
	t.Cleanup(func() { SetPanicHandler(nil) })
	return func() []any {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

func TestOnceEndsByRunning(t *testing.T) {
	reported := collect(t)
	var got []int
	key := Add(fn(func(n int) { got = append(got, n) }), Once)
	require.NotZero(t, key)
	assert.EqualValues(t, 0, c(trampoline.Addr(), key, 5))
	assert.EqualValues(t, 99, c(trampoline.Addr(), key, 6))
	assert.Equal(t, []int{5}, got)
	assert.Equal(t, "testFn", reported()[0])
	assert.Contains(t, reported()[1], "has ended")
}

func TestHeldEndsByRelease(t *testing.T) {
	reported := collect(t)
	n := 0
	r := NewRef(&trampoline, fn(func(int) { n++ }))
	for range 3 {
		assert.Zero(t, c(r.Fn(), r.UserData(), 1))
	}
	assert.Equal(t, 3, n)
	assert.Empty(t, reported())
	r.Release()
	r.Release()
	c(r.Fn(), r.UserData(), 1)
	assert.Equal(t, 3, n)
	assert.Len(t, reported(), 2)
}

func TestZeroRefIsNull(t *testing.T) {
	t.Parallel()
	var r Ref
	assert.Zero(t, r.Fn())
	assert.Zero(t, r.UserData())
	r.Release()
	Release(0)
}

func TestPanicStopsBeforeC(t *testing.T) {
	var value any
	var stack []byte
	SetPanicHandler(func(_ string, v any, s []byte) { value, stack = v, s })
	defer SetPanicHandler(nil)
	key := Add(fn(func(int) { panic("boom") }), Once)
	assert.EqualValues(t, 99, c(trampoline.Addr(), key, 0),
		"C gets what the trampoline says, not a panic")
	assert.Equal(t, "boom", value)
	assert.Contains(t, string(stack), "TestPanicStopsBeforeC")
}

func TestPanicOfHandlerStops(t *testing.T) {
	SetPanicHandler(func(string, any, []byte) { panic("again") })
	defer SetPanicHandler(nil)
	key := Add(fn(func(int) { panic("boom") }), Once)
	assert.NotPanics(t, func() { c(trampoline.Addr(), key, 0) })
	assert.NotPanics(t, func() { c(trampoline.Addr(), key, 0) }, "nor when the registration has ended")
}

func TestPanicIsWrittenByDefault(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	require.NoError(t, err)
	defer f.Close()
	was := os.Stderr
	os.Stderr = f
	defer func() { os.Stderr = was }()
	key := Add(fn(func(int) { panic("boom") }), Once)
	assert.EqualValues(t, 99, c(trampoline.Addr(), key, 0))
	assert.EqualValues(t, 99, c(trampoline.Addr(), key, 0))

	written, err := os.ReadFile(f.Name())
	require.NoError(t, err)
	const says = "gpuevent: callback testFn did not return; C got an answer in its place: "
	first, rest, _ := strings.Cut(string(written), "\n\n")
	assert.Equal(t, says+"boom", first)
	stack, last, _ := strings.Cut(rest, says)
	assert.Contains(t, stack, "TestPanicIsWrittenByDefault")
	assert.Equal(t, fmt.Sprintf("C called registration %d, which has ended\n", key), last)
}

func TestManyThreads(t *testing.T) {
	reported := collect(t)
	var ran atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				key := Add(fn(func(int) { grow(100); ran.Add(1) }), Once)
				c(trampoline.Addr(), key, 1)
			}
		})
	}
	wg.Wait()
	assert.EqualValues(t, 1600, ran.Load())
	assert.Empty(t, reported())
	n := 0
	registry.Range(func(any, any) bool { n++; return true })
	assert.Zero(t, n, "nothing is left")
}

// grow makes the stack move.
func grow(n int) int {
	var pad [64]byte
	if n == 0 {
		return int(pad[0])
	}
	return grow(n-1) + int(pad[n%64])
}

func TestOnceRunsOnOneOfTwoThreads(t *testing.T) {
	reported := collect(t)
	for range 100 {
		var ran atomic.Int64
		key := Add(fn(func(int) { ran.Add(1) }), Once)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { c(trampoline.Addr(), key, 1) })
		}
		wg.Wait()
		require.EqualValues(t, 1, ran.Load())
	}
	assert.Len(t, reported(), 200)
}
