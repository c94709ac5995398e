package kernel_test

import (
	"context"
	"encoding/binary"
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

var blockType = reflect.TypeFor[*kernel.Block]()

// FuzzBind passes random arguments to random kernels, as Go values and as C lays them out in
// memory, and compares with what arrives.
func FuzzBind(f *testing.F) {
	for seed := range uint64(500) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := newRandom(seed)
		signature := r.kernel()
		var got []any
		f, err := kernel.Of(reflect.MakeFunc(signature, func(in []reflect.Value) []reflect.Value {
			got = []any{}
			for _, v := range in[1:] {
				got = append(got, v.Interface())
			}
			return nil
		}).Interface())
		require.NoError(t, err)
		c := newCall(r, f.Params())
		packed, err := f.Pack(c.pointers)
		require.NoError(t, err)

		byValue, err := f.Bind(c.values...)
		require.NoError(t, err)
		byPointers, err := f.BindPointers(c.pointers, c.memory.resolve)
		require.NoError(t, err)
		byBytes, err := f.BindPacked(packed, c.memory.resolve)
		require.NoError(t, err)
		for _, b := range []*kernel.Bound{byValue, byPointers, byBytes, byBytes.Clone()} {
			require.NoError(t, b.Run(context.Background(), one))
			require.Equal(t, c.values, got, "%v", signature)
		}
		for i, p := range f.Params() { // Pack copied each to its offset
			assert.Equal(t, unsafe.Slice((*byte)(c.pointers[i]), p.Size), packed[p.Offset:][:p.Size])
		}
	})
}

// call is a call of a kernel from Go and from C.
type call struct {
	values   []any
	pointers []unsafe.Pointer
	memory   deviceMemory
}

func newCall(r random, params []kernel.Param) *call {
	c := &call{values: []any{}}
	for _, p := range params {
		size, _ := cLayout(p.Type)
		raw := r.noise(size)
		if p.Kind == kernel.Buffer {
			value, address := c.memory.buffer(r, p.Type)
			binary.NativeEndian.PutUint64(raw, address)
			c.add(value, raw)
			continue
		}
		v := reflect.New(p.Type).Elem()
		r.fill(v)
		r.encode(raw, v)
		c.add(v, raw)
	}
	return c
}

func (c *call) add(value reflect.Value, raw []byte) {
	c.values = append(c.values, value.Interface())
	c.pointers = append(c.pointers, unsafe.Pointer(&raw[0]))
}

// deviceMemory has its blocks at addresses of its own, 4 KiB apart.
type deviceMemory [][]byte

const blockSize = 4096

func (m *deviceMemory) resolve(address uintptr) ([]byte, error) {
	return (*m)[address/blockSize-1][address%blockSize:], nil
}

// buffer makes a block with a random number of elements, and a pointer to one of them, or null.
func (m *deviceMemory) buffer(r random, t reflect.Type) (rest reflect.Value, address uint64) {
	if r.IntN(5) == 0 {
		return reflect.Zero(t), 0
	}
	all := reflect.MakeSlice(t, 1+r.IntN(4), 4)
	size, _ := cLayout(t.Elem())
	raw := r.noise(all.Len()*size + r.IntN(size)) // the last bytes are no whole element
	for i := range all.Len() {
		r.fill(all.Index(i))
		r.encode(raw[i*size:], all.Index(i))
	}
	*m = append(*m, raw)
	first := r.IntN(all.Len() + 1)
	return all.Slice(first, all.Len()), uint64(len(*m)*blockSize + first*size)
}
