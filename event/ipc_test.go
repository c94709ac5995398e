package event

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzIPCDescriptor feeds bytes to the readers: they refuse them, or return what is written back
// the same.
func FuzzIPCDescriptor(f *testing.F) {
	d := IPCDescriptor{backend: Host, blocking: true, handle: [descriptorBytes]byte{1, 2, 3}}
	raw, err := d.MarshalBinary()
	require.NoError(f, err)
	text, err := d.MarshalText()
	require.NoError(f, err)
	js, err := d.MarshalJSON()
	require.NoError(f, err)
	for _, seed := range [][]byte{raw, text, js, {}, raw[:10], []byte("GEV1"), []byte(`{"backend":"cuda"}`)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var d IPCDescriptor
		for _, read := range []func([]byte) error{d.UnmarshalBinary, d.UnmarshalText, d.UnmarshalJSON} {
			d = IPCDescriptor{}
			if err := read(b); err != nil {
				require.ErrorIs(t, err, ErrInvalidDescriptor)
				require.Zero(t, d)
				continue
			}
			raw, err := d.MarshalBinary()
			require.NoError(t, err)
			var again IPCDescriptor
			require.NoError(t, again.UnmarshalBinary(raw))
			assert.Equal(t, d, again)
		}
	})
}
