package emit

import (
	"regexp"
	"strings"
)

// cWord matches what may be a C name in a text: a vendor's prefix and another capital.
var cWord = regexp.MustCompile(`\[?\b(?:_*hip|cu|CU|HIP)[A-Za-z0-9_]*[A-Z_][A-Za-z0-9_]*\b`)

// inGo replaces C names in a text by Go names: as links for a doc comment, or plain for messages.
// Names that the package does not have stay as they are.
func (p *renderer) inGo(text string, link bool) string {
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
