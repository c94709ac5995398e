package kernel_test

import (
	"reflect"
	"structs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

type (
	pair struct {
		A int8
		B float64
	}
	nested struct {
		_ structs.HostLayout
		N int16
		P [2]pair
		_ [4]uint8
	}
	id    int32
	named []float32
)

func generic[T float32 | float64](*kernel.Block, T, []T) {}

func TestParams(t *testing.T) {
	t.Parallel()
	f, err := kernel.Of(func(*kernel.Block, int8, []float32, bool, uint16, nested, float32, id, named,
		[3]int16, []complex64, float64) {
	})
	require.NoError(t, err)
	float := reflect.TypeFor[float32]()
	assert.Equal(t, []kernel.Param{
		{Type: reflect.TypeFor[int8](), Kind: kernel.Integer, Size: 1, Align: 1, Offset: 0},
		{Type: reflect.TypeFor[[]float32](), Elem: float, Kind: kernel.Buffer, Size: 8, Align: 8,
			Offset: 8},
		{Type: reflect.TypeFor[bool](), Kind: kernel.Integer, Size: 1, Align: 1, Offset: 16},
		{Type: reflect.TypeFor[uint16](), Kind: kernel.Integer, Size: 2, Align: 2, Offset: 18},
		{Type: reflect.TypeFor[nested](), Kind: kernel.Bytes, Size: 48, Align: 8, Offset: 24},
		{Type: float, Kind: kernel.Float, Size: 4, Align: 4, Offset: 72},
		{Type: reflect.TypeFor[id](), Kind: kernel.Integer, Size: 4, Align: 4, Offset: 76},
		{Type: reflect.TypeFor[named](), Elem: float, Kind: kernel.Buffer, Size: 8, Align: 8, Offset: 80},
		{Type: reflect.TypeFor[[3]int16](), Kind: kernel.Bytes, Size: 6, Align: 2, Offset: 88},
		{Type: reflect.TypeFor[[]complex64](), Elem: reflect.TypeFor[complex64](), Kind: kernel.Buffer,
			Size: 8, Align: 8, Offset: 96},
		{Type: reflect.TypeFor[float64](), Kind: kernel.Float, Size: 8, Align: 8, Offset: 104},
	}, f.Params())
	assert.Equal(t, 11, f.Len())
	assert.Equal(t, 112, f.Size())

	f.Params()[0].Size = 100
	assert.Equal(t, 1, f.Params()[0].Size, "what a caller does with its copy")
}

func TestNames(t *testing.T) {
	t.Parallel()
	for want, fn := range map[string]any{
		"kernel_test.saxpy":        saxpy,
		"kernel_test.generic[...]": generic[float64],
	} {
		f, err := kernel.Of(fn)
		require.NoError(t, err)
		assert.Equal(t, want, f.Name())
		assert.Equal(t, "other", f.Named("other").Name())
		assert.Equal(t, want, f.Name(), "Named changes a copy")
	}
}

func TestNoKernels(t *testing.T) {
	t.Parallel()
	type block = *kernel.Block
	const name = "kernel kernel_test.TestNoKernels."
	for _, c := range []struct {
		fn    any
		param int
		want  string
	}{
		{nil, -1, "a kernel is a function, got nil"},
		{7, -1, "a kernel is a function, got int"},
		{(func(block))(nil), -1, "nil func(*kernel.Block)"},
		{func() {}, -1, "the first parameter must be *Block, got func(); add it: func(b *Block, ...)"},
		{func(int32, block) {}, -1, "the first parameter must be *Block"},
		{func(kernel.Block) {}, -1, "the first parameter must be *Block"},
		{func(block) int { return 0 }, -1, "a kernel has no results"},
		{func(block, ...int32) {}, -1, "a kernel has a fixed number of parameters"},
		{func(block, int32, int) {}, 1,
			"parameter 1 (int): int has no fixed width; use int32 for C's int, int64 for long long"},
		{func(block, uint) {}, 0, "uint has no fixed width; use uint32"},
		{func(block, uintptr) {}, 0, "uintptr has no fixed width; use uint64"},
		{func(block, string) {}, 0, "a string is a Go pointer; use []uint8"},
		{func(block, *float32) {}, 0, "a Go pointer cannot go to a device; use []float32"},
		{func(block, any) {}, 0, "an interface has no fixed type; use a concrete type"},
		{func(block, map[int32]int32) {}, 0, "a map cannot go to a device; use numbers"},
		{func(block, chan int32) {}, 0, "a chan cannot go to a device"},
		{func(block, func()) {}, 0, "a func cannot go to a device"},
		{func(block, complex64) {}, 0, "complex types are aligned differently by C libraries"},
		{func(block, []int) {}, 0, "parameter 0 ([]int): int has no fixed width"},
		{func(block, []string) {}, 0, "a string is a Go pointer"},
		{func(block, [][]int32) {}, 0, "a slice stands for a buffer only as a parameter of its own"},
		{func(block, [2][]int32) {}, 0, "a slice stands for a buffer only as a parameter of its own"},
		{func(block, [2]int) {}, 0, "int has no fixed width"},
		{func(block, [0]int32) {}, 0, "an array without elements does not exist in C; leave it out"},
		{func(block, struct{}) {}, 0, "a struct without fields has no common size in C and C++"},
		{func(block, []struct{}) {}, 0, "a struct without fields"},
		{func(block, struct{ N struct{ P *int32 } }) {}, 0,
			"field N (struct { P *int32 }): field P (*int32): a Go pointer cannot go to a device"},
		{func(block, struct {
			A int32
			_ structs.HostLayout
		}) {
		}, 0, "has 4 bytes in C and 8 in Go; add fields of padding"},
	} {
		f, err := kernel.Of(c.fn)
		assert.Nil(t, f)
		require.ErrorIs(t, err, kernel.ErrSignature)
		assert.ErrorContains(t, err, c.want)
		var e *kernel.SignatureError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, c.param, e.Param, c.want)
		if reflect.TypeOf(c.fn) != nil && reflect.TypeOf(c.fn).Kind() == reflect.Func && e.Kernel != "" {
			assert.ErrorContains(t, err, name)
		}
	}
}

