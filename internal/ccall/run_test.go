package ccall

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listC holds the C-callable functions of the tests of lists.
var listC = struct {
	note   func() uintptr // notes its first argument and returns its second
	notePs func() uintptr // notes the first, writes the third to the second, returns the fourth
	all    func() uintptr // notes all sixteen
	inside func() uintptr // runs another list
}{
	note: sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(id, code uintptr) uintptr {
			rec.got = append(rec.got, id)
			return code
		})
	}),
	notePs: sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(id uintptr, p *uint32, v, code uintptr) uintptr {
			rec.got = append(rec.got, id)
			*p = uint32(v)
			return code
		})
	}),
	all: sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(a, b, c_, d, e, f, g, h, i, j, k, l, m, n, o, p uintptr) uintptr {
			rec.got = append(rec.got, a, b, c_, d, e, f, g, h, i, j, k, l, m, n, o, p)
			return 0
		})
	}),
	inside: sync.OnceValue(func() uintptr {
		return purego.NewCallback(func(p *uint64, v uintptr) uintptr {
			grow(256)
			out, steps := NewOut(), make([]Step, 2)
			defer out.Free(1)
			steps[0].Set(c.out(), out.Word(0), v)
			steps[1].Set(c.out(), uintptr(unsafe.Pointer(p)), v+1)
			if !Run(steps) || out.W[0] != uint64(v) {
				return 1
			}
			runtime.GC()
			return 0
		})
	}),
}

// byHand makes a step's call in its own crossing.
func byHand(s *Step) int32 {
	w := Words{Fn: s.Fn, A: s.A}
	return w.Call()
}

// runners are the target's own way to run a list, and the one that defines what a run does.
var runners = map[string]func([]Step) bool{
	"own":  Run,
	"loop": func(steps []Step) bool { return runEach(steps, byHand) },
}

// eachRunner runs f with each of them; what the steps noted is empty at first.
func eachRunner(t *testing.T, f func(t *testing.T, run func([]Step) bool)) {
	t.Helper()
	rec.Lock()
	defer rec.Unlock()
	for name, run := range runners {
		t.Run(name, func(t *testing.T) {
			rec.got = nil
			f(t, run)
		})
	}
}

func states(steps []Step) (all []State) {
	for i := range steps {
		all = append(all, steps[i].State)
	}
	return all
}

func TestListStopsAtTheFirstFailure(t *testing.T) {
	note := listC.note()
	for _, tt := range []struct {
		name   string
		codes  []uintptr
		made   []uintptr
		states []State
		failed int
	}{
		{"none fails", []uintptr{0, 0, 0}, []uintptr{0, 1, 2},
			[]State{Succeeded, Succeeded, Succeeded}, -1},
		{"the first", []uintptr{600, 0, 0}, []uintptr{0},
			[]State{Failed, Skipped, Skipped}, 0},
		{"one between", []uintptr{0, 700, 1}, []uintptr{0, 1},
			[]State{Succeeded, Failed, Skipped}, 1},
		{"the last", []uintptr{0, 0, 1}, []uintptr{0, 1, 2},
			[]State{Succeeded, Succeeded, Failed}, 2},
		{"only 32 bits count", []uintptr{1 << 32, 0x8000_0000, 0}, []uintptr{0, 1},
			[]State{Succeeded, Failed, Skipped}, 1},
		{"no steps", nil, nil, nil, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachRunner(t, func(t *testing.T, run func([]Step) bool) {
				steps := make([]Step, len(tt.codes))
				for i, code := range tt.codes {
					steps[i].Set(note, uintptr(i), code)
					steps[i].State, steps[i].Code = 77, 77 // what an earlier run may have left
				}
				for range 2 { // a list may be run again
					rec.got = nil
					assert.Equal(t, tt.failed < 0, run(steps))
					assert.Equal(t, tt.made, rec.got)
					assert.Equal(t, tt.states, states(steps))
					assert.Equal(t, tt.failed, FirstFailed(steps))
					if tt.failed >= 0 {
						assert.Equal(t, int32(tt.codes[tt.failed]), steps[tt.failed].Code)
					}
				}
			})
		})
	}
}

