package compiler

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// options and header change a request.
func options(list ...string) func(*Request) { return func(r *Request) { r.Options = list } }

func header(name, text string) func(*Request) {
	return func(r *Request) { r.Headers = map[string]string{name: text} }
}

// What Go can check never reaches a library.
func TestRefused(t *testing.T) {
	lib := map[string]*library{"cuda": fakeNVRTC(t, "nvrtc"), "hip": fakeHIPRTC(t, "hiprtc")}
	compile := map[string]func(context.Context, Request) (Result, error){"cuda": CUDA, "hip": HIP}
	targets := map[string]string{"cuda": "sm_90", "hip": "gfx90a"}
	many := slices.Repeat([]string{"-G"}, most+1)
	const both = "both"
	for name, c := range map[string]struct {
		backend string
		reason  error
		change  func(*Request)
	}{
		"no text":             {both, ErrInput, func(r *Request) { r.Text = " \n" }},
		"NUL in the text":     {both, ErrInput, func(r *Request) { r.Text = "a\nb\x00" }},
		"NUL in the name":     {both, ErrInput, func(r *Request) { r.Name = "a\x00" }},
		"newline in it":       {both, ErrInput, func(r *Request) { r.Name = "a\nb" }},
		"unnamed header":      {both, ErrInput, header("", "x")},
		"NUL in its name":     {both, ErrInput, header("\x00", "x")},
		"NUL in a header":     {both, ErrInput, header("a", "\x00")},
		"empty option":        {both, ErrOption, options("")},
		"NUL in an option":    {both, ErrOption, options("-D\x00")},
		"too many options":    {both, ErrInput, func(r *Request) { r.Options = many }},
		"too many names":      {both, ErrInput, func(r *Request) { r.Names = many }},
		"blank expression":    {both, ErrName, func(r *Request) { r.Names = []string{"f", " "} }},
		"newline in one":      {both, ErrName, func(r *Request) { r.Names = []string{"f\n#error"} }},
		"quote in one":        {both, ErrName, func(r *Request) { r.Names = []string{`"`} }},
		"no target":           {"cuda", ErrTarget, func(r *Request) { r.Target = "" }},
		"a target twice":      {both, ErrOption, options("--gpu-architecture=x")},
		"in two words":        {both, ErrOption, options("-arch", "x")},
		"OptiX":               {"cuda", ErrOption, options("--optix-ir")},
		"AMD's target":        {"cuda", ErrTarget, func(r *Request) { r.Target = "gfx90a" }},
		"NVIDIA's target":     {"hip", ErrTarget, func(r *Request) { r.Target = "sm_90" }},
		"offload-arch":        {"hip", ErrOption, options("--offload-arch=gfx90a")},
		"empty header":        {"hip", ErrInput, header("a", "")},
		"header outside":      {"hip", ErrInput, header("../a", "x")},
		"header with a root":  {"hip", ErrInput, header("/a", "x")},
		"Windows' separators": {"hip", ErrInput, header(`..\a`, "x")},
		"bitcode":             {"hip", ErrOption, options("-fgpu-rdc")},
		"LLVM's options":      {"hip", ErrOption, options("-mllvm", "-x")},
		"LLVM's, hidden":      {"hip", ErrOption, options("-Xclang=-mllvm")},
		"a crash":             {"hip", ErrOption, options("-ftime-report")},
		"another crash":       {"hip", ErrOption, options("-save-stats=obj")},
		"help":                {"hip", ErrOption, options("--help")},
	} {
		for backend, f := range compile {
			if c.backend != both && c.backend != backend {
				continue
			}
			r := Request{Text: "x", Target: targets[backend]}
			c.change(&r)
			_, err := f(t.Context(), r)
			assert.ErrorIs(t, err, c.reason, "%s, %s", backend, name)
			assert.NotContains(t, lib[backend].called(), "CreateProgram", "%s, %s", backend, name)
		}
	}
	_, err := CUDA(t.Context(), Request{Text: "x", Target: "sm_80", Name: "tab\t.cu",
		Headers: map[string]string{"../a.h": ""}})
	assert.NoError(t, err, "NVRTC has no files")
}

// Without a compiler the error says how to install one, and how to do without.
func TestNotInstalled(t *testing.T) {
	fake.Absent(t, &libs.NVRTC, filepath.Join(t.TempDir(), "libnvrtc.so.13"))
	fake.Absent(t, &libs.HIPRTC, filepath.Join(t.TempDir(), "libhiprtc.so.7"))
	_, err := CUDA(t.Context(), Request{Text: "x", Target: "sm_80"})
	assert.ErrorIs(t, err, ErrNotInstalled)
	assert.ErrorContains(t, err, "the Python package nvidia-cuda-nvrtc")
	assert.ErrorContains(t, err, "compute.Load takes an image")
	_, err = HIP(t.Context(), Request{Text: "x", Target: "gfx90a"})
	assert.ErrorIs(t, err, ErrNotInstalled)
	assert.ErrorContains(t, err, "libamd_comgr")
	assert.ErrorContains(t, err, "compute.Load takes an image")
	_, _, err = CUDAVersion()
	assert.ErrorIs(t, err, ErrNotInstalled)
}
