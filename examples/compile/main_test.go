package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hiprtc"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
	"github.com/gpuevent/gpuevent/nvrtc"
)

func TestMessagesHaveOneForm(t *testing.T) {
	t.Parallel()
	s := source{"k.cu", "first\n  second\nthird"}
	for name, c := range map[string]struct{ log, want string }{
		"none":            {},
		"NVIDIA":          {"k.cu(2): error: no\n    second\n", "k.cu:2: error: no\n    second\n"},
		"AMD":             {"/tmp/comgr-1/input/k.cu:3:1: warning: odd", "k.cu:3: warning: odd"},
		"of another file": {"other.cu(1): error: no", "other.cu(1): error: no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, strings.Join(messages(s, c.log), "\n"))
		})
	}
}

func TestWhatIsPrinted(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	print(&b, source{name: "k.cu"}, "sm_80", result{compiler: "C 1", log: "k.cu(1): warning: odd",
		text: "// by\n.version 9\n.target sm_80\n\x00", code: make([]byte, 7), kind: "cubin"})
	assert.Equal(t, "C 1, k.cu for sm_80\nk.cu:1: warning: odd\ncubin: 7 bytes\n"+
		"PTX: 32 bytes, beginning with\n  .version 9\n  .target sm_80\n", b.String())
}

func TestArguments(t *testing.T) {
	t.Parallel()
	assert.ErrorIs(t, run(io.Discard, []string{"-compiler", "gcc"}), errUsage)
	assert.ErrorIs(t, run(io.Discard, []string{"a", "b"}), errUsage)
	assert.ErrorIs(t, run(io.Discard, []string{filepath.Join(t.TempDir(), "none")}), os.ErrNotExist)
}

// Without a compiler the error says how to install one, and nothing is printed.
func TestNoCompiler(t *testing.T) {
	fake.Absent(t, &libs.NVRTC, filepath.Join(t.TempDir(), "libnvrtc.so.13"))
	fake.Absent(t, &libs.HIPRTC, filepath.Join(t.TempDir(), "libhiprtc.so.7"))
	for compiler, want := range map[string]struct {
		err error
		say string
	}{
		"nvrtc":  {nvrtc.ErrLibraryNotFound, "install NVRTC of the CUDA toolkit"},
		"hiprtc": {hiprtc.ErrLibraryNotFound, "install hipRTC of ROCm"},
	} {
		var b strings.Builder
		err := run(&b, []string{"-compiler", compiler})
		require.ErrorIs(t, err, want.err)
		assert.ErrorContains(t, err, want.say)
		assert.Empty(t, b.String())
	}
}
