package emit

import (
	"regexp"
	"strings"
)

// cWord finds what may be a C name in a text: a vendor's prefix is there, and another capital.
var cWord = regexp.MustCompile(`\[?\b(?:_*hip|cu|CU|HIP)[A-Za-z0-9_]*[A-Z_][A-Za-z0-9_]*\b`)

// inGo is a text of ours with the Go names in the place of the C names that it uses: as links of a
// doc comment, or plain, for messages. What the package does not have stays as it is.
func (p *Plan) inGo(text string, link bool) string {
	return cWord.ReplaceAllStringFunc(text, func(c string) string {
		if strings.HasPrefix(c, "[") {
			return c
		}
		for _, kind := range []string{"func", "type", "const"} {
			g := p.namer.goOf[[2]string{kind, c}]
			switch {
			case g == "":
			case link:
				return "[" + g + "]"
			default:
				return g
			}
		}
		return c
	})
}
