package simrtc

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// Result codes, which the vendors share but for that of an option.
const (
	success           = 0
	invalidInput      = 3
	invalidProgram    = 4
	invalidOption     = 5
	compilation       = 6
	noNewNames        = 8
	noLoweredYet      = 9
	unknownExpression = 10
)

// program is a program object of either library.
type program struct {
	mu           sync.Mutex
	text, name   string
	expressions  []string
	compiled     bool
	lowered      map[string][]byte // C texts, by expression
	log          string
	ptx, machine []byte
}

// kernels finds what the text and the name expressions ask for.
func (p *program) kernels(of Params) (all []images.Kernel, bad *failure) {
	text := blank(p.text)
	if bad := unmatched(text); bad != nil {
		return nil, bad
	}
	found := declarations(text)
	add := func(d *declaration, symbol, expression string) {
		k, wrong := d.kernel(symbol, expression, of)
		if wrong != nil && bad == nil {
			bad = wrong
		}
		all = append(all, k)
	}
	for i := range found {
		if d := &found[i]; !d.template {
			add(d, d.name, d.name)
		}
	}
	p.lowered = map[string][]byte{}
	for _, e := range p.expressions {
		symbol := Symbol(e)
		p.lowered[e] = append([]byte(symbol), 0)
		base := base(e)
		for i := range found {
			if d := &found[i]; d.name == base && d.template {
				add(d, symbol, strings.TrimSpace(strings.TrimPrefix(e, "&")))
			}
		}
		if !regexp.MustCompile(`\b` + regexp.QuoteMeta(base) + `\b`).MatchString(text) {
			return nil, &failure{1, fmt.Sprintf("name expression \"%s\": identifier \"%s\" is undefined",
				e, base)}
		}
	}
	return all, bad
}

// base returns the name in an expression: reduce of ns::reduce<float>.
func base(expression string) string {
	e, _, _ := strings.Cut(expression, "<")
	e = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(e), "&"))
	return strings.TrimSpace(e[strings.LastIndexByte(e, ':')+1:])
}

// option returns the value of an option that is spelt in one of several ways; the last one counts.
func option(options []string, spellings ...string) (value string) {
	for i, o := range options {
		for _, s := range spellings {
			if v, ok := strings.CutPrefix(o, s+"="); ok {
				value = v
			} else if o == s && i+1 < len(options) {
				value = options[i+1]
			}
		}
	}
	return value
}
