package reallibs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

func init() { tasks["mistakes"] = testMistakes; tasks["incomplete"] = testIncomplete }

// Every mistake has its reason, and the place where it is.
func TestMistakes(t *testing.T) {
	for _, l := range compilers(t) {
		var done bool
		require.NoError(t, run(t, l, program(t, l), "mistakes", t.TempDir(), &done))
		assert.True(t, done)
	}
}

func testMistakes(t *testing.T) {
	v := current()
	ctx := t.Context()
	try := func(change func(*compiler.Request)) error {
		r := request(v.targets[1])
		change(&r)
		_, err := v.compile(ctx, r)
		return err
	}
	failure := func(t *testing.T, reason error, change func(*compiler.Request)) *compiler.Error {
		err := try(change)
		require.ErrorIs(t, err, reason)
		var e *compiler.Error
		require.ErrorAs(t, err, &e)
		assert.NotContains(t, e.Log, "comgr-")
		assert.NotContains(t, err.Error(), "comgr-")
		return e
	}
	t.Run("syntax", func(t *testing.T) {
		e := failure(t, compiler.ErrSource, func(r *compiler.Request) {
			r.Text = "__global__ void k(int *x) {\n  *x = unknown;\n}\n"
			r.Names = nil
		})
		require.NotEmpty(t, e.Messages)
		m := e.Messages[0]
		assert.Equal(t, "kernels/saxpy.cu", m.File)
		assert.Equal(t, 2, m.Line)
		assert.Equal(t, "error", m.Severity)
		assert.Contains(t, m.Text, "unknown")
		assert.Contains(t, e.Error(), "kernels/saxpy.cu:2:")
		assert.Equal(t, !v.nvidia, m.Column > 0)
	})
	t.Run("in a header", func(t *testing.T) {
		e := failure(t, compiler.ErrSource, func(r *compiler.Request) {
			r.Headers["scale.h"] = "\n\nint x = unknown;\n"
		})
		var header *compiler.Message
		for i := range e.Messages {
			if e.Messages[i].File == "scale.h" && header == nil {
				header = &e.Messages[i]
			}
		}
		require.NotNil(t, header, e.Log)
		assert.Equal(t, 3, header.Line)
	})
	t.Run("option", func(t *testing.T) {
		e := failure(t, compiler.ErrOption, func(r *compiler.Request) {
			r.Options = []string{"--no-such-option"}
		})
		assert.Contains(t, e.Error(), "--no-such-option")
	})
	t.Run("name", func(t *testing.T) {
		e := failure(t, compiler.ErrName, func(r *compiler.Request) {
			r.Names = append(r.Names, "nothing<int>")
		})
		assert.Contains(t, e.Error(), "nothing")
	})
	t.Run("warning", func(t *testing.T) {
		r := request(v.targets[1])
		r.Text += "__global__ void warns(int *x) { int unused = 1; }\n"
		r.Options = []string{"-Wunused-variable"}
		if v.nvidia {
			r.Options = nil
		}
		got, err := v.compile(ctx, r)
		require.NoError(t, err)
		assert.Contains(t, got.Log, "unused")
		assert.Regexp(t, `^kernels/saxpy\.cu[(:]8\D`, got.Log)
		assert.False(t, got.HasErrors())
	})
	t.Run("target", func(t *testing.T) {
		for _, target := range []string{"sm_", "sm_1", "gfx999", "gfx1100:xnack+", "native",
			"gfx90a,gfx942"} {
			err := try(func(r *compiler.Request) { r.Target = target })
			assert.ErrorIs(t, err, compiler.ErrTarget, target)
		}
	})
	t.Run("an empty source after a NUL", func(t *testing.T) {
		assert.ErrorIs(t, try(func(r *compiler.Request) { r.Text = "int x;\n\x00" }), compiler.ErrInput)
	})
	t.Run("cancel", func(t *testing.T) { testCancel(t, &v) })
	if v.nvidia {
		t.Run("kinds", testKinds)
	}
	tell(t, true)
}