func TestKindString(t *testing.T) {
	t.Parallel()
	for k, want := range map[kernel.Kind]string{kernel.Integer: "integer", kernel.Float: "float",
		kernel.Bytes: "bytes", kernel.Buffer: "buffer", 9: "Kind(9)"} {
		assert.Equal(t, want, k.String())
	}
}

// A block of another package has the same fields. A struct with other fields is no block.
func TestBlocksOfOtherPackages(t *testing.T) {
	t.Parallel()
	type foreign struct {
		Index, Dim, Grid struct{ X, Y, Z uint32 }
		//lint:ignore U1000 only its type counts
		memory *kernel.Memory
	}
	var got []uint32
	for _, fn := range []any{
		func(b *foreign, n int32) { got = append(got, b.Index.X, b.Dim.X, b.Grid.X, uint32(n)) },
		func(n int32) func(*foreign) {
			return func(b *foreign) { got = append(got, b.Index.X, b.Dim.X, b.Grid.X, uint32(n)) }
		},
		func(n int32) func(*kernel.Block) {
			return func(b *kernel.Block) { got = append(got, b.Index.X, b.Dim.X, b.Grid.X, uint32(n)) }
		},
	} {
		got = nil
		f, err := kernel.Of(fn)
		require.NoError(t, err)
		require.Len(t, f.Params(), 1)
		b, err := f.Bind(int32(9))
		require.NoError(t, err)
		require.NoError(t, b.Run(t.Context(), kernel.Launch{Grid: dim{2, 1, 1}, Block: dim{3, 1, 1},
			Serial: true}))
		assert.Equal(t, []uint32{0, 3, 2, 9, 1, 3, 2, 9}, got)
	}
	for _, fn := range []any{
		func(*struct {
			Index, Dim struct{ X, Y, Z uint32 }
			memory     *kernel.Memory
		}) {
		},
		func(*struct {
			Index, Dim, Grid struct{ X, Y, Z uint32 }
			memory           *byte
		}) {
		},
		func(*struct {
			Index, Dim, Grid struct{ X, Y, Z int32 }
			memory           *kernel.Memory
		}) {
		},
	} {
		_, err := kernel.Of(fn)
		require.ErrorIs(t, err, kernel.ErrSignature, "%T", fn)
	}
}

// A kernel that returns the function of a block is called once by each worker.
func TestKernelsThatReturnTheFunctionOfABlock(t *testing.T) {
	t.Parallel()
	calls := 0
	f, err := kernel.Of(func(x []int32) func(*kernel.Block) {
		calls++
		return func(b *kernel.Block) {
			shared := kernel.Shared[int32](b)
			x[b.Index.X] = int32(len(shared))
		}
	})
	require.NoError(t, err)
	x := make([]int32, 5)
	b, err := f.Bind(x)
	require.NoError(t, err)
	l := kernel.Launch{Grid: dim{5, 1, 1}, Block: dim{1, 1, 1}, Shared: 8, Serial: true}
	require.NoError(t, b.Run(t.Context(), l))
	assert.Equal(t, 1, calls)
	assert.Equal(t, []int32{2, 2, 2, 2, 2}, x)

	for want, fn := range map[string]any{
		"no function of a block": func() func(*kernel.Block) { return nil },
		"panic before the first": func() func(*kernel.Block) { panic("panic before the first") },
	} {
		f, err := kernel.Of(fn)
		require.NoError(t, err)
		b, err := f.Bind()
		require.NoError(t, err)
		err = b.Run(t.Context(), kernel.Launch{Grid: dim{1, 1, 1}, Block: dim{1, 1, 1}})
		require.ErrorIs(t, err, kernel.ErrFailed)
		assert.ErrorContains(t, err, want)
	}
}
