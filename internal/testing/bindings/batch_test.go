package bindings_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// batch and params are the types of these names in cudrv and hip.
type batch interface {
	Run() error
	Len() int
	Reset()
}

type params interface {
	Len() int
	Pointers() *unsafe.Pointer
	Free()
}

// batching is one vendor's part of the tests of batches and of launch parameters.
type batching struct {
	lib                         *dl.Library
	launchKernel, record, graph string // C functions
	newBatch                    func() batch
	newParams, none, other      func() params
	four                        func(p params, n uint64)    // a launch reads them as n to n+3
	launch                      func(*unsafe.Pointer) error // with 1 to 9
	addLaunch                   func(b batch, f uint32, p params)
	addRecord, addGraph         func(b batch, e uint64)
	addAll                      func(b batch, p params)
	all                         func() []error
	words                       map[string]int // that the functions of all have
	missing, invalid            error
	failure                     error // of the fourth of six records
	text                        string
	failed                      func(err error) (index int, call string)
}

// arena is device memory in the tests.
var arena [2]uint64

// vendors run the same tests.
var vendors = map[string]batching{
	"cudrv": {
		lib: &libs.CUDA, launchKernel: "cuLaunchKernel", record: "cuEventRecord",
		graph:     "cuGraphLaunch",
		newBatch:  func() batch { return new(cudrv.Batch) },
		newParams: func() params { return cudrv.NewParams() },
		none:      func() params { return new(cudrv.Params) },
		other: func() params {
			return new(cudrv.Params).Float32(1.5).Float64(2.5).Int64(-1).Bytes([]byte{1, 2, 3}).
				Deviceptr(cudrv.Deviceptr(uintptr(unsafe.Pointer(&arena[1]))))
		},
		four: func(p params, n uint64) {
			p.(*cudrv.Params).Reset().Deviceptr(cudrv.Deviceptr(n)).Uint32(uint32(n) + 1).
				Uint64(n + 2).Int32(int32(n) + 3)
		},
		launch: func(p *unsafe.Pointer) error {
			return cudrv.LaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 9, p, nil)
		},
		addLaunch: func(b batch, f uint32, p params) {
			l, _ := p.(*cudrv.Params)
			b.(*cudrv.Batch).LaunchKernel(cudrv.Function(f), 1, 1, 1, 1, 1, 1, 0, 2, l)
		},
		addRecord: func(b batch, e uint64) { b.(*cudrv.Batch).EventRecord(cudrv.Event(e), 7) },
		addGraph:  func(b batch, e uint64) { b.(*cudrv.Batch).GraphLaunch(cudrv.GraphExec(e), 4) },
		addAll: func(all batch, p params) {
			b, d1, d2 := all.(*cudrv.Batch), cudrv.Deviceptr(0x1000), cudrv.Deviceptr(0x2000)
			b.GraphLaunch(11, 12)
			b.EventRecord(13, 14)
			b.StreamWaitEvent(15, 16, cudrv.EventWaitExternal)
			b.MemcpyAsync(d1, d2, 1<<40, 17)
			b.MemcpyDtoDAsync(d1, d2, 1<<41, 18)
			b.MemsetD8Async(d1, 0xfe, 19, 20)
			b.MemsetD32Async(d2, 0xfedcba98, 21, 22)
			b.LaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 9, p.(*cudrv.Params))
		},
		all: func() []error {
			d1, d2 := cudrv.Deviceptr(0x1000), cudrv.Deviceptr(0x2000)
			return []error{
				cudrv.GraphLaunch(11, 12),
				cudrv.EventRecord(13, 14),
				cudrv.StreamWaitEvent(15, 16, cudrv.EventWaitExternal),
				cudrv.MemcpyAsync(d1, d2, 1<<40, 17),
				cudrv.MemcpyDtoDAsync(d1, d2, 1<<41, 18),
				cudrv.MemsetD8Async(d1, 0xfe, 19, 20),
				cudrv.MemsetD32Async(d2, 0xfedcba98, 21, 22),
			}
		},
		words: map[string]int{"cuGraphLaunch": 2, "cuEventRecord": 2, "cuStreamWaitEvent": 3,
			"cuMemcpyAsync": 4, "cuMemcpyDtoDAsync_v2": 4, "cuMemsetD8Async": 4, "cuMemsetD32Async": 4},
		missing: cudrv.ErrSymbolNotFound, invalid: cudrv.ErrInvalidHandle,
		failure: &cudrv.BatchError{Index: 3, Len: 6, Call: "cuEventRecord", Made: true,
			Err: &cudrv.CallError{Function: "cuEventRecord", Result: cudrv.ErrInvalidHandle}},
		text: "cudrv: cuEventRecord: ErrInvalidHandle (400): ",
		failed: func(err error) (int, string) {
			e := err.(*cudrv.BatchError)
			return e.Index, e.Call
		},
	},
	"hip": {
		lib: &libs.HIP, launchKernel: "hipModuleLaunchKernel", record: "hipEventRecord",
		graph:     "hipGraphLaunch",
		newBatch:  func() batch { return new(hip.Batch) },
		newParams: func() params { return hip.NewParams() },
		none:      func() params { return new(hip.Params) },
		other: func() params {
			return new(hip.Params).Float32(1.5).Float64(2.5).Int64(-1).Bytes([]byte{1, 2, 3}).
				Deviceptr(hip.Deviceptr(&arena[1]))
		},
		four: func(p params, n uint64) {
			p.(*hip.Params).Reset().Uint64(n).Uint32(uint32(n) + 1).Uint64(n + 2).Int32(int32(n) + 3)
		},
		launch: func(p *unsafe.Pointer) error {
			return hip.ModuleLaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 9, p, nil)
		},
		addLaunch: func(b batch, f uint32, p params) {
			l, _ := p.(*hip.Params)
			b.(*hip.Batch).ModuleLaunchKernel(hip.Function(f), 1, 1, 1, 1, 1, 1, 0, 2, l)
		},
		addRecord: func(b batch, e uint64) { b.(*hip.Batch).EventRecord(hip.Event(e), 7) },
		addGraph:  func(b batch, e uint64) { b.(*hip.Batch).GraphLaunch(hip.GraphExec(e), 4) },
		addAll: func(all batch, p params) {
			b, d1, d2 := all.(*hip.Batch), hip.Deviceptr(&arena[0]), hip.Deviceptr(&arena[1])
			b.GraphLaunch(11, 12)
			b.EventRecord(13, 14)
			b.StreamWaitEvent(15, 16, hip.EventWaitExternal)
			b.MemcpyDtoDAsync(d1, d2, 1<<41, 18)
			b.MemsetD8Async(d1, 0xfe, 19, 20)
			b.MemsetD32Async(d2, -5, 21, 22)
			b.ModuleLaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 9, p.(*hip.Params))
		},
		all: func() []error {
			d1, d2 := hip.Deviceptr(&arena[0]), hip.Deviceptr(&arena[1])
			return []error{
				hip.GraphLaunch(11, 12),
				hip.EventRecord(13, 14),
				hip.StreamWaitEvent(15, 16, hip.EventWaitExternal),
				hip.MemcpyDtoDAsync(d1, d2, 1<<41, 18),
				hip.MemsetD8Async(d1, 0xfe, 19, 20),
				hip.MemsetD32Async(d2, -5, 21, 22),
			}
		},
		words: map[string]int{"hipGraphLaunch": 2, "hipEventRecord": 2, "hipStreamWaitEvent": 3,
			"hipMemcpyDtoDAsync": 4, "hipMemsetD8Async": 4, "hipMemsetD32Async": 4},
		missing: hip.ErrSymbolNotFound, invalid: hip.ErrInvalidHandle,
		failure: &hip.BatchError{Index: 3, Len: 6, Call: "hipEventRecord", Made: true,
			Err: &hip.CallError{Function: "hipEventRecord", Result: hip.ErrInvalidHandle}},
		text: "hip: hipEventRecord: ErrInvalidHandle (400): ",
		failed: func(err error) (int, string) {
			e := err.(*hip.BatchError)
			return e.Index, e.Call
		},
	},
}

