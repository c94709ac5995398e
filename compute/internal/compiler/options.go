package compiler

import (
	"slices"
	"strings"
)

// standard is the language unless the request names one. Releases of hipRTC differ in theirs.
const standard = "-std=c++17"

// is reports whether an option is the one of a name: alone, or with a value behind = or a space.
func is(option string, names ...string) bool {
	name, _, _ := strings.Cut(option, "=")
	name, _, _ = strings.Cut(name, " ")
	return slices.Contains(names, name)
}

// has reports whether one of the options is one of these.
func has(options []string, names ...string) bool {
	return slices.ContainsFunc(options, func(o string) bool { return is(o, names...) })
}

// withStandard puts the language in front of options without one.
func withStandard(options []string) []string {
	if has(options, "-std", "--std") {
		return options
	}
	return append([]string{standard}, options...)
}

// forbidden are options with their reason.
type forbidden map[string][]string

const (
	namesTarget = "names an architecture: make it the target"
	asksOther   = "asks for what is not loaded as a module: use the bindings of the compiler"
	crashes     = "makes the compiler crash"
	endsProcess = "ends the process if LLVM does not know what follows it: use the bindings of the " +
		"compiler, in a process of its own"
)

var (
	forbiddenCUDA = forbidden{
		namesTarget: {"-arch", "--gpu-architecture"},
		asksOther:   {"-optix-ir", "--optix-ir", "-tile-ir", "--tile-ir"},
	}
	forbiddenHIP = forbidden{
		namesTarget: {"--offload-arch", "--gpu-architecture", "--cuda-gpu-arch", "--no-offload-arch",
			"--offload-targets", "--offload", "-arch"},
		asksOther: {"-fgpu-rdc", "-E", "-S", "-M", "-MM", "-fsyntax-only", "--help", "-help",
			"--version", "--autocomplete"},
		crashes: {"-ftime-report", "-save-stats"},
	}
)

// llvm is the option whose value LLVM reads itself. At one that it does not know it calls exit.
const llvm = "-mllvm"

// checkOptions refuses those that would change what the result is, or end the process.
func (r *Request) checkOptions(not forbidden) error {
	for _, o := range r.Options {
		if strings.Contains(o, llvm) { // also behind -Xclang=
			return r.refuse(ErrOption, "%s %s", o, endsProcess)
		}
	}
	for reason, names := range not {
		for _, o := range r.Options {
			if is(o, names...) {
				return r.refuse(ErrOption, "%s %s", o, reason)
			}
		}
	}
	return nil
}
