package compiler

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// ErrNotCacheable: what comes of a request depends on more than the request and the compiler.
var ErrNotCacheable = errors.New("the result can't be cached")

// CUDACacheable returns nil if the result of a request to NVRTC depends on nothing but the request
// and the compiler, and has no side effects. Otherwise it says why, as [ErrNotCacheable]:
//
//   - an #include of what is not in Headers under exactly that name, in the text or a header, an
//     #embed, a __has_include, an assembler's .incbin: it reads a file, or would if it was there;
//   - __DATE__, __TIME__ or __TIMESTAMP__;
//   - an option that is not known to be harmless: those for include folders (-I), files included
//     first, precompiled headers and timings read or write files.
func CUDACacheable(r Request) error { return cacheable(&r, harmlessCUDA) }

// HIPCacheable is [CUDACacheable] for hipRTC, which also takes options from variables of the
// environment.
func HIPCacheable(r Request) error {
	for _, v := range []string{"HIPRTC_COMPILE_OPTIONS_APPEND", "HIPRTC_LINK_OPTIONS_APPEND",
		"CCC_OVERRIDE_OPTIONS", "AMD_COMGR_EMIT_VERBOSE_LOGS", "AMD_COMGR_SAVE_TEMPS"} {
		if os.Getenv(v) != "" {
			return fmt.Errorf("%w: the variable %s changes it", ErrNotCacheable, v)
		}
	}
	return cacheable(&r, harmlessHIP)
}

// Options that read and write nothing. A list of those that do would miss the next one.
var (
	harmlessCUDA = regexp.MustCompile(`^(` +
		`-D.+|-U.+|--(un)?define-macro=.+|--?std=[\w+]+|-w|--disable-warnings|` +
		`--?(use_fast_math|extra-device-vectorization|restrict|minimal|default-device|` +
		`device-as-default-execution-space|device-int128|device-float128|extensible-whole-program|ewp|` +
		`device-c|dc|device-w|dw|device-debug|G|generate-line-info|lineinfo|dlto|dlink-time-opt|` +
		`gen-opt-lto|jtd|builtin-move-forward|builtin-initializer-list|brief-diagnostics|brief-diag|` +
		`(no-)?(display-error-number|err-no)|device-stack-protector|ftz|prec-sqrt|prec-div|fmad|` +
		`relocatable-device-code|rdc|modify-stack-limit|Ofast-compile|Ofc|dopt)(=\w+)?|` +
		`--?(maxrregcount|split-compile|jump-table-density)=\d+|--?(frandom-seed|random-seed)=\w+|` +
		`--?(diag-(error|suppress|warn)|opt-info|optimization-info)=[\w,-]+|` +
		`(-Xptxas|--ptxas-options)=(-O\d|-v|--verbose|-dlcm=\w+|--?warn-[\w-]+)` + `)$`)
	harmlessHIP = regexp.MustCompile(`^(` +
		`-D.+|-U.+|--?std=[\w+]+|-O[0-3sz]?|-Ofast|-w|-pedantic|-W[a-z][\w+=-]*|` +
		`-g[0-3]?|-ggdb[0-3]?|-gline-tables-only|-default-device|-lineinfo|--hip-version=[\w.]+|` +
		`-f(no-)?(fast-math|finite-math-only|associative-math|reciprocal-math|math-errno|` +
		`signed-zeros|trapping-math|approx-func|unsafe-math-optimizations|honor-nans|` +
		`honor-infinities|unroll-loops|vectorize|slp-vectorize|inline|inline-functions|` +
		`strict-aliasing|exceptions|rtti|char8_t|signed-char|wrapv|trapv|builtin|` +
		`merge-all-constants|omit-frame-pointer|gpu-flush-denormals-to-zero|` +
		`gpu-approx-transcendentals|gpu-allow-device-init|color-diagnostics|caret-diagnostics|` +
		`hip-fp32-correctly-rounded-divide-sqrt|operator-names|ms-extensions)|` +
		`-f(fp-contract|fp-model|fp-exception-behavior|fp-eval-method|denormal-fp-math|` +
		`error-limit|template-depth|constexpr-depth|constexpr-steps|bracket-depth|visibility|` +
		`gpu-inline-threshold|gpu-default-stream)=[\w,.-]+|` +
		`-m(no-)?(unsafe-fp-atomics|cumode|wavefrontsize64|amdgpu-ieee|tgsplit|` +
		`amdgpu-precise-memory-op)|-m(code-object-version|printf-kind)=\w+|` +
		`--gpu-max-threads-per-block=\d+` + `)$`)
	takesValue = regexp.MustCompile(`^(-D|-U|--(un)?define-macro|--?std|--?maxrregcount)$`)
)

func cacheable(r *Request, harmless *regexp.Regexp) error {
	for i := 0; i < len(r.Options); i++ {
		o := r.Options[i]
		if reads.MatchString(o) {
			return fmt.Errorf("%w: the option %s may read files", ErrNotCacheable, o)
		}
		if takesValue.MatchString(o) && i+1 < len(r.Options) {
			i++ // its value is any text
			if reads.MatchString(r.Options[i]) {
				return fmt.Errorf("%w: the option %s %s may read files", ErrNotCacheable, o, r.Options[i])
			}
			continue
		}
		if !harmless.MatchString(o) {
			return fmt.Errorf("%w: the option %s may read or write files", ErrNotCacheable, o)
		}
	}
	if err := closed(r, r.Text); err != nil {
		return err
	}
	for _, text := range r.Headers {
		if err := closed(r, text); err != nil {
			return err
		}
	}
	return nil
}

var (
	// reads are words that read files, in a directive or in its condition. What looks like one in a
	// comment counts too.
	reads = regexp.MustCompile(
		`(?m)^.*(?:#|%:|\?\?=).*(?:include|import|embed).*$|^.*(?:#|%:|\?\?=)\s*/\*.*$|` +
			`__has_(?:include|embed)|__(?:DATE|TIME|TIMESTAMP)__|\.inc(?:bin|lude)`)
	include = regexp.MustCompile(`^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)\s*(?://.*)?$`)
)

// closed checks that a text includes only headers of the request.
func closed(r *Request, text string) error {
	text = strings.NewReplacer("\r\n", "\n", "\\\n", "").Replace(text)
	for _, line := range reads.FindAllString(text, -1) {
		if m := include.FindStringSubmatch(line); m != nil {
			if _, ok := r.Headers[m[1]+m[2]]; ok {
				continue
			}
		}
		return fmt.Errorf("%w: %q depends on more than the headers given",
			ErrNotCacheable, strings.TrimSpace(line))
	}
	return nil
}
