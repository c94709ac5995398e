package emit

import (
	"go/token"
	"regexp"
	"strings"
	"unicode"
)

var (
	versionSuffix = regexp.MustCompile(`_[vV](\d+)$`)
	allCaps       = regexp.MustCompile(`^[A-Z0-9_]+$`)
)

// cutVersion removes the ABI version from a C name: cuCtxCreate_v2 is cuCtxCreate and "V2".
func cutVersion(c string) (base, suffix string) {
	if m := versionSuffix.FindStringSubmatchIndex(c); m != nil {
		return c[:m[0]], "V" + c[m[2]:m[3]]
	}
	return c, ""
}

// cutPrefix removes the longest prefix that leaves a name.
func cutPrefix(c string, prefixes []string) string {
	c = strings.TrimLeft(c, "_")
	best := ""
	for _, p := range prefixes {
		if strings.HasPrefix(c, p) && len(p) > len(best) && len(p) < len(c) &&
			(strings.HasSuffix(p, "_") || !unicode.IsLower(rune(c[len(p)])) ||
				!unicode.IsLower(rune(p[len(p)-1]))) {
			best = p
		}
	}
	return strings.TrimLeft(c[len(best):], "_")
}

// camel makes an exported Go name from the rest of a C name: parts between underscores begin with a
// capital; a part that is all capitals becomes a word, and keeps the capitals of short runs after a
// digit: MEMCPY2D is Memcpy2D, INT8X4 is Int8X4.
func camel(c string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(c, "_") {
		if allCaps.MatchString(part) {
			part = word(part)
		}
		if part != "" {
			b.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	s := b.String()
	if s == "" || !unicode.IsLetter(rune(s[0])) {
		s = "X" + s
	}
	return s
}

// word lowers a part in capitals except its first letter and short runs after a digit.
func word(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); {
		j := i
		for j < len(p) && unicode.IsDigit(rune(p[j])) == unicode.IsDigit(rune(p[i])) {
			j++
		}
		switch run := p[i:j]; {
		case i > 0 && len(run) <= 2:
			b.WriteString(run)
		default:
			b.WriteString(run[:1] + strings.ToLower(run[1:]))
		}
		i = j
	}
	return b.String()
}

// lower makes an unexported Go name from a C parameter or field: dstHost stays, hStream stays,
// Flags is flags, numDevices_out is numDevicesOut.
func lower(c string) string {
	s := camel(c)
	n := 0
	for n < len(s) && unicode.IsUpper(rune(s[n])) {
		n++
	}
	switch {
	case n <= 1:
	case n == len(s):
		return strings.ToLower(s)
	default:
		n-- // the last capital begins the next word: PCIBusId is pciBusId
	}
	return strings.ToLower(s[:n]) + s[n:]
}

var hungarian = regexp.MustCompile(`^(p|ph|pp|pc)[A-Z]`)

// resultName is the name of a result: a parameter's, without the p that says pointer.
func resultName(c string) string {
	if m := hungarian.FindString(c); m != "" && len(c) > len(m) {
		c = c[len(m)-1:]
	}
	return lower(c)
}

// words that can't be the name of a parameter, because generated bodies use them.
var taken = map[string]string{
	"type":      "typ",
	"func":      "function",
	"map":       "mapping",
	"range":     "span",
	"default":   "fallback",
	"package":   "pkg",
	"var":       "variable",
	"interface": "iface",
	"select":    "choice",
	"switch":    "selector",
	"chan":      "channel",
	"go":        "goArg",
	"defer":     "deferArg",
	"import":    "source",
	"struct":    "structure",
	"const":     "constant",
	"len":       "length",
	"string":    "text",
	"error":     "failure",
	"nil":       "null",
	"new":       "fresh",
	"copy":      "source",
	"addr":      "address",
	"err":       "failure",
	"call":      "callArg",
	"rc":        "code",
	"out":       "output",
	"unsafe":    "unsafeArg",
	"runtime":   "runtimeArg",
	"ccall":     "ccallArg",
	"callback":  "callbackFn",
	"fmt":       "format",
	"result":    "res",
	"uintptr":   "word",
	"int32":     "number",
	"bool":      "flag",
	"init":      "initial",
}

// argName is the name of a parameter in Go.
func argName(c string) string {
	s := lower(c)
	if t, ok := taken[s]; ok {
		return t
	}
	if token.IsKeyword(s) {
		return s + "Arg"
	}
	return s
}
