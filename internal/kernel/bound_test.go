package kernel_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

var one = kernel.Launch{Grid: dim{1, 1, 1}, Block: dim{1, 1, 1}}

// keep returns a kernel that stores its arguments, and where it does.
func keep(t *testing.T) (*kernel.Func, *kept) {
	t.Helper()
	k := new(kept)
	f, err := kernel.Of(func(_ *kernel.Block, n int32, p pair, x []float32, on bool) {
		*k = kept{n, p, x, on}
	})
	require.NoError(t, err)
	return f.Named("keep"), k
}

type kept struct {
	n  int32
	p  pair
	x  []float32
	on bool
}

func TestBindValues(t *testing.T) {
	t.Parallel()
	f, got := keep(t)
	x := []float32{1, 2, 3}
	b, err := f.Bind(int32(7), pair{1, 2}, x[:2], true)
	require.NoError(t, err)
	require.Same(t, f, b.Func())
	require.NoError(t, b.Run(context.Background(), one))
	assert.Equal(t, kept{7, pair{1, 2}, x[:2], true}, *got)
	assert.Same(t, &x[0], &got.x[0], "the buffer's memory, not a copy")

	c := b.Clone()
	require.NoError(t, c.Set(0, int32(8)))
	require.NoError(t, c.Set(2, nil))
	require.NoError(t, c.Run(context.Background(), one))
	assert.Equal(t, kept{8, pair{1, 2}, nil, true}, *got)
	require.NoError(t, b.Run(context.Background(), one))
	assert.Equal(t, kept{7, pair{1, 2}, x[:2], true}, *got, "unchanged by its clone")
}

func TestBindRefuses(t *testing.T) {
	t.Parallel()
	f, got := keep(t)
	good := []any{int32(7), pair{1, 2}, []float32{1}, true}
	for _, c := range []struct {
		param int
		arg   any
		want  string
	}{
		{0, 7, "kernel keep: argument 0 (int32): got int; convert it: int32(...)"},
		{0, int64(7), "got int64; convert it: int32(...)"},
		{0, id(7), "got kernel_test.id; convert it: int32(...)"},
		{0, nil, "got nil; pass a value of type int32"},
		{0, "7", "got string; pass a value of type int32"},
		{1, struct {
			B float64
			A int8
		}{}, "argument 1 (kernel_test.pair): got struct { B float64; A int8 }; pass a value"},
		{1, &pair{}, "got *kernel_test.pair; pass a value of type kernel_test.pair"},
		{2, []float64{1}, "argument 2 ([]float32): got []float64; pass a value of type []float32"},
		{2, named{1}, "got kernel_test.named"},
		{2, float32(1), "got float32"},
		{2, &[1]float32{}, "got *[1]float32"},
		{3, int8(1), "argument 3 (bool): got int8; pass a value of type bool"},
	} {
		args := append([]any(nil), good...)
		args[c.param] = c.arg
		b, err := f.Bind(args...)
		assert.Nil(t, b)
		require.ErrorIs(t, err, kernel.ErrArgument)
		assert.ErrorContains(t, err, c.want)
		var e *kernel.ArgumentError
		require.ErrorAs(t, err, &e)
		assert.Equal(t, c.param, e.Param)
		assert.Equal(t, f.Params()[c.param].Type, e.Want)
	}
	for _, c := range []struct {
		args []any
		want string
	}{
		{nil, "kernel keep: got 0 arguments, the kernel has 4 parameters"},
		{good[:3], "got 3 arguments"},
		{append(good[:4:4], 1), "got 5 arguments"},
	} {
		_, err := f.Bind(c.args...)
		require.ErrorIs(t, err, kernel.ErrArgument)
		assert.ErrorContains(t, err, c.want)
	}

	b, err := f.Bind(good...)
	require.NoError(t, err)
	for _, i := range []int{-1, 4} {
		require.ErrorIs(t, b.Set(i, int32(1)), kernel.ErrArgument)
	}
	require.Error(t, b.Set(0, "no"))
	require.NoError(t, b.Run(context.Background(), one))
	assert.EqualValues(t, 7, got.n, "as before the Set that failed")
}
