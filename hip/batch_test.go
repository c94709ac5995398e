package hip_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// launched is what the launches of the tests got: the first nine words, and four parameters.
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

// arena is what device memory is in the tests.
var arena [2]uint64

//go:noinline
func growStack(n int) byte {
	var pad [1024]byte
	if n == 0 {
		return pad[0]
	}
	pad[n%1024] = growStack(n - 1)
	return pad[(n+1)%1024]
}

// fourParams are parameters that a launch reads as n, n+1, n+2, n+3.
func fourParams(p *hip.Params, n uint64) *hip.Params {
	return p.Uint64(n).Uint32(uint32(n) + 1).Uint64(n + 2).Int32(int32(n) + 3)
}

func TestParamsOfALaunch(t *testing.T) {
	fake.New("launches").Install(t, &libs.HIP).Address("hipModuleLaunchKernel", launchKernel)
	launched = nil
	p := hip.NewParams()
	defer p.Free()
	for n := range uint64(3) {
		require.NoError(t, hip.ModuleLaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 9,
			fourParams(p.Reset(), 10*n).Pointers(), nil))
		want := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 10 * n, 10*n + 1, 10*n + 2, 10*n + 3}
		require.Equal(t, want, launched[n])
	}
	assert.Equal(t, 4, p.Len())
	var none hip.Params
	require.NoError(t, hip.ModuleLaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 9, none.Pointers(), nil))
	assert.Len(t, launched[3], 10, "without parameters")
}

func TestParamsOfOtherTypes(t *testing.T) {
	t.Parallel()
	var p hip.Params
	p.Float32(1.5).Float64(2.5).Int64(-1).Bytes([]byte{1, 2, 3}).Deviceptr(hip.Deviceptr(&arena[1]))
	at := unsafe.Slice(p.Pointers(), 5)
	assert.Equal(t, unsafe.Pointer(&arena[1]), *(*unsafe.Pointer)(at[4]))
	assert.InDelta(t, 1.5, *(*float32)(at[0]), 0)
	assert.InDelta(t, 2.5, *(*float64)(at[1]), 0)
	assert.EqualValues(t, -1, *(*int64)(at[2]))
	assert.Equal(t, [3]byte{1, 2, 3}, *(*[3]byte)(at[3]))
}

// A batch passes what the functions pass, in one order.
func TestBatchPassesWhatFunctionsPass(t *testing.T) {
	lib := fake.New("batches").Install(t, &libs.HIP)
	used := map[string]int{
		"hipGraphLaunch":     2,
		"hipEventRecord":     2,
		"hipStreamWaitEvent": 3,
		"hipMemcpyDtoDAsync": 4,
		"hipMemsetD8Async":   4,
		"hipMemsetD32Async":  4,
	}
	for symbol := range used {
		lib.Handle(symbol, func(fake.Args) int32 { return 0 })
	}
	lib.Address("hipModuleLaunchKernel", launchKernel)
	launched = nil
	d1, d2 := hip.Deviceptr(&arena[0]), hip.Deviceptr(&arena[1])
	var b hip.Batch
	require.NoError(t, b.Run(), "an empty batch")
	b.GraphLaunch(11, 12)
	b.EventRecord(13, 14)
	b.StreamWaitEvent(15, 16, hip.EventWaitExternal)
	b.MemcpyDtoDAsync(d1, d2, 1<<41, 18)
	b.MemsetD8Async(d1, 0xfe, 19, 20)
	b.MemsetD32Async(d2, -5, 21, 22)
	b.ModuleLaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 9, fourParams(hip.NewParams(), 20))
	require.NoError(t, b.Run())
	inBatch := lib.Calls()
	require.Len(t, inBatch, b.Len()-1)
	alone := len(inBatch)
	for _, err := range []error{
		hip.GraphLaunch(11, 12),
		hip.EventRecord(13, 14),
		hip.StreamWaitEvent(15, 16, hip.EventWaitExternal),
		hip.MemcpyDtoDAsync(d1, d2, 1<<41, 18),
		hip.MemsetD8Async(d1, 0xfe, 19, 20),
		hip.MemsetD32Async(d2, -5, 21, 22),
		hip.ModuleLaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 9,
			fourParams(hip.NewParams(), 20).Pointers(), nil),
	} {
		require.NoError(t, err)
	}
	for i, c := range lib.Calls()[alone:] {
		n := used[c.Symbol] // words after the last argument are arbitrary
		assert.Equal(t, c.Symbol, inBatch[i].Symbol)
		assert.Equal(t, c.Args[:n], inBatch[i].Args[:n], c.Symbol)
	}
	require.Len(t, launched, 2)
	assert.Equal(t, launched[0], launched[1])
}