// onVendors runs a test for each vendor.
func onVendors(t *testing.T, f func(*testing.T, batching)) {
	for name, v := range vendors {
		t.Run(name, func(t *testing.T) { f(t, v) })
	}
}

// launched has an entry for each launch: the first nine words, extra and four parameters.
var launched [][]uint64

// launchKernel is a C function with the prototype of a launch. It grows the stack of the goroutine
// that called into C before it reads.
var launchKernel = purego.NewCallback(func(f, gx, gy, gz, bx, by, bz, shared, stream uintptr,
	params *[4]unsafe.Pointer, extra uintptr) uintptr {
	growStack(256)
	runtime.GC()
	var got []uint64
	for _, w := range []uintptr{f, gx, gy, gz, bx, by, bz, shared, stream, extra} {
		got = append(got, uint64(w))
	}
	if params != nil {
		got = append(got, *(*uint64)(params[0]), uint64(*(*uint32)(params[1])),
			*(*uint64)(params[2]), uint64(*(*uint32)(params[3])))
	}
	launched = append(launched, got)
	return 0
})

//go:noinline
func growStack(n int) byte {
	var pad [1024]byte
	if n == 0 {
		return pad[0]
	}
	pad[n%1024] = growStack(n - 1)
	return pad[(n+1)%1024]
}

func TestParamsOfALaunch(t *testing.T) {
	onVendors(t, func(t *testing.T, v batching) {
		fake.New("launches").Install(t, v.lib).Address(v.launchKernel, launchKernel)
		launched = nil
		p := v.newParams()
		defer p.Free()
		for n := range uint64(3) {
			v.four(p, 10*n)
			require.NoError(t, v.launch(p.Pointers()))
			want := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 10 * n, 10*n + 1, 10*n + 2, 10*n + 3}
			require.Equal(t, want, launched[n])
		}
		assert.Equal(t, 4, p.Len())
		require.NoError(t, v.launch(v.none().Pointers()))
		assert.Len(t, launched[3], 10, "without parameters")
	})
}

