package backend_test

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
)

// Values of all sizes stay what they are while the frame grows, and after it is reset.
func TestFrame(t *testing.T) {
	t.Parallel()
	f := new(backend.Frame)
	assert.Nil(t, f.Pointers())
	for round := range 3 {
		var values [][]byte
		for n := range 300 {
			v := bytes.Repeat([]byte{byte(n + round)}, []int{1, 2, 4, 8, 12, 16, 100, 4000}[n%8])
			values = append(values, v)
			f.Add(unsafe.Pointer(&v[0]), uintptr(len(v)))
		}
		f.AddWord(7)
		f.Add(nil, 0)
		f.Args = append(f.Args, values)
		assert.Equal(t, 302, f.Len())
		at := unsafe.Slice(f.Pointers(), f.Len())
		for i, v := range values {
			assert.Equal(t, at[i], f.Value(i))
			assert.Equal(t, v, unsafe.Slice((*byte)(at[i]), len(v)), "value %d", i)
			assert.Zero(t, uintptr(at[i])%8)
		}
		assert.EqualValues(t, 7, *(*uint64)(at[300]))
		f.Reset()
		assert.Zero(t, f.Len())
		assert.Nil(t, f.Pointers())
		assert.Empty(t, f.Args)
		assert.Nil(t, f.Args[:1][0], "nothing is kept alive")
	}
}
