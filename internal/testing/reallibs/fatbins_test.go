package reallibs_test

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/image"
)

// NCCL and RCCL carry code for GPUs as their compilers wrote it: fatbins of LZ4, and a bundle of
// zstd.
func TestImagesInLibraries(t *testing.T) {
	t.Parallel()
	sections := map[string]func(*testing.T, io.ReaderAt){"__nv_relfatbin": readFatbins,
		".nv_fatbin": readFatbins, ".hip_fatbin": readBundle}
	m := open(t)
	for i := range m.Libraries {
		l := &m.Libraries[i]
		if l.API != "nccl" && l.API != "rccl" {
			continue
		}
		t.Run(l.API+" "+l.Version, func(t *testing.T) {
			t.Parallel()
			f, err := elf.Open(l.Path())
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, f.Close()) })
			found := 0
			for name, read := range sections {
				if s := f.Section(name); s != nil {
					read(t, s)
					found++
				}
			}
			assert.NotZero(t, found)
		})
	}
}

// someMB is how much of a library's code is looked at; it has hundreds.
const someMB = 16 << 20

// readFatbins reads the first fatbins of a section that are not too large.
func readFatbins(t *testing.T, r io.ReaderAt) {
	fatbins, kernels := 0, 0
	for at := int64(0); at < someMB; {
		b := make([]byte, 16)
		_, err := r.ReadAt(b, at)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if image.KindOf(b) != image.Fatbin {
			at += 8 // between two
			continue
		}
		size := int64(binary.LittleEndian.Uint64(b[8:])) + 16
		if fatbins++; size > someMB/4 {
			at += size
			continue
		}
		b = make([]byte, size)
		_, err = r.ReadAt(b, at)
		require.NoError(t, err)
		at += size
		im, err := image.Read(b)
		require.NoError(t, err)
		require.Empty(t, im.Unread)
		for _, e := range im.Entries {
			assert.Equal(t, "LZ4", e.Compression)
			assert.NotEmpty(t, e.Target)
			for _, k := range e.Kernels {
				assert.True(t, k.ParamsKnown, k.Name)
				assert.Equal(t, e.Kind == image.Cubin, k.Resources != nil)
			}
			kernels += len(e.Kernels)
		}
	}
	assert.NotZero(t, fatbins)
	t.Logf("%d fatbins, %d kernels", fatbins, kernels)
}

func readBundle(t *testing.T, r io.ReaderAt) {
	b := make([]byte, 4096)
	_, err := r.ReadAt(b, 0)
	require.NoError(t, err)
	assert.Equal(t, image.CompressedBundle, image.KindOf(b))
	_, err = image.Read(b)
	require.ErrorIs(t, err, image.ErrTruncated, "it is the beginning of the bundle")
	require.Equal(t, "\x28\xb5\x2f\xfd", string(b[32:36]), "after the header of version 3")
	binary.LittleEndian.PutUint64(b[8:], uint64(len(b))) // the whole has hundreds of MB
	im, err := image.Read(b)
	require.NoError(t, err)
	assert.Equal(t, "it is compressed with zstd", im.Unread)
}