func TestListPassesEveryWord(t *testing.T) {
	for n := range MaxWords + 1 {
		eachRunner(t, func(t *testing.T, run func([]Step) bool) {
			var words []uintptr
			for i := range n {
				words = append(words, pattern(i))
			}
			steps := make([]Step, 2)
			steps[0].Set(listC.note(), 99, 0)
			steps[1].Set(listC.all(), words...)
			require.True(t, run(steps))
			require.Equal(t, append([]uintptr{99}, words...), rec.got[:n+1])
			for i := n; i < MaxRegs; i++ {
				require.Zero(t, rec.got[i+1])
			}
		})
	}
}

func TestGuards(t *testing.T) {
	for _, tt := range []struct {
		name       string
		current    uintptr
		failing    int // the step that fails; -1 for none
		made       []uintptr
		restored   uintptr // what the last steps got
		wantStates []State
	}{
		{"another one is current", 5, -1, []uintptr{0, 1, 2, 5}, 5,
			[]State{Succeeded, Succeeded, Succeeded, Succeeded, Skipped}},
		{"the right one is current", 9, -1, []uintptr{0, 2}, 0,
			[]State{Succeeded, Skipped, Succeeded, Skipped, Skipped}},
		{"it can't be told", 5, 0, []uintptr{0}, 0,
			[]State{Failed, Skipped, Skipped, Skipped, Skipped}},
		{"it can't be set", 5, 1, []uintptr{0, 1}, 0,
			[]State{Succeeded, Failed, Skipped, Skipped, Skipped}},
		{"the call fails", 5, 2, []uintptr{0, 1, 2, 5}, 5,
			[]State{Succeeded, Succeeded, Failed, Succeeded, Skipped}},
		{"the call fails in the right one", 9, 2, []uintptr{0, 2}, 0,
			[]State{Succeeded, Skipped, Failed, Skipped, Skipped}},
		{"it can't be restored at once", 5, 3, []uintptr{0, 1, 2, 5, 5}, 5,
			[]State{Succeeded, Succeeded, Succeeded, Failed, Succeeded}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachRunner(t, func(t *testing.T, run func([]Step) bool) {
				const mine = 9
				code := func(i int) uintptr {
					if i == tt.failing {
						return 201
					}
					return 0
				}
				steps := make([]Step, 5)
				previous := new(uintptr)
				steps[0].Set(listC.notePs(), 0, Ptr(unsafe.Pointer(previous)), tt.current, code(0))
				set := steps[1].SetShort(listC.note(), 1, code(1), 0).Unless(previous, mine)
				steps[2].SetShort(listC.note(), 2, code(2), 0)
				restore := steps[3].SetShort(listC.note(), tt.current, code(3), 0).After(set, Succeeded)
				steps[4].SetShort(listC.note(), tt.current, 0, 0).After(restore, Failed)
				for range 2 {
					rec.got = nil
					assert.Equal(t, tt.failing < 0, run(steps))
					assert.Equal(t, tt.made, rec.got)
					assert.Equal(t, tt.wantStates, states(steps))
				}
			})
		})
	}
}

func TestResultBecomesArgument(t *testing.T) {
	eachRunner(t, func(t *testing.T, run func([]Step) bool) {
		steps := make([]Step, 2)
		user := steps[1].Set(listC.note(), 0, 0)
		steps[0].Set(listC.notePs(), 1, Ptr(unsafe.Pointer(&user.A[0])), 0xfeedface, 0)
		require.True(t, run(steps))
		assert.Equal(t, []uintptr{1, 0xfeedface}, rec.got)
	})
}

