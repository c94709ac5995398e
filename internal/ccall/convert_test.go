package ccall

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

func TestConversions(t *testing.T) {
	t.Parallel()
	assert.EqualValues(t, 1, Bool(true))
	assert.EqualValues(t, 0, Bool(false))

	text := []byte("gfx942\x00rest")
	assert.Equal(t, "gfx942", TextIn(text))
	assert.Equal(t, "full", TextIn([]byte("full")))
	assert.Empty(t, TextIn(nil))

	word := Ptr(unsafe.Pointer(unsafe.SliceData(text)))
	assert.Equal(t, unsafe.Pointer(unsafe.SliceData(text)), Pointer(word))
	assert.Equal(t, "gfx942", TextAt(word))
	assert.Empty(t, TextAt(0))
}
