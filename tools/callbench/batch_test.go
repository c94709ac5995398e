//go:build cgo

package main

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/ccall"
)

// oneWay is one way to make some calls.
type oneWay struct {
	name string
	f    func() error
}

// batchRig are the calls in every way, on C functions with next to nothing inside.
type batchRig struct {
	get, set, record, capturing uintptr
}

func newBatchRig(tb testing.TB) *batchRig {
	tb.Helper()
	tb.Cleanup(install())
	return &batchRig{
		get:       symbol("cuCtxGetCurrent"),
		set:       symbol("cuCtxSetCurrent"),
		record:    symbol("cuEventRecord"),
		capturing: symbol("cuStreamIsCapturing"),
	}
}

// records are n records.
func (r *batchRig) records(n int) []oneWay {
	repeat := func(f func() error) func() error { return func() error { return loop(n, f) } }
	var filled, anew cudrv.Batch
	fill := func(b *cudrv.Batch) {
		for range n {
			b.EventRecord(1, 2)
		}
	}
	fill(&filled)
	return []oneWay{
		{"C", func() error { return loopRecord(n, 1, 2) }},
		{"cgo", repeat(func() error { return cgoEventRecord(1, 2) })},
		{"cudrv", repeat(func() error { return cudrv.EventRecord(1, 2) })},
		{"batch", filled.Run},
		{"batch filled anew", func() error {
			anew.Reset()
			fill(&anew)
			return anew.Run()
		}},
	}
}

// launches are n launches with four parameters.
func (r *batchRig) launches(n int) []oneWay {
	repeat := func(f func() error) func() error { return func() error { return loop(n, f) } }
	var b cudrv.Batch
	p, each := cudrv.NewParams(), cudrv.NewParams()
	add := func(p *cudrv.Params) *cudrv.Params {
		a, b, count, factor := arguments()
		return p.Reset().Uint64(a).Uint64(b).Int32(count).Float32(factor)
	}
	return []oneWay{
		{"cgo", repeat(func() error {
			a, b, count, factor := arguments()
			return cgoLaunchAny(kernel, launchStream, []unsafe.Pointer{unsafe.Pointer(&a),
				unsafe.Pointer(&b), unsafe.Pointer(&count), unsafe.Pointer(&factor)})
		})},
		{"cudrv", repeat(launchByHand)},
		{"cudrv, Params", repeat(func() error {
			return cudrv.LaunchKernel(kernel, 1, 2, 3, 4, 5, 6, 7, launchStream,
				add(each).Pointers(), nil)
		})},
		{"batch filled anew", func() error {
			b.Reset()
			for range n {
				b.LaunchKernel(kernel, 1, 2, 3, 4, 5, 6, 7, launchStream, add(p))
			}
			return b.Run()
		}},
	}
}

// inside is a record in a context of its own: get current, set, record, restore.
func (r *batchRig) inside() []oneWay {
	steps := make([]ccall.Step, 4)
	return []oneWay{
		{"cgo", func() error { return cgoInside(5, 1, 2) }},
		{"cudrv", func() error {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			theirs, err := cudrv.CtxGetCurrent()
			if err != nil {
				return err
			}
			if err = cudrv.CtxSetCurrent(5); err != nil {
				return err
			}
			err = cudrv.EventRecord(1, 2)
			if restored := cudrv.CtxSetCurrent(theirs); err == nil {
				err = restored
			}
			return err
		}},
		{"list", func() error {
			get, set, record, back := &steps[0], &steps[1], &steps[2], &steps[3]
			get.SetShort(r.get, ccall.Ptr(unsafe.Pointer(&back.A[0])), 0, 0)
			set.SetShort(r.set, 5, 0, 0).Unless(&back.A[0], 5)
			record.SetShort(r.record, 1, 2, 0)
			back.SetShort(r.set, 0, 0, 0).After(set, ccall.Succeeded)
			return codeOf(code(ccall.Run(steps)))
		}},
	}
}

// asking is a record on a stream that may be captured.
func (r *batchRig) asking() []oneWay {
	steps := make([]ccall.Step, 3)
	return []oneWay{
		{"cgo", func() error { return cgoAsk(1, 2) }},
		{"cudrv", func() error {
			status, err := cudrv.StreamIsCapturing(2)
			if err != nil || status != cudrv.StreamCaptureStatusNone {
				return err
			}
			return cudrv.EventRecord(1, 2)
		}},
		{"list", func() error {
			status := &steps[2].A[0] // of a step that is not run
			*status = 0
			steps[0].SetShort(r.capturing, 2, ccall.Ptr(unsafe.Pointer(status)), 0)
			steps[1].SetShort(r.record, 1, 2, 0).When(status, 0)
			return codeOf(code(ccall.Run(steps[:2])))
		}},
	}
}

func code(ok bool) int32 {
	if ok {
		return 0
	}
	return 1
}

// groups are what is compared, and how many calls each is.
func (r *batchRig) groups() (names []string, ways [][]oneWay, calls []int) {
	add := func(name string, n int, w []oneWay) {
		names, ways, calls = append(names, name), append(ways, w), append(calls, n)
	}
	for _, n := range []int{1, 2, 5, 10, 20, 50, 100} {
		add(fmt.Sprintf("record/n=%d", n), n, r.records(n))
	}
	for _, n := range []int{1, 10, 100} {
		add(fmt.Sprintf("launch/n=%d", n), n, r.launches(n))
	}
	add("inside a context", 1, r.inside())
	add("capture question and record", 1, r.asking())
	return names, ways, calls
}

func BenchmarkBatch(b *testing.B) {
	names, ways, calls := newBatchRig(b).groups()
	for i, name := range names {
		for _, w := range ways[i] {
			b.Run(name+"/way="+w.name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := w.f(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*calls[i]), "ns/call")
			})
		}
	}
}

// TestBatchCost compares the ways in one run: short alternating rounds, of which noise can only
// lengthen some. The ratios are what counts.
func TestBatchCost(t *testing.T) {
	rounds := 61
	if testing.Short() {
		rounds = 11
	}
	names, ways, calls := newBatchRig(t).groups()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			took := make([][]float64, len(ways[i]))
			repeats := 20_000/calls[i] + 1
			for range rounds {
				for k, w := range ways[i] {
					began := time.Now()
					for range repeats {
						if err := w.f(); err != nil {
							t.Fatalf("%s: %v", w.name, err)
						}
					}
					ns := float64(time.Since(began).Nanoseconds())
					took[k] = append(took[k], ns/float64(repeats*calls[i]))
				}
			}
			cgo := 0.0
			for k, w := range ways[i] {
				slices.Sort(took[k])
				if w.name == "cgo" {
					cgo = took[k][0]
				}
			}
			for k, w := range ways[i] {
				t.Logf("%-18s %7.1f ns a call at best, %7.1f in the middle, %.2f of cgo",
					w.name, took[k][0], took[k][rounds/2], took[k][0]/cgo)
			}
			last := took[len(took)-1][0]
			if calls[i] >= 10 && last > cgo {
				t.Errorf("a batch of %d costs %.1f ns a call, cgo %.1f", calls[i], last, cgo)
			}
		})
	}
}

// launchByHand is a launch with pointers to Go variables.
func launchByHand() error {
	a, b, count, factor := arguments()
	at := [4]unsafe.Pointer{
		unsafe.Pointer(&a), unsafe.Pointer(&b), unsafe.Pointer(&count), unsafe.Pointer(&factor)}
	return cudrv.LaunchKernel(kernel, 1, 2, 3, 4, 5, 6, 7, launchStream, &at[0], nil)
}
