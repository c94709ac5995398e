package cudrv_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
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
func fourParams(p *cudrv.Params, n uint64) *cudrv.Params {
	return p.Deviceptr(cudrv.Deviceptr(n)).Uint32(uint32(n) + 1).Uint64(n + 2).Int32(int32(n) + 3)
}

func TestParamsOfALaunch(t *testing.T) {
	fake.New("launches").Install(t, &libs.CUDA).Address("cuLaunchKernel", launchKernel)
	launched = nil
	p := cudrv.NewParams()
	defer p.Free()
	for n := range uint64(3) {
		require.NoError(t, cudrv.LaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 9,
			fourParams(p.Reset(), 10*n).Pointers(), nil))
		want := []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 10 * n, 10*n + 1, 10*n + 2, 10*n + 3}
		require.Equal(t, want, launched[n])
	}
	assert.Equal(t, 4, p.Len())
	var none cudrv.Params
	require.NoError(t, cudrv.LaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 9, none.Pointers(), nil))
	assert.Len(t, launched[3], 10, "without parameters")
}

func TestParamsOfOtherTypes(t *testing.T) {
	t.Parallel()
	var p cudrv.Params
	p.Float32(1.5).Float64(2.5).Int64(-1).Bytes([]byte{1, 2, 3}).Deviceptr(1 << 40)
	at := unsafe.Slice(p.Pointers(), 5)
	assert.Equal(t, cudrv.Deviceptr(1<<40), *(*cudrv.Deviceptr)(at[4]))
	assert.InDelta(t, 1.5, *(*float32)(at[0]), 0)
	assert.InDelta(t, 2.5, *(*float64)(at[1]), 0)
	assert.EqualValues(t, -1, *(*int64)(at[2]))
	assert.Equal(t, [3]byte{1, 2, 3}, *(*[3]byte)(at[3]))
}

// A batch passes what the functions pass, in one order.
func TestBatchPassesWhatFunctionsPass(t *testing.T) {
	lib := fake.New("batches").Install(t, &libs.CUDA)
	used := map[string]int{
		"cuGraphLaunch":        2,
		"cuEventRecord":        2,
		"cuStreamWaitEvent":    3,
		"cuMemcpyAsync":        4,
		"cuMemcpyDtoDAsync_v2": 4,
		"cuMemsetD8Async":      4,
		"cuMemsetD32Async":     4,
	}
	for symbol := range used {
		lib.Handle(symbol, func(fake.Args) int32 { return 0 })
	}
	lib.Address("cuLaunchKernel", launchKernel)
	launched = nil
	d1, d2 := cudrv.Deviceptr(0x1000), cudrv.Deviceptr(0x2000)
	var b cudrv.Batch
	require.NoError(t, b.Run(), "an empty batch")
	b.GraphLaunch(11, 12)
	b.EventRecord(13, 14)
	b.StreamWaitEvent(15, 16, cudrv.EventWaitExternal)
	b.MemcpyAsync(d1, d2, 1<<40, 17)
	b.MemcpyDtoDAsync(d1, d2, 1<<41, 18)
	b.MemsetD8Async(d1, 0xfe, 19, 20)
	b.MemsetD32Async(d2, 0xfedcba98, 21, 22)
	b.LaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 9, fourParams(cudrv.NewParams(), 20))
	require.NoError(t, b.Run())
	inBatch := lib.Calls()
	require.Len(t, inBatch, b.Len()-1)
	alone := len(inBatch)
	for _, err := range []error{
		cudrv.GraphLaunch(11, 12),
		cudrv.EventRecord(13, 14),
		cudrv.StreamWaitEvent(15, 16, cudrv.EventWaitExternal),
		cudrv.MemcpyAsync(d1, d2, 1<<40, 17),
		cudrv.MemcpyDtoDAsync(d1, d2, 1<<41, 18),
		cudrv.MemsetD8Async(d1, 0xfe, 19, 20),
		cudrv.MemsetD32Async(d2, 0xfedcba98, 21, 22),
		cudrv.LaunchKernel(1, 2, 3, 4, 5, 6, 7, 8, 9,
			fourParams(cudrv.NewParams(), 20).Pointers(), nil),
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
	lib := fake.New("failures").Install(t, &libs.CUDA)
	code := int32(0)
	lib.Handle("cuEventRecord", func(a fake.Args) int32 {
		if a[0] == 3 {
			return code
		}
		return 0
	})
	var b cudrv.Batch
	for e := range 6 {
		b.EventRecord(cudrv.Event(e), 7)
	}
	made := func() int { return len(lib.Calls()) }
	require.NoError(t, b.Run())
	require.Equal(t, 6, made())
	code = 400
	err := b.Run()
	require.Equal(t, 10, made(), "what is behind the failure is not called")
	assert.ErrorIs(t, err, cudrv.ErrInvalidHandle)
	var failed *cudrv.BatchError
	require.ErrorAs(t, err, &failed)
	want := cudrv.BatchError{Index: 3, Len: 6, Call: "cuEventRecord",
		Err: &cudrv.CallError{Function: "cuEventRecord", Result: cudrv.ErrInvalidHandle}, Made: true}
	assert.Equal(t, want, *failed)
	assert.ErrorContains(t, err,
		"call 3 of a batch of 6: cudrv: cuEventRecord: ErrInvalidHandle (400): ")
	assert.ErrorContains(t, err, "the 3 before it took effect, the 2 behind it were not made")
	code = 0
	require.NoError(t, b.Run(), "it may run again")
	require.Equal(t, 16, made())
}

