package callback

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// A function that ends its goroutine, as FailNow does, ends neither the process nor what called C.
func TestGoexitEndsOnlyTheFunction(t *testing.T) {
	reported := collect(t)
	for name, call := range map[string]func(addr, key uintptr) uintptr{
		"thread of Go": func(addr, key uintptr) uintptr { return c(addr, key, 1) },
		"thread of C":  func(addr, key uintptr) uintptr { fake.OnThread(addr, key); return 0 },
	} {
		t.Run(name, func(t *testing.T) {
			var before, deferred, after atomic.Int32
			leave := func(int) {
				before.Add(1)
				defer deferred.Add(1)
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
				runtime.Goexit()
				after.Add(1)
			}
			r := NewRef(&trampoline, fn(leave))
			defer r.Release()
			start := len(reported())
			for range 20 {
				call(r.Fn(), r.UserData())
			}
			assert.EqualValues(t, 20, before.Load())
			assert.EqualValues(t, 20, deferred.Load(), "deferred functions run")
			assert.Zero(t, after.Load())
			told := reported()[start:]
			require.Len(t, told, 40)
			assert.Equal(t, []any{"testFn", ErrLeft}, told[:2])
		})
	}
}

func TestGoexitGivesCTheAnswerOfAPanic(t *testing.T) {
	collect(t)
	key := Add(fn(func(int) { runtime.Goexit() }), Once)
	assert.EqualValues(t, 99, c(trampoline.Addr(), key, 5))
	slot, err := slots.Take(sizeFn(func(int) int { runtime.Goexit(); return 7 }))
	require.NoError(t, err)
	defer slots.Give(slot)
	assert.Zero(t, c(slot.Addr(), 5))
}

// Whatever the function and the handler do, C is answered and later callbacks run.
func TestHandlerThatDoesNotReturn(t *testing.T) {
	ends := map[string]func(){
		"panics":  func() { panic("end") },
		"Goexits": runtime.Goexit,
	}
	for function, f := range ends {
		for handler, h := range ends {
			t.Run("function "+function+", handler "+handler, func(t *testing.T) {
				told := 0
				SetPanicHandler(func(string, any, []byte) { told++; h() })
				defer SetPanicHandler(nil)
				key := Add(fn(func(int) { f() }), Once)
				assert.EqualValues(t, 99, c(trampoline.Addr(), key, 5))
				assert.Equal(t, 1, told)
				assert.EqualValues(t, 99, c(trampoline.Addr(), key, 5), "the registration has ended")
				assert.Equal(t, 2, told)
				ran := false
				c(trampoline.Addr(), Add(fn(func(int) { ran = true }), Once), 5)
				assert.True(t, ran)
			})
		}
	}
}

// What C keeps for a thread is there for the function.
func TestFunctionRunsOnTheThreadThatCalled(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var inside uintptr
	key := Add(fn(func(int) { inside = fake.ThreadID() }), Once)
	c(trampoline.Addr(), key, 5)
	assert.Equal(t, fake.ThreadID(), inside)
}

func TestReturningLeavesNoGoroutine(t *testing.T) {
	reported := collect(t)
	before := runtime.NumGoroutine()
	for n := range 200 {
		c(trampoline.Addr(), Add(fn(func(int) {
			if n%2 == 0 {
				panic("even")
			}
		}), Once), 5)
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before)
	assert.Len(t, reported(), 200)
}
