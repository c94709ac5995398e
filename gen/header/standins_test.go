package header

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/rules"
)

// A header may include those of another API, which need not be there, or are C++.
func TestStandIns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"toy.h": "#define TOY_VERSION 3\n#include <other/runtime.h>\n#include \"half.h\"\n" +
			"#include \"own.h\"\nint toyRun(otherStream_t s, toyOwn_t o);\n",
		"other/runtime.h": "#error not for C\n",
		"own.h":           "typedef int toyOwn_t;\n",
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	opts := Options{API: "toy", Dir: dir, Header: rules.Header{
		Files:   []string{"toy.h", "?gone.h"},
		Version: rules.HeaderVersion{Macro: "TOY_VERSION", Exact: true},
		Stubs: map[string]string{
			"other/runtime.h": "typedef struct otherStream_st *otherStream_t;",
			"half.h":          "",
		},
	}}
	r, err := Parse(opts)
	require.NoError(t, err)
	require.Len(t, r.Functions, 1)
	assert.Equal(t, "int toyRun(otherStream_t s, toyOwn_t o)", r.Functions[0].C())
	require.Len(t, r.Typedefs, 2)
	assert.Equal(t, "otherStream_t", r.Typedefs[0].Name)
	assert.Equal(t, "handle", r.Typedefs[0].Kind)

	opts.Header.Stubs = map[string]string{"other/runtime.h": ""}
	_, err = Parse(opts)
	assert.ErrorIs(t, err, ErrParse)
	assert.ErrorContains(t, err, "half.h")
}
