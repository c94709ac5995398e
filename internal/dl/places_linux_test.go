package dl

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tree makes folders and empty files; a folder's name ends in a slash.
func tree(t *testing.T, names ...string) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, n := range names {
		path := filepath.Join(root, n)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if n[len(n)-1] == '/' {
			require.NoError(t, os.MkdirAll(path, 0o755))
			continue
		}
		require.NoError(t, os.WriteFile(path, nil, 0o644))
	}
	return root
}

func TestCandidates(t *testing.T) {
	root := tree(t, "opt/rocm-6.4/lib/", "opt/rocm-6.10.1/lib/", "opt/rocm-6.10/lib/",
		"opt/rocm/core/lib/", "opt/rocm/core-10.0/lib/", "opt/rocm/core-9.1/lib/",
		"opt/rocm/core-asan-10.1/lib/", "env/lib/python3.9/site-packages/rocm/",
		"env/lib/python3.12/site-packages/rocm/", "many/x.so.9", "many/x.so.10", "many/x-builtins.so.11")
	t.Setenv("GPUEVENT_TEST_ROOT", root)
	t.Setenv("GPUEVENT_TEST_EMPTY", "")
	t.Setenv("VIRTUAL_ENV", filepath.Join(root, "env"))
	t.Setenv("CONDA_PREFIX", "")
	for name, c := range map[string]struct{ folders, names, want []string }{
		"the loader's own search": {[]string{""}, []string{"a", "b"}, []string{"a", "b"}},
		"plain folders, there or not": {[]string{"/x/y", "/z"}, []string{"a", "b"},
			[]string{"/x/y/a", "/x/y/b", "/z/a", "/z/b"}},
		"folder of a variable": {[]string{"${GPUEVENT_TEST_ROOT}/lib"}, []string{"a"},
			[]string{root + "/lib/a"}},
		"variable that is empty": {[]string{"${GPUEVENT_TEST_EMPTY}/lib"}, []string{"a"}, nil},
		"the newest first": {[]string{"${GPUEVENT_TEST_ROOT}/opt/rocm-*/lib"}, []string{"a", "b"},
			[]string{root + "/opt/rocm-6.10.1/lib/a", root + "/opt/rocm-6.10.1/lib/b",
				root + "/opt/rocm-6.10/lib/a", root + "/opt/rocm-6.10/lib/b",
				root + "/opt/rocm-6.4/lib/a", root + "/opt/rocm-6.4/lib/b"}},
		"versions only": {[]string{"${GPUEVENT_TEST_ROOT}/opt/rocm/core-[0-9]*/lib"}, []string{"a"},
			[]string{root + "/opt/rocm/core-10.0/lib/a", root + "/opt/rocm/core-9.1/lib/a"}},
		"a name before a longer one, last": {[]string{"${GPUEVENT_TEST_ROOT}/opt/rocm/core*"},
			[]string{"a"}, []string{root + "/opt/rocm/core-asan-10.1/a", root + "/opt/rocm/core-10.0/a",
				root + "/opt/rocm/core-9.1/a", root + "/opt/rocm/core/a"}},
		"pattern without a match": {[]string{"/nowhere/rocm-*/lib"}, []string{"a", "b"},
			[]string{"/nowhere/rocm-*/lib/a"}},
		"virtual environment": {[]string{"{wheels}/rocm"}, []string{"a"},
			[]string{root + "/env/lib/python3.12/site-packages/rocm/a",
				root + "/env/lib/python3.9/site-packages/rocm/a"}},
		"names of a pattern": {[]string{"${GPUEVENT_TEST_ROOT}/many"}, []string{"x.so.*", "y"},
			[]string{root + "/many/x.so.10", root + "/many/x.so.9", root + "/many/y"}},
		"platform": {[]string{"/usr/lib/{triplet}"}, []string{"a"},
			[]string{"/usr/lib/" + triplet() + "/a"}},
		"one path twice": {[]string{"/x", "/x"}, []string{"a"}, []string{"/x/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := Library{Search: Search{Linux: Places{Folders: c.folders, Names: c.names}}}
			assert.Equal(t, c.want, l.Candidates())
		})
	}
}

func TestVariablesOfTheSearch(t *testing.T) {
	t.Parallel()
	p := Places{Folders: []string{"${A}/lib", "", "/opt", "{wheels}/x", "${B}"}}
	assert.Equal(t, []string{"A", "VIRTUAL_ENV", "CONDA_PREFIX", "B"}, p.variables())
}

func TestNaturalOrder(t *testing.T) {
	t.Parallel()
	inOrder := []string{"", "6", "6.4", "6.10", "6.10.1", "007.1", "7.2", "a", "a-1", "a-02",
		"a-10", "b"}
	for i, a := range inOrder {
		for j, b := range inOrder {
			switch c := natural(a, b); {
			case i < j:
				assert.Negative(t, c, "%q %q", a, b)
			case i > j:
				assert.Positive(t, c, "%q %q", a, b)
			default:
				assert.Zero(t, c, "%q", a)
			}
		}
	}
}
