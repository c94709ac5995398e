package ccall

import (
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pattern is an argument word that differs from its neighbours in every byte.
func pattern(i int) uintptr { return 0x0101010101010101*uintptr(i+1) ^ 0x00ff00ff00ff00ff }

// rec is what the C-callable functions received.
var rec struct {
	sync.Mutex
	got []uintptr
	f32 []float32
	f64 []float64
}

// c holds the C-callable functions of the tests. purego never frees one, so each exists once.
var c = struct {
	six  func() uintptr
	wide func() uintptr
	mix  func() uintptr
	deep func() uintptr
	out  func() uintptr
	rc   func() uintptr
}{
	six: sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(a, b, c_, d, e, f uintptr) uintptr {
			rec.got = []uintptr{a, b, c_, d, e, f}
			return 0xdeadbeef_00000258
		})
	}),
	wide: sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(a, b, c_, d, e, f, g, h, i, j, k, l, m, n, o, p uintptr) uintptr {
			rec.got = []uintptr{a, b, c_, d, e, f, g, h, i, j, k, l, m, n, o, p}
			return 7
		})
	}),
	mix: sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(a uintptr, x float32, b uintptr, y float64, c_ uintptr) uintptr {
			rec.got, rec.f32, rec.f64 = []uintptr{a, b, c_}, []float32{x}, []float64{y}
			return 0x1122334455667788
		})
	}),
	// deep grows the stack of the goroutine that called into C, and collects garbage, before it writes
	// through its arguments.
	deep: sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(a, b, c_, d, e, f *uint64, g, h uintptr) uintptr {
			grow(512)
			runtime.GC()
			for i, p := range []*uint64{a, b, c_, d, e, f} {
				*p = uint64(g) + uint64(i)
			}
			return h
		})
	}),
	out: sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(p *uint64, v uintptr) uintptr { *p = uint64(v); return 0 })
	}),
	rc: sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(v uintptr) uintptr { return v })
	}),
}

//go:noinline
func grow(n int) byte {
	var pad [1024]byte
	if n == 0 {
		return pad[0]
	}
	pad[n%1024] = grow(n - 1)
	return pad[(n+1)%1024]
}

func TestEveryArgumentWordArrives(t *testing.T) {
	rec.Lock()
	defer rec.Unlock()
	t.Run("Regs", func(t *testing.T) {
		r := Regs{Fn: c.six()}
		for i := range r.A {
			r.A[i] = pattern(i)
		}
		assert.EqualValues(t, 600, r.Call(), "the result is the low 32 bits")
		assert.Equal(t, r.A[:], rec.got)
	})
	t.Run("Words", func(t *testing.T) {
		w := Words{Fn: c.wide()}
		for i := range w.A {
			w.A[i] = pattern(i)
		}
		assert.EqualValues(t, 7, w.Call())
		assert.Equal(t, w.A[:], rec.got)
	})
	t.Run("Frame", func(t *testing.T) {
		f := New(c.wide())
		defer f.Free()
		var want []uintptr
		for i := range 16 {
			want = append(want, pattern(i))
			f.Int(pattern(i))
		}
		f.Call()
		assert.EqualValues(t, 7, f.R0)
		assert.Equal(t, want, rec.got)
	})
	t.Run("Frame with floats", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip(
				"purego makes no callbacks with floats on Windows; the oracle has C functions that take them")
		}
		f := New(c.mix())
		defer f.Free()
		f.Int(pattern(0))
		f.Float32(-1.5)
		f.Int(pattern(1))
		f.Float64(6.25)
		f.Int(pattern(2))
		f.Call()
		assert.EqualValues(t, 0x1122334455667788, f.R0, "a wide result arrives whole")
		assert.Equal(t, []uintptr{pattern(0), pattern(1), pattern(2)}, rec.got)
		assert.Equal(t, []float32{-1.5}, rec.f32)
		assert.Equal(t, []float64{6.25}, rec.f64)
	})
}

func TestNegativeResult(t *testing.T) {
	minusTwo := -2
	r := Regs{Fn: c.rc(), A: [MaxRegs]uintptr{uintptr(minusTwo)}}
	assert.EqualValues(t, -2, r.Call())
}

// A callback that grows and moves the goroutine's stack must move neither the results nor the
// arguments away from C.
func TestCallbackMovesTheStack(t *testing.T) {
	const goroutines, calls = 8, 20
	deep := c.deep()
	failures := make(chan string, 3*goroutines*calls)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range calls {
				base := uintptr(g*1000 + i)
				var mine [2]uint64 // Ptr moves it into the heap
				out := NewOut()
				w := Words{Fn: deep, A: [MaxWords]uintptr{
					out.Word(0),
					out.Word(1),
					out.Word(2),
					out.Word(3),
					Ptr(unsafe.Pointer(&mine[0])),
					Ptr(unsafe.Pointer(&mine[1])),
					base,
					600,
				}}
				if rc := w.Call(); rc != 600 {
					failures <- "wrong result"
				}
				for k := range 4 {
					if out.W[k] != uint64(base)+uint64(k) {
						failures <- "an out slot is wrong"
					}
				}
				if mine != [2]uint64{uint64(base) + 4, uint64(base) + 5} {
					failures <- "the caller's memory is wrong"
				}
				out.Free(4)
			}
		})
	}
	wg.Wait()
	close(failures)
	for f := range failures {
		assert.Fail(t, f)
	}
}

func TestOutIsZeroWhenHandedOut(t *testing.T) {
	for range 100 {
		o := NewOut()
		require.Zero(t, o.W)
		r := Regs{Fn: c.out(), A: [MaxRegs]uintptr{o.Word(2), 42}}
		require.Zero(t, r.Call())
		require.EqualValues(t, 42, *(*uint64)(o.At(2)))
		o.Free(3)
	}
}

func TestCallsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool drop objects on purpose")
	}
	rc := c.rc()
	for name, call := range map[string]func(){
		"regs":  func() { r := Regs{Fn: rc, A: [MaxRegs]uintptr{600}}; r.Call() },
		"words": func() { w := Words{Fn: rc, A: [MaxWords]uintptr{600}}; w.Call() },
		"frame": func() { f := New(rc); f.Int(600); f.Call(); f.Free() },
		"out":   func() { NewOut().Free(1) },
	} {
		t.Run(name, func(t *testing.T) {
			base := testing.AllocsPerRun(
				100,
				func() { r := Regs{Fn: rc, A: [MaxRegs]uintptr{0}}; r.Call() },
			) // what the callback itself allocates
			assert.LessOrEqual(t, testing.AllocsPerRun(100, call), base)
		})
	}
}

func TestStrings(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", "a", "grüße", "seven..", "eight...",
		"a longer text that spans words"} {
		p, err := CString(s)
		require.NoError(t, err)
		assert.Equal(t, s, GoString(unsafe.Pointer(p)))
	}
	_, err := CString("a\x00b")
	assert.ErrorIs(t, err, ErrNUL)
	assert.Empty(t, GoString(nil))
}

// The assembly repeats this number.
func TestStackWordsMatchTheTrampoline(t *testing.T) {
	t.Parallel()
	assert.EqualValues(t, 384, stackWords*8)
}
