package params

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

func TestExtraIsLaidOutAsAStruct(t *testing.T) {
	t.Parallel()
	var e Extra
	assert.Nil(t, e.List(3), "no parameters")
	for range 2 {
		PutAligned(&e, int32(1))
		PutAligned(&e, uint64(2))
		e.PutBytes([]byte{3}, 1)
		e.PutBytes([]byte{4, 5}, 2)
		PutAligned(&e, float64(0))
		e.PutBytes(nil, 0)
		want := []byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 4, 5, 0, 0, 0, 0,
			0, 0, 0, 0, 0, 0, 0, 0}
		list := (*struct {
			pointer uintptr
			buffer  *[32]byte
			bytes   uintptr
			size    *uintptr
			end     uintptr
		})(unsafe.Pointer(e.List(3)))
		assert.Equal(t, []uintptr{1, 2, 3}, []uintptr{list.pointer, list.bytes, list.end})
		assert.EqualValues(t, 32, *list.size)
		assert.Equal(t, 32, e.Size())
		assert.Equal(t, want, list.buffer[:])
		e.Reset()
		assert.Nil(t, e.List(3))
	}
}
