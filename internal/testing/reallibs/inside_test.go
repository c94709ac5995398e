package reallibs_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/bindings"
	"github.com/gpuevent/gpuevent/internal/testing/reallibs"
)

// inside are the tests that run in a process of their own, in which the library serves, by API.
var inside = map[string]func(*testing.T){}

// release is the variable that tells such a test which release the library is of.
const release = "PROBE_RELEASE"

// runInside runs one of these tests and ends the process.
func runInside(f func(*testing.T)) {
	all := func(string, string) (bool, error) { return true, nil }
	testing.Main(all, []testing.InternalTest{{Name: os.Getenv(probe), F: f}}, nil, nil)
}

// testInside runs the test of a library's API in a process of its own.
func testInside(t *testing.T, m *reallibs.Manifest, l *reallibs.Library) {
	program, err := os.Executable()
	require.NoError(t, err)
	if l.Loader != "" { // this program may need another C library than the release's
		program, err = plain()
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := l.Command(ctx, program, "-test.v")
	cmd.Env = append(cmd.Env, probe+"="+l.API, release+"="+l.Version)
	for i := range m.Libraries { // RCCL has NCCL's symbols, and must not get NCCL's calls
		if o := &m.Libraries[i]; l.API == "rccl" && o.API == "nccl" && o.Loadable {
			cmd.Env = append(cmd.Env, "GPUEVENT_NCCL_LIBRARY="+o.Path())
		}
	}
	out, err := cmd.CombinedOutput()
	if err != nil || testing.Verbose() {
		t.Logf("%s", out)
	}
	require.NoError(t, err)
}

// chosen checks that the library that the variable names is the one in use, and that it has what
// the headers of its version declare.
func chosen(t *testing.T, version, path string) {
	api := os.Getenv(probe)
	b, ok := bindings.Named(api)
	require.True(t, ok)
	assert.Equal(t, os.Getenv(b.Library.Env), path)
	spec := load(t, api)
	require.NotZero(t, spec.Number(version), "the specs have no release %s", version)
	for _, f := range spec.Functions {
		if f.Has(version) {
			excuse := ""
			for i := range b.Functions {
				if b.Functions[i].C == f.Name {
					excuse = b.Functions[i].Lacks(version)
				}
			}
			assert.Equal(t, excuse == "", b.Library.Has(f.Name), "%s: exported; %s", f.Name, excuse)
		}
	}
}

// beside reports whether a file lies in the folder of the library.
func beside(t *testing.T, path, name string) bool {
	found, err := filepath.Glob(filepath.Join(filepath.Dir(path), name))
	require.NoError(t, err)
	return len(found) > 0
}
