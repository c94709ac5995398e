package emit

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/rules"
)

// nameLike matches what may be a C name in a text: one of the API's prefixes and more.
func nameLike(p rules.Prefixes) *regexp.Regexp {
	var words []string
	for _, prefix := range slices.Concat(p.Functions, p.Types, p.Consts) {
		words = append(words, regexp.QuoteMeta(prefix))
	}
	return regexp.MustCompile(`\[?\b_*(?:` + strings.Join(words, "|") + `)\w+`)
}

// inGo replaces C names in a text by Go names: as links for a doc comment, or plain for messages.
// Names that the package does not have stay as they are.
func (p *renderer) inGo(text string, link bool) string {
	return p.cNames.ReplaceAllStringFunc(text, func(c string) string {
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
