package miniheaders

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUnpackTakesTheSuffixOffHeaders(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(from, "a", "include"), 0o700))
	for name, text := range map[string]string{"a/include/x.h.txt": "header", "a/want.json": "golden",
		"a/notes.txt": "notes"} {
		require.NoError(t, os.WriteFile(filepath.Join(from, filepath.FromSlash(name)), []byte(text),
			0o600))
	}
	dir, err := Unpack(from)
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	for name, want := range map[string]string{"a/include/x.h": "header", "a/want.json": "golden",
		"a/notes.txt": "notes"} {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
	_, err = Unpack(filepath.Join(from, "absent"))
	assert.Error(t, err)
}
