package header

import (
	"fmt"
	"io/fs"
	"strings"

	"modernc.org/cc/v4"

	"github.com/gpuevent/gpuevent/gen/model"
)

// Targets are the platforms that every header is read for, the first one leads: names, values and
// prototypes are its own and must be the same on all others, layouts are recorded for each.
var Targets = []model.Target{
	{OS: "linux", Arch: "amd64"},
	{OS: "linux", Arch: "arm64"},
	{OS: "windows", Arch: "amd64"},
	{OS: "windows", Arch: "arm64"},
}

// expansionLimit stops headers whose macros grow without end; the vendors' need about a hundredth.
const expansionLimit = 50_000_000

// config is cc's configuration for one target, made without any compiler of the host: the same on
// every machine.
func config(t model.Target, files *files, packs *packing) (*cc.Config, error) {
	abi, err := cc.NewABI(t.OS, t.Arch)
	if err != nil {
		return nil, fmt.Errorf("no ABI for %s: %w", t, err)
	}
	var seen fs.FS = files
	if t.OS == "windows" {
		seen = &microsoftFiles{files, map[string]string{}}
	}
	return &cc.Config{
		ABI:           abi,
		FS:            seen,
		FSOnly:        true,
		Header:        true,
		EvalAllMacros: true,
		UnsignedEnums: true,
		// A quoted include is searched for in IncludePaths only, so both lists name the vendor's folder.
		IncludePaths:    []string{standInsDir, "@", files.dir, stubsDir},
		SysIncludePaths: []string{standInsDir, files.dir, stubsDir},
		ExpansionLimit:  expansionLimit,
		PragmaHandler:   pragmas(packs),
	}, nil
}

// predefined is what a GCC for the target would define as far as headers ask for it. The source
// that holds it must be named "<predefined>": cc takes __STDC_VERSION__ from no other, and without
// it alignments are silently lost.
func predefined(t model.Target, defines []string) string {
	var b strings.Builder
	def := func(name, value string) { fmt.Fprintf(&b, "#define %s %s\n", name, value) }
	def("__STDC__", "1")
	def("__STDC_VERSION__", "201710L")
	def("__STDC_HOSTED__", "1")
	def("__GNUC__", "12") // without it headers leave their deprecation attributes out
	def("__GNUC_MINOR__", "2")
	def("__GNUC_PATCHLEVEL__", "0")
	def("__CHAR_BIT__", "8")
	def("__has_attribute(x)", "0") // undefined, some headers take their C++ branch in C
	def("__has_builtin(x)", "0")
	def("__has_feature(x)", "0")
	def("__has_extension(x)", "0")
	def("__has_cpp_attribute(x)", "0")
	def("__SIZEOF_POINTER__", "8")
	def("__SIZEOF_INT__", "4")
	def("__SIZEOF_LONG_LONG__", "8")
	def("__UINT16_TYPE__", "unsigned short")
	def("__UINT32_TYPE__", "unsigned int")
	def("__UINT64_TYPE__", "unsigned long long")
	switch t.OS {
	case "windows": // LLP64
		def("_WIN32", "1")
		def("_WIN64", "1")
		def("__SIZEOF_LONG__", "4")
		def("__SIZE_TYPE__", "unsigned long long")
		def("__PTRDIFF_TYPE__", "long long")
		def("__WCHAR_TYPE__", "unsigned short")
		// The calling conventions are one and the same on 64 bits.
		for _, cv := range []string{"__stdcall", "__cdecl", "__fastcall", "_stdcall", "_cdecl"} {
			def(cv, "")
		}
		// What another target says by an attribute must be the same here.
		def("__declspec(x)", "__attribute__((__declspec_##x))")
		def("__declspec_deprecated", "deprecated") // a text may follow, as "(x)" follows align
		def("__declspec_align", "aligned")
		for _, x := range []string{"dllimport", "dllexport", "noinline", "noreturn", "nothrow"} {
			def("__declspec_"+x, "")
		}
		def("__int64", "long long")
		def("__int32", "int")
	default: // LP64
		def("__linux__", "1")
		def("__unix__", "1")
		def("__LP64__", "1")
		def("_LP64", "1")
		def("__SIZEOF_LONG__", "8")
		def("__SIZE_TYPE__", "unsigned long")
		def("__PTRDIFF_TYPE__", "long")
		def("__WCHAR_TYPE__", "int")
	}
	switch t.Arch {
	case "amd64":
		def("__x86_64__", "1")
		def("__amd64__", "1")
	case "arm64":
		def("__aarch64__", "1")
	}
	for _, d := range defines {
		name, value, ok := strings.Cut(d, "=")
		if !ok {
			value = "1"
		}
		def(name, value)
	}
	return b.String()
}