// Random lists do the same on every way.
func TestRandomLists(t *testing.T) {
	rec.Lock()
	defer rec.Unlock()
	note, notePs := listC.note(), listC.notePs()
	random := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		n := 1 + random.IntN(40)
		seed := random.Uint64()
		type outcome struct {
			ok     bool
			made   []uintptr
			states []State
			codes  []int32
			words  [4]uintptr
		}
		try := func(run func([]Step) bool) (o outcome) {
			random := rand.New(rand.NewPCG(seed, 3))
			rec.got = nil
			steps, words := make([]Step, n), new([4]uintptr)
			for i := range steps {
				s, code := &steps[i], uintptr(0)
				if random.IntN(8) == 0 {
					code = uintptr(1 + random.IntN(3))
				}
				if random.IntN(2) == 0 {
					s.Set(note, uintptr(i), code)
				} else {
					at := Ptr(unsafe.Pointer(&words[random.IntN(4)]))
					s.Set(notePs, uintptr(i), at, uintptr(random.IntN(3)), code)
				}
				switch random.IntN(5) {
				case 0:
					s.When(&words[random.IntN(4)], uintptr(random.IntN(3)))
				case 1:
					s.Unless(&words[random.IntN(4)], uintptr(random.IntN(3)))
				case 2:
					s.After(&steps[random.IntN(i+1)], State(random.IntN(3)))
				case 3:
					s.Always = 1
				}
			}
			o.ok = run(steps)
			o.made, o.states, o.words = rec.got, states(steps), *words
			for _, s := range steps {
				o.codes = append(o.codes, s.Code)
			}
			return o
		}
		require.Equal(t, try(runners["loop"]), try(Run), "seed %d", seed)
	}
}

// Callbacks that grow and move the goroutine's stack, collect garbage and run other lists, between
// the calls of a list.
func TestCallbacksInsideAList(t *testing.T) {
	const goroutines, calls = 8, 20
	deep, inside := c.deep(), listC.inside()
	var wg sync.WaitGroup
	failures := make(chan string, 4*goroutines*calls)
	for g := range goroutines {
		wg.Go(func() {
			for i := range calls {
				base := uintptr(g*1000 + i)
				out := NewOut()
				steps := make([]Step, 4)
				for k := range 2 {
					steps[2*k].Set(deep, out.Word(6*k), out.Word(6*k+1), out.Word(6*k+2), out.Word(6*k+3),
						out.Word(6*k+4), out.Word(6*k+5), base+uintptr(100*k), 0)
				}
				steps[1].Set(inside, out.Word(12), base)
				steps[3].Set(inside, out.Word(13), base+7)
				if !Run(steps) {
					failures <- "a step failed"
				}
				for k := range 12 {
					if out.W[k] != uint64(base)+uint64(100*(k/6)+k%6) {
						failures <- "an out slot is wrong"
					}
				}
				if out.W[12] != uint64(base+1) || out.W[13] != uint64(base+8) {
					failures <- "a list inside a list went wrong"
				}
				out.Free(14)
			}
		})
	}
	wg.Wait()
	close(failures)
	for f := range failures {
		assert.Fail(t, f)
	}
}

func TestListsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool drop objects on purpose")
	}
	rc := c.rc()
	// What the callback itself allocates.
	one := testing.AllocsPerRun(100, func() { r := Regs{Fn: rc}; r.Call() })
	steps := make([]Step, 2)
	list := testing.AllocsPerRun(100, func() {
		steps[0].Set(rc, 0, 1, 2, 3, 4, 5, 6, 7, 8)
		steps[1].SetShort(rc, 0, 0, 0).After(&steps[0], Succeeded)
		Run(steps)
	})
	assert.LessOrEqual(t, list, 2*one)
}

// The trampolines know the states as numbers, and the assembly on arm64 how many words it passes on
// the stack.
func TestNumbersInTheAssembly(t *testing.T) {
	t.Parallel()
	assert.EqualValues(t, []State{0, 1, 2}, []State{Skipped, Succeeded, Failed})
	assert.Equal(t, 16, MaxWords)
	assert.Equal(t, 6, MaxRegs)
}
