package image

import (
	"slices"
	"strconv"
	"strings"
)

// Runs reports whether code for a target, one of [Image.Targets], runs on a device, as far as the
// names say: "sm_80" on "sm_86", "compute_90" on "sm_100", "gfx942" on "gfx942:sramecc+:xnack-".
// The driver's age is another matter.
func Runs(target, device string) bool {
	if strings.HasPrefix(device, "gfx") {
		return runsAMD(target, device)
	}
	on, _, ok := smOf(strings.TrimPrefix(device, "sm_"))
	if !ok {
		return false
	}
	if name, isPTX := strings.CutPrefix(target, "compute_"); isPTX {
		n, suffix, ok := smOf(name)
		switch suffix {
		case "a":
			return ok && n == on
		case "f":
			return ok && n <= on && n/10 == on/10
		}
		return ok && n <= on
	}
	n, suffix, ok := smOf(strings.TrimPrefix(target, "sm_"))
	return ok && n <= on && n/10 == on/10 && (suffix != "a" || n == on)
}

// smOf splits "90a".
func smOf(s string) (n int, suffix string, ok bool) {
	digits := strings.TrimRight(s, "af")
	n, err := strconv.Atoi(digits)
	return n, s[len(digits):], err == nil && n > 0
}

// generic are the processors that code for a generic one runs on. Source: LLVM's AMDGPUUsage,
// "AMDGPU Generic Processors".
var generic = map[string][]string{
	"gfx9-generic":   {"gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"},
	"gfx9-4-generic": {"gfx940", "gfx941", "gfx942", "gfx950"},
	"gfx10-1-generic": {"gfx1010", "gfx1011", "gfx1012",
		"gfx1013"},
	"gfx10-3-generic": {"gfx1030", "gfx1031", "gfx1032", "gfx1033", "gfx1034", "gfx1035", "gfx1036"},
	"gfx11-generic": {"gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx1150", "gfx1151", "gfx1152",
		"gfx1153"},
	"gfx12-generic": {"gfx1200", "gfx1201"},
}

// runsAMD compares the processors, and the features that both name.
func runsAMD(target, device string) bool {
	name, features, _ := strings.Cut(target, ":")
	on, has, _ := strings.Cut(device, ":")
	if name == "amdgcnspirv" {
		return true
	}
	if name != on && !slices.Contains(generic[name], on) {
		return false
	}
	state := map[string]string{}
	for f := range strings.SplitSeq(has, ":") {
		if f != "" {
			state[f[:len(f)-1]] = f
		}
	}
	for f := range strings.SplitSeq(features, ":") {
		if f == "" {
			continue
		}
		if s, known := state[f[:len(f)-1]]; known && s != f {
			return false
		}
	}
	return true
}