func TestParamsOfOtherTypes(t *testing.T) {
	onVendors(t, func(t *testing.T, v batching) {
		at := unsafe.Slice(v.other().Pointers(), 5)
		assert.InDelta(t, 1.5, *(*float32)(at[0]), 0)
		assert.InDelta(t, 2.5, *(*float64)(at[1]), 0)
		assert.EqualValues(t, -1, *(*int64)(at[2]))
		assert.Equal(t, [3]byte{1, 2, 3}, *(*[3]byte)(at[3]))
		assert.Equal(t, unsafe.Pointer(&arena[1]), *(*unsafe.Pointer)(at[4]))
	})
}

// A batch passes the same arguments as the functions, in one order.
func TestBatchPassesTheArgumentsOfFunctions(t *testing.T) {
	onVendors(t, func(t *testing.T, v batching) {
		lib := fake.New("batches").Install(t, v.lib)
		for symbol := range v.words {
			lib.Handle(symbol, func(fake.Args) int32 { return 0 })
		}
		lib.Address(v.launchKernel, launchKernel)
		launched = nil
		b, p := v.newBatch(), v.newParams()
		require.NoError(t, b.Run(), "an empty batch")
		v.four(p, 20)
		v.addAll(b, p)
		require.NoError(t, b.Run())
		inBatch := lib.Calls()
		require.Len(t, inBatch, len(v.words))
		require.Len(t, inBatch, b.Len()-1)
		for _, err := range append(v.all(), v.launch(p.Pointers())) {
			require.NoError(t, err)
		}
		for i, c := range lib.Calls()[len(inBatch):] {
			n := v.words[c.Symbol] // words after the last argument are arbitrary
			assert.Equal(t, c.Symbol, inBatch[i].Symbol)
			assert.Equal(t, c.Args[:n], inBatch[i].Args[:n], c.Symbol)
		}
		require.Len(t, launched, 2)
		assert.Equal(t, launched[0], launched[1])
	})
}

func TestBatchStopsAtTheFirstFailure(t *testing.T) {
	onVendors(t, func(t *testing.T, v batching) {
		lib := fake.New("failures").Install(t, v.lib)
		code := int32(0)
		lib.Handle(v.record, func(a fake.Args) int32 {
			if a[0] == 3 {
				return code
			}
			return 0
		})
		b := v.newBatch()
		for e := range uint64(6) {
			v.addRecord(b, e)
		}
		made := func() int { return len(lib.Calls()) }
		require.NoError(t, b.Run())
		require.Equal(t, 6, made())
		code = 400
		err := b.Run()
		require.Equal(t, 10, made(), "no call after the failure")
		assert.ErrorIs(t, err, v.invalid)
		assert.Equal(t, v.failure, err)
		assert.ErrorContains(t, err, "call 3 of a batch of 6: "+v.text)
		assert.ErrorContains(t, err, "the 3 before it took effect, the 2 behind it were not made")
		code = 0
		require.NoError(t, b.Run(), "it may run again")
		require.Equal(t, 16, made())
	})
}

func TestBatchWithoutAFunctionCallsNothing(t *testing.T) {
	onVendors(t, func(t *testing.T, v batching) {
		lib := fake.New("nothing of graphs").Install(t, v.lib)
		lib.Handle(v.record, func(fake.Args) int32 { return 0 })
		b := v.newBatch()
		v.addRecord(b, 1)
		v.addGraph(b, 3)
		v.addRecord(b, 5)
		for range 2 {
			err := b.Run()
			require.ErrorIs(t, err, v.missing)
			index, call := v.failed(err)
			assert.Equal(t, 1, index)
			assert.Equal(t, v.graph, call)
			assert.ErrorContains(t, err, "none of its calls was made")
			assert.Empty(t, lib.Calls())
		}
		b.Reset()
		assert.Zero(t, b.Len())
		v.addRecord(b, 1)
		require.NoError(t, b.Run())
		assert.Len(t, lib.Calls(), 1)
	})
}

// A batch has its own copies of parameters, even if the originals change, and none of the
// parameters that it had before a reset.
func TestBatchOfLaunches(t *testing.T) {
	onVendors(t, func(t *testing.T, v batching) {
		fake.New("launches").Install(t, v.lib).Address(v.launchKernel, launchKernel)
		b, p := v.newBatch(), v.newParams()
		for round := range uint64(2) {
			launched = nil
			b.Reset()
			for n := range uint64(100) {
				v.four(p, round*1000+10*n)
				v.addLaunch(b, uint32(n)+1, p)
			}
			v.addLaunch(b, 200, nil)
			v.four(p, 77)
			require.NoError(t, b.Run())
			require.Len(t, launched, 101)
			for n, l := range launched[:100] {
				x := round*1000 + 10*uint64(n)
				want := []uint64{uint64(n) + 1, 1, 1, 1, 1, 1, 1, 0, 2, 0, x, x + 1, x + 2, x + 3}
				require.Equal(t, want, l)
			}
		}
		p.Free()
	})
}