// depth is how often a function of the slow source calls two of the next ones.
const depth = 7

// slow takes seconds to compile.
func slow(target string) compiler.Request {
	var b strings.Builder
	b.WriteString("__device__ float f0(float x) { return x; }\n")
	for i := range depth {
		fmt.Fprintf(&b, "__device__ float f%d(float x) { return f%d(x * %d.5f) + f%d(sinf(x)); }\n",
			i+1, i, i, i)
	}
	fmt.Fprintf(&b, "extern \"C\" __global__ void k(float *x) { *x = f%d(*x); }\n", depth)
	return compiler.Request{Text: b.String(), Target: target}
}

// The caller is free at once, and the next one gets its turn as soon as the library returns.
func testCancel(t *testing.T, v *vendor) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	start := time.Now()
	_, err := v.compile(ctx, slow(v.targets[0]))
	took := time.Since(start)
	require.ErrorIs(t, err, context.Canceled)
	assert.Less(t, took, 5*time.Second)
	waited, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	start = time.Now()
	_, err = v.compile(waited, request(v.targets[0]))
	assert.NoError(t, err)
	t.Logf("cancelled after %s; the next compilation returned after %s: %v",
		took.Round(time.Millisecond), time.Since(start).Round(time.Millisecond), err)
}

// testKinds asks NVRTC for other kinds of images.
func testKinds(t *testing.T) {
	for _, c := range []struct{ target, option, arch, kind string }{
		{"compute_80", "", "compute_80", compiler.PTX},
		{"sm_86", "", "sm_86", compiler.Cubin},
		{"sm_90", "-dlto", "sm_90", compiler.LTOIR},
		{"sm_90a", "", "sm_90a", compiler.Cubin},
		{"compute_90a", "", "compute_90a", compiler.PTX},
		{"sm_81", "", "sm_80", compiler.Cubin},
		{"sm_199", "", "", compiler.PTX},
	} {
		r := request(c.target)
		if c.option != "" {
			r.Options = []string{c.option}
		}
		got, err := compiler.CUDA(t.Context(), r)
		old := fake.Newer("12.0", os.Getenv(release))
		if old && c.kind == compiler.LTOIR {
			assert.ErrorIs(t, err, compiler.ErrOption)
			continue
		}
		if old && strings.HasSuffix(c.target, "90a") {
			assert.ErrorIs(t, err, compiler.ErrTarget)
			continue
		}
		require.NoError(t, err, c.target)
		assert.Equal(t, c.kind, got.Kind, c.target)
		assert.Greater(t, len(got.Image), 100)
		if c.arch != "" {
			assert.Equal(t, c.arch, got.Target)
		}
		if got.Kind == compiler.PTX {
			assert.Contains(t, string(got.Image), ".entry saxpy(")
		}
	}
}

// A library without its second file says what is missing.
func TestIncomplete(t *testing.T) {
	for _, l := range compilers(t) {
		if l.API != "nvrtc" {
			continue
		}
		if runtime.GOOS != "linux" {
			t.Skip("links stand for the library")
		}
		alone := filepath.Join(t.TempDir(), filepath.Base(l.Path()))
		require.NoError(t, os.Symlink(l.Path(), alone))
		root, err := fake.Root()
		require.NoError(t, err)
		other := *l
		other.LibraryPath = nil
		other.Library, err = filepath.Rel(filepath.Join(root, ".reallibs"), alone)
		require.NoError(t, err)
		var done bool
		require.NoError(t, run(t, &other, program(t, l), "incomplete", alone, &done))
	}
}

func testIncomplete(t *testing.T) {
	_, err := compiler.CUDA(t.Context(), request("sm_80"))
	t.Log(err)
	require.ErrorIs(t, err, compiler.ErrIncomplete)
	assert.ErrorContains(t, err, "libnvrtc-builtins")
	tell(t, true)
}
