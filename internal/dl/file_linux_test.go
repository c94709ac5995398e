package dl

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// More names than one system call returns are all found.
func TestNamesInALargeFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var want []string
	for i := range 600 {
		name := fmt.Sprintf("a-name-of-some-length-%03d", i)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		want = append(want, name)
	}
	names, err := namesIn(dir)
	require.NoError(t, err)
	slices.Sort(names)
	assert.Equal(t, want, names)
}

func TestNamesInNoFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, path := range []string{file, file + "-absent", "a\x00b"} {
		names, err := namesIn(path)
		assert.Error(t, err, path)
		assert.Empty(t, names, path)
	}
}
