package reallibs

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func write(t *testing.T, text string) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(text), 0o600))
	return dir
}

func TestRead(t *testing.T) {
	t.Parallel()
	_, err := Read(t.TempDir())
	require.ErrorIs(t, err, ErrAbsent)
	_, err = Read(write(t, "{"))
	require.ErrorContains(t, err, "manifest.json: ")

	dir := write(t, `{"os":"plan9","arch":"mips","libraries":[
		{"api":"hip","version":"6.4.3","library":"hip/lib/lib.so","library_path":["hip/lib","base/lib"],"loadable":true},
		{"api":"cuda","version":"550","library":"cuda/lib.so","loader":"base/ld.so","loader_path":["cuda","base"],"reason":"no"}],
		"skipped":[{"api":"hip","version":"5.7.1","reason":"unreachable"}]}`)
	m, err := Read(dir)
	require.NoError(t, err)
	assert.ErrorContains(t, m.Fits(), "plan9/mips")
	m.OS, m.Arch = runtime.GOOS, runtime.GOARCH
	assert.NoError(t, m.Fits())
	assert.Equal(t, "unreachable", m.Skipped[0].Reason)

	t.Run("with the machine's own C library", func(t *testing.T) {
		l := &m.Libraries[0]
		assert.Equal(t, filepath.Join(dir, "hip", "lib", "lib.so"), l.Path())
		cmd := l.Command(t.Context(), "/bin/program", "-x")
		assert.Equal(t, []string{"/bin/program", "-x"}, cmd.Args)
		assert.Contains(t, cmd.Env, "GPUEVENT_HIP_LIBRARY="+l.Path())
		assert.Contains(t, cmd.Env, "LD_LIBRARY_PATH="+filepath.Join(dir, "hip", "lib")+":"+
			filepath.Join(dir, "base", "lib"))
	})
	t.Run("with a C library beside it", func(t *testing.T) {
		l := &m.Libraries[1]
		cmd := l.Command(t.Context(), "/bin/program", "-x")
		assert.Equal(t, []string{filepath.Join(dir, "base", "ld.so"), "--library-path",
			filepath.Join(dir, "cuda") + ":" + filepath.Join(dir, "base"), "/bin/program", "-x"}, cmd.Args)
		for _, v := range cmd.Env {
			assert.False(t, strings.HasPrefix(v, "LD_LIBRARY_PATH="), v)
		}
	})
}
