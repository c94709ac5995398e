package compiler

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCacheableOptions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cacheable func(Request) error
		good, bad []string
	}{
		{CUDACacheable, []string{"-DN=4", "-UX", "--define-macro=X=1", "-std=c++20", "--use_fast_math",
			"-lineinfo", "-G", "--maxrregcount=32", "--fmad=false", "-ftz=true", "-dlto", "-rdc=true",
			"-default-device", "--diag-suppress=177,20", "-Xptxas=-O1", "--ptxas-options=-v", "--minimal",
			"--extra-device-vectorization", "-w"},
			[]string{"-I/usr/include", "-I", "--include-path=x", "--pre-include=a.h",
				"-include=a.h", "--pch",
				"--create-pch=x", "--use-pch=x", "--pch-dir=x", "--time=x.csv", "-time=x",
				"--fdevice-time-trace=x", "--use-bundled-headers=x", "--ptxas-options=--options-file=x",
				"-Xptxas=-optf", "x.cu", "--no-such-option", "@file", `-DX=__has_include("a")`,
				"-DT=__TIME__"}},
		{HIPCacheable, []string{"-DN=4", "-O3", "-ffast-math", "-fno-fast-math",
			"-ffp-contract=fast", "-g",
			"-munsafe-fp-atomics", "-mno-wavefrontsize64", "-Wall", "-Wno-unused", "-w", "-std=gnu++20",
			"--gpu-max-threads-per-block=256", "-default-device"},
			[]string{"-Ix", "-I", "-isystem", "-includex", "-include-pch", "-imacros", "-o", "-MD", "-MF",
				"-ftime-trace", "-fsave-optimization-record", "-fprofile-use=x", "-fplugin=x", "-fmodules",
				"-save-temps", "-Wl,-x", "-Wp,-MD,x", "@file", "--config=x", "--rocm-path=x", "-fstack-usage",
				"-x", "-gsplit-dwarf", "file.cpp", "-isysroot", "-resource-dir=x", "--embed-dir=x"}},
	} {
		for _, o := range c.good {
			assert.NoError(t, c.cacheable(Request{Text: "x", Options: []string{o}}), o)
		}
		for _, o := range c.bad {
			assert.ErrorIs(t, c.cacheable(Request{Text: "x", Options: []string{o}}), ErrNotCacheable, o)
		}
		assert.NoError(t, c.cacheable(Request{Text: "x", Options: []string{"-D", "X", "-U", "Y"}}))
		assert.Error(t, c.cacheable(Request{Text: "x", Options: []string{"-D", "T=__DATE__"}}))
		assert.Error(t, c.cacheable(Request{Text: "x", Options: []string{"-D", "X", "Y"}}))
		assert.Error(t, c.cacheable(Request{Text: "x", Options: []string{"-D"}}))
	}
}

func TestCacheableTexts(t *testing.T) {
	t.Parallel()
	headers := map[string]string{"a.h": "#pragma once\n#include <b/c.h>\n", "b/c.h": "int c;"}
	for _, text := range []string{"int x;", `#include "a.h"`, "#include <a.h>",
		"  #  include\t<a.h> // why",
		"#include \"a.h\"\r\n#include <b/c.h>\r\n", "// includes nothing", "int include;",
		"#incl\\\nude \"a.h\"", "#define N 4\n#if N\n#endif"} {
		assert.NoError(t, CUDACacheable(Request{Text: text, Headers: headers}), text)
	}
	for _, text := range []string{`#include "d.h"`, "#include <stdint.h>", `#include "/etc/passwd"`,
		`#include "./a.h"`, "#include H", "#  include /* x */ <d.h>", "%:include <d.h>",
		"??=include <d.h>",
		"#/**/include <d.h>", "#/* \n */include <d.h>", "#inc\\\nlude <d.h>",
		"#if __has_include(<d.h>)\n#endif",
		"#embed \"d\"", "#import <d.h>", "#include_next <a.h>", `const char *t = __TIME__;`, "__DATE__",
		"__TIMESTAMP__", `asm(".incbin \"/etc/passwd\"");`, "#define INC __has_include(<x>)",
		"#include \"a.h\" \"d.h\""} {
		assert.ErrorIs(t, HIPCacheable(Request{Text: text, Headers: headers}), ErrNotCacheable, text)
	}
	headers["b/c.h"] = "#include <limits>"
	assert.ErrorIs(t, CUDACacheable(Request{Text: "x", Headers: headers}), ErrNotCacheable)
}

// Variables that hipRTC takes options from.
func TestCacheableEnvironment(t *testing.T) {
	t.Setenv("HIPRTC_COMPILE_OPTIONS_APPEND", "-O0")
	assert.ErrorIs(t, HIPCacheable(Request{Text: "x"}), ErrNotCacheable)
	assert.NoError(t, CUDACacheable(Request{Text: "x"}))
}
