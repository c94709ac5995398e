package simrtc

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// Params returns the parameters that the Go function of a kernel has, and whether there is one.
type Params func(kernel string) ([]images.Param, bool)

// failure is an error in a text.
type failure struct {
	line int
	text string
}

// declaration is a kernel in a text.
type declaration struct {
	name     string
	line     int
	params   string
	bound    uint32 // threads of a block
	template bool
}

// blank replaces comments and texts by spaces, so that places stay.
func blank(text string) string {
	literal := regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`)
	return literal.ReplaceAllStringFunc(text, func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '\n' {
				return r
			}
			return ' '
		}, s)
	})
}

// unmatched finds a bracket without its partner.
func unmatched(text string) *failure {
	partner := map[byte]byte{')': '(', ']': '[', '}': '{'}
	closing := map[byte]byte{'(': ')', '[': ']', '{': '}'}
	var open []byte
	line := 1
	for i := range len(text) {
		switch c := text[i]; c {
		case '\n':
			line++
		case '(', '[', '{':
			open = append(open, c)
		case ')', ']', '}':
			n := len(open)
			if n == 0 {
				return &failure{line, "expected a declaration"}
			}
			if open[n-1] != partner[c] {
				return &failure{line, fmt.Sprintf("expected a \"%c\"", closing[open[n-1]])}
			}
			open = open[:n-1]
		}
	}
	if n := len(open); n > 0 {
		return &failure{line, fmt.Sprintf("expected a \"%c\"", closing[open[n-1]])}
	}
	return nil
}

var kernelPattern = regexp.MustCompile(`(template\s*<[^>]*>\s*)?\b__global__\s+` +
	`(?:__launch_bounds__\s*\(([^)]*)\)\s*)?(?:static\s+|inline\s+)*void\s+` +
	`(?:__launch_bounds__\s*\(([^)]*)\)\s*)?(\w+)\s*\(([^)]*)\)`)

// declarations finds the kernels of a text without comments, each once.
func declarations(text string) (found []declaration) {
	seen := map[string]bool{}
	for _, m := range kernelPattern.FindAllStringSubmatchIndex(text, -1) {
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		d := declaration{name: part(4), params: part(5), template: part(1) != "",
			line: 1 + strings.Count(text[:m[8]], "\n")}
		bounds, _, _ := strings.Cut(part(2)+part(3), ",")
		if n, err := strconv.ParseUint(strings.TrimSpace(bounds), 10, 32); err == nil {
			d.bound = uint32(n)
		}
		if !seen[d.name] {
			seen[d.name] = true
			found = append(found, d)
		}
	}
	return found
}

var numbers = map[string]images.Param{
	"bool": images.Int8, "char": images.Int8, "int8_t": images.Int8, "uint8_t": images.Int8,
	"short": images.Int16, "int16_t": images.Int16, "uint16_t": images.Int16,
	"int": images.Int32, "int32_t": images.Int32, "uint32_t": images.Int32, "": images.Int32,
	"long long": images.Int64, "int64_t": images.Int64, "uint64_t": images.Int64,
	"size_t": images.Int64, "float": images.Float32, "double": images.Float64,
}

var qualifier = regexp.MustCompile(
	`\b(const|volatile|unsigned|signed|__restrict__|__restrict|restrict)\b`)

// parse returns the parameters as far as their types are known here.
func (d *declaration) parse() (params []images.Param, unknown string) {
	list := strings.TrimSpace(d.params)
	if list == "" || list == "void" {
		return nil, ""
	}
	for _, p := range strings.Split(list, ",") {
		if strings.ContainsAny(p, "*[") {
			params = append(params, images.Pointer)
			continue
		}
		words := strings.Fields(qualifier.ReplaceAllString(p, " "))
		known := images.Param{}
		for n := len(words); n >= 0 && n >= len(words)-1; n-- { // the last may be the name
			if t, ok := numbers[strings.Join(words[:n], " ")]; ok && (n > 0 || qualifier.MatchString(p)) {
				known = t
				break
			}
		}
		if known.Size == 0 {
			return nil, strings.TrimSpace(p)
		}
		params = append(params, known)
	}
	return params, ""
}

// kernel is the declaration as an image has it, under a symbol.
func (d *declaration) kernel(symbol, expression string, of Params) (images.Kernel, *failure) {
	k := images.Kernel{Name: symbol, MaxThreads: d.bound}
	var unknown string
	if k.Params, unknown = d.parse(); unknown == "" {
		return k, nil
	}
	params, ok := of(expression)
	if !ok {
		return k, &failure{d.line, fmt.Sprintf("the simulated compiler does not know the type of "+
			"parameter \"%s\" of kernel %s, which has no Go function", unknown, expression)}
	}
	k.Params = params
	return k, nil
}

var notInSymbols = regexp.MustCompile(`[^A-Za-z0-9_$]+`)

// Symbol returns the symbol of a name or of a name expression: what is no letter of a symbol is
// replaced. A plain name is its own symbol.
func Symbol(expression string) string {
	e := strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(expression), "&")), "")
	if s := notInSymbols.ReplaceAllString(e, "_"); s != e {
		return "_Z" + s
	}
	return e
}
