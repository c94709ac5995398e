package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
)

const supplementToml = `version = "1.20"
number = 1200
source = "a binding"
declarations = '''
CUresult cuGizmoNew(void);
'''
[check]
file = "gizmo.pxd"
functions = 4
`

// TestMergeWithSupplement shows the life of a supplement: it makes a release on top of the newest
// older header, stays in the spec without headers, gives way to a header of that version, and goes
// with its file.
func TestMergeWithSupplement(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	spec, file := filepath.Join(dir, "cuda.json"), filepath.Join(dir, "cuda.supplement.toml")
	write := func(text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	write(supplementToml)

	_, stderr := gen(t, 0, "merge", "-api", "cuda", "-dir", historyDir, "-o", spec)
	assert.Contains(t, stderr, "on top of cuda 1.10")
	assert.Contains(t, stderr, "4 releases, 1.0 to 1.20: 6 functions")
	m, err := model.Load(spec)
	require.NoError(t, err)
	for _, f := range m.Functions {
		if f.Removed != "" {
			assert.NotEqual(t, "1.20", f.Removed, f.Name)
		}
		if f.Name == "cuGizmoNew" {
			assert.Equal(t, "1.20", f.Since)
		}
	}
	whole, err := os.ReadFile(spec)
	require.NoError(t, err)

	_, stderr = gen(t, 0, "merge", "-api", "cuda", "-dir", filepath.Join(dir, "none"), "-o", spec)
	assert.Contains(t, stderr, "cuda 1.20: its headers are not there")
	again, err := os.ReadFile(spec)
	require.NoError(t, err)
	assert.Equal(t, string(whole), string(again))

	_, stderr = gen(t, 0, "merge", "-api", "cuda", "-dir", copyHistory(t, "1.0", "1.1"), "-o", spec)
	assert.Contains(t, stderr, "belongs on top of cuda 1.10, whose headers are not there")
	again, err = os.ReadFile(spec)
	require.NoError(t, err)
	assert.Equal(t, string(whole), string(again))

	write(strings.NewReplacer("1.20", "1.10", "1200", "1100").Replace(supplementToml))
	_, stderr = gen(t, 1, "merge", "-api", "cuda", "-dir", historyDir, "-o", spec)
	assert.Contains(t, stderr, "cuda 1.10 has headers of its own now")
	assert.Contains(t, stderr, "remove the file, then make specs generate")

	require.NoError(t, os.Remove(file))
	_, stderr = gen(t, 0, "merge", "-api", "cuda", "-dir", historyDir, "-o", spec)
	assert.Contains(t, stderr, "3 releases, 1.0 to 1.10: 5 functions")
}

func TestSupplementCommand(t *testing.T) {
	t.Parallel()
	specs, headers := t.TempDir(), t.TempDir()
	require.NoError(t, os.CopyFS(specs, os.DirFS(filepath.Join("..", "specs"))))
	require.NoError(t, os.CopyFS(filepath.Join(headers, "cuda"), os.DirFS(historyDir)))
	run := func(code int) string {
		_, stderr := gen(t, code, "supplement", "-api", "cuda", "-specs", specs, "-dir", headers)
		return stderr
	}
	assert.Empty(t, run(0), "there is no supplement")

	file := filepath.Join(specs, "cuda.supplement.toml")
	require.NoError(t, os.WriteFile(file, []byte(supplementToml), 0o600))
	assert.Contains(t, run(0), "was not checked: gizmo.pxd is not in")

	pxd := filepath.Join(headers, "cuda", "1.20", "gizmo.pxd")
	require.NoError(t, os.MkdirAll(filepath.Dir(pxd), 0o700))
	text := "cdef CUresult cuGizmoNew() nogil\ncdef CUresult cuGizmoCount(unsigned int * c) nogil\n" +
		"cdef CUresult cuGizmoFlicker() nogil\n" +
		"cdef CUresult cuGizmoOpen(CUgizmo * g,CUgizmoMode m) nogil\n" +
		"cdef CUresult cuGizmoClose(CUgizmo g) nogil\n"
	require.NoError(t, os.WriteFile(pxd, []byte(text), 0o600))
	assert.Contains(t, run(1), "gizmo.pxd declares 5 functions, not 4")
	right := strings.Replace(supplementToml, "= 4", "= 5", 1)
	require.NoError(t, os.WriteFile(file, []byte(right), 0o600))
	assert.Contains(t, run(0), "agrees with gizmo.pxd of a binding")

	_, stderr := gen(t, 0, "supplement", "-api", "cuda", "-specs", specs, "-dir", t.TempDir())
	assert.Contains(t, stderr, "there is no header in")
}