func TestBatchWithoutAFunctionCallsNothing(t *testing.T) {
	lib := fake.New("nothing of graphs").Install(t, &libs.CUDA)
	lib.Handle("cuEventRecord", func(fake.Args) int32 { return 0 })
	var b cudrv.Batch
	b.EventRecord(1, 2)
	b.GraphLaunch(3, 4)
	b.EventRecord(5, 6)
	for range 2 {
		err := b.Run()
		var failed *cudrv.BatchError
		require.ErrorAs(t, err, &failed)
		assert.ErrorIs(t, err, cudrv.ErrSymbolNotFound)
		assert.Equal(t, 1, failed.Index)
		assert.Equal(t, "cuGraphLaunch", failed.Call)
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
	fake.New("launches").Install(t, &libs.CUDA).Address("cuLaunchKernel", launchKernel)
	p := cudrv.NewParams()
	var b cudrv.Batch
	for round := range uint64(2) {
		launched = nil
		b.Reset()
		for n := range uint64(100) {
			fourParams(p.Reset(), round*1000+10*n)
			b.LaunchKernel(cudrv.Function(n+1), 1, 1, 1, 1, 1, 1, 0, 2, p)
		}
		b.LaunchKernel(200, 1, 1, 1, 1, 1, 1, 0, 2, nil)
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
	kernel, stream, data := cudrv.Function(0), cudrv.Stream(0), cudrv.Deviceptr(0)
	p := cudrv.NewParams()
	defer p.Free()
	var b cudrv.Batch
	for step := range 100 {
		p.Reset().Deviceptr(data).Int32(int32(step)) // the batch copies them
		b.LaunchKernel(kernel, 64, 1, 1, 256, 1, 1, 0, stream, p)
	}
	if err := b.Run(); err != nil {
		var failed *cudrv.BatchError
		if errors.As(err, &failed) && failed.Made {
			fmt.Println("launches that are under way:", failed.Index)
		}
		fmt.Println(err)
	}
}

// A launch that allocates nothing.
func ExampleParams() {
	kernel, stream, data := cudrv.Function(0), cudrv.Stream(0), cudrv.Deviceptr(0)
	p := cudrv.NewParams().Deviceptr(data).Int32(1 << 20).Float32(0.5)
	defer p.Free()
	fmt.Println(p.Len(), "parameters")
	err := cudrv.LaunchKernel(kernel, 4096, 1, 1, 256, 1, 1, 0, stream, p.Pointers(), nil)
	if err != nil {
		fmt.Println(err)
	}
}

// A batch that failed names the call, and wraps its error.
func ExampleBatchError() {
	failed := &cudrv.BatchError{Index: 2, Len: 5, Call: "cuEventRecord", Err: cudrv.ErrInvalidHandle,
		Made: true}
	var err error = failed // as Batch.Run returns it
	fmt.Println(failed.Call, failed.Index, errors.Is(err, cudrv.ErrInvalidHandle))
	// Output: cuEventRecord 2 true
}
