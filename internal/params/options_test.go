package params

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	var o Options[uint32]
	assert.Zero(t, o.Len())
	assert.Nil(t, o.Names())
	assert.Nil(t, o.Words())
	assert.Zero(t, o.Word(7))
	assert.Empty(t, o.Text(7))

	o.Number(7, 70)
	log := make([]byte, 8)
	o.Bytes(8, log)
	memory := uint64(9)
	o.Pointer(9, unsafe.Pointer(&memory))
	require.NoError(t, o.Texts(10, []string{"a", "bc"}))
	require.NoError(t, o.Texts(11, nil))
	assert.ErrorIs(t, o.Texts(12, []string{"a\x00b"}), ccall.ErrNUL)
	o.Number(7, 71)

	require.EqualValues(t, 5, o.Len())
	assert.Equal(t, []uint32{7, 8, 9, 10, 11}, unsafe.Slice(o.Names(), 5))
	assert.EqualValues(t, 71, *o.Words())
	at := unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(o.Words())), 5)[1:]
	*(*[3]byte)(at[0]) = [3]byte{'e', 'r', 'r'}
	assert.Equal(t, "err", o.Text(8))
	assert.EqualValues(t, 9, *(*uint64)(at[1]))
	texts := (*[2]unsafe.Pointer)(at[2])
	assert.Equal(t, "a", ccall.GoString(texts[0]))
	assert.Equal(t, "bc", ccall.GoString(texts[1]))

	*o.Words() = uintptr(math.Float32bits(1.5)) // as C does
	assert.InDelta(t, 1.5, o.Float(7), 0)
	o.Number(8, 0)
	assert.Empty(t, o.Text(8), "it is no text any more")
}