func TestBatchStopsAtTheFirstFailure(t *testing.T) {
	lib := fake.New("failures").Install(t, &libs.HIP)
	code := int32(0)
	lib.Handle("hipEventRecord", func(a fake.Args) int32 {
		if a[0] == 3 {
			return code
		}
		return 0
	})
	var b hip.Batch
	for e := range 6 {
		b.EventRecord(hip.Event(e), 7)
	}
	made := func() int { return len(lib.Calls()) }
	require.NoError(t, b.Run())
	require.Equal(t, 6, made())
	code = 400
	err := b.Run()
	require.Equal(t, 10, made(), "what is behind the failure is not called")
	assert.ErrorIs(t, err, hip.ErrInvalidHandle)
	var failed *hip.BatchError
	require.ErrorAs(t, err, &failed)
	want := hip.BatchError{Index: 3, Len: 6, Call: "hipEventRecord",
		Err: &hip.CallError{Function: "hipEventRecord", Result: hip.ErrInvalidHandle}, Made: true}
	assert.Equal(t, want, *failed)
	assert.ErrorContains(t, err,
		"call 3 of a batch of 6: hip: hipEventRecord: ErrInvalidHandle (400): ")
	assert.ErrorContains(t, err, "the 3 before it took effect, the 2 behind it were not made")
	code = 0
	require.NoError(t, b.Run(), "it may run again")
	require.Equal(t, 16, made())
}

func TestBatchWithoutAFunctionCallsNothing(t *testing.T) {
	lib := fake.New("nothing of graphs").Install(t, &libs.HIP)
	lib.Handle("hipEventRecord", func(fake.Args) int32 { return 0 })
	var b hip.Batch
	b.EventRecord(1, 2)
	b.GraphLaunch(3, 4)
	b.EventRecord(5, 6)
	for range 2 {
		err := b.Run()
		var failed *hip.BatchError
		require.ErrorAs(t, err, &failed)
		assert.ErrorIs(t, err, hip.ErrSymbolNotFound)
		assert.Equal(t, 1, failed.Index)
		assert.Equal(t, "hipGraphLaunch", failed.Call)
		assert.ErrorContains(t, err, "none of its calls was made")
		assert.Empty(t, lib.Calls())
	}
	b.Reset()
	assert.Zero(t, b.Len())
	b.EventRecord(1, 2)
	require.NoError(t, b.Run())
	assert.Len(t, lib.Calls(), 1)
}

// A batch has its own copies of parameters, even if the originals change, and of what it had before
// a reset.
func TestBatchOfLaunches(t *testing.T) {
	fake.New("launches").Install(t, &libs.HIP).Address("hipModuleLaunchKernel", launchKernel)
	p := hip.NewParams()
	var b hip.Batch
	for round := range uint64(2) {
		launched = nil
		b.Reset()
		for n := range uint64(100) {
			fourParams(p.Reset(), round*1000+10*n)
			b.ModuleLaunchKernel(hip.Function(n+1), 1, 1, 1, 1, 1, 1, 0, 2, p)
		}
		b.ModuleLaunchKernel(200, 1, 1, 1, 1, 1, 1, 0, 2, nil)
		fourParams(p.Reset(), 77)
		require.NoError(t, b.Run())
		require.Len(t, launched, 101)
		for n, l := range launched[:100] {
			v := round*1000 + 10*uint64(n)
			want := []uint64{uint64(n) + 1, 1, 1, 1, 1, 1, 1, 0, 2, 0, v, v + 1, v + 2, v + 3}
			require.Equal(t, want, l)
		}
	}
	p.Free()
}

// A hundred launches in one crossing into C.
func ExampleBatch() {
	kernel, stream, data := hip.Function(0), hip.Stream(0), hip.Deviceptr(nil)
	p := hip.NewParams()
	defer p.Free()
	var b hip.Batch
	for step := range 100 {
		p.Reset().Deviceptr(data).Int32(int32(step)) // the batch copies them
		b.ModuleLaunchKernel(kernel, 64, 1, 1, 256, 1, 1, 0, stream, p)
	}
	if err := b.Run(); err != nil {
		var failed *hip.BatchError
		if errors.As(err, &failed) && failed.Made {
			fmt.Println("launches that are under way:", failed.Index)
		}
		fmt.Println(err)
	}
}

// A launch that allocates nothing.
func ExampleParams() {
	kernel, stream, data := hip.Function(0), hip.Stream(0), hip.Deviceptr(nil)
	p := hip.NewParams().Deviceptr(data).Int32(1 << 20).Float32(0.5)
	defer p.Free()
	fmt.Println(p.Len(), "parameters")
	err := hip.ModuleLaunchKernel(kernel, 4096, 1, 1, 256, 1, 1, 0, stream, p.Pointers(), nil)
	if err != nil {
		fmt.Println(err)
	}
}

// A batch that failed names the call, and wraps its error.
func ExampleBatchError() {
	failed := &hip.BatchError{Index: 2, Len: 5, Call: "hipEventRecord", Err: hip.ErrInvalidHandle,
		Made: true}
	var err error = failed // as Batch.Run returns it
	fmt.Println(failed.Call, failed.Index, errors.Is(err, hip.ErrInvalidHandle))
	// Output: hipEventRecord 2 true
}
