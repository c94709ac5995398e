package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/rules"
)

// Review lists every decision that heuristics made, with the Go signature that came of it, for a
// maintainer to compare with the vendor's documentation; nil if there is none. A fact takes a line
// off the list. The lock has the signatures, so that none of them changes unseen.
func (p *Plan) Review() []byte {
	if len(p.Guesses) == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Decisions of heuristics about %s, for review. What the documentation says "+
		"becomes a fact in\n# specs/%s.facts.toml, also where a decision is right.\n",
		p.Rules.API, p.Rules.API)
	byOwner := map[string][]rules.Guess{}
	for _, g := range p.Guesses {
		of := rules.ParsePlace(g.Place).Of
		byOwner[of] = append(byOwner[of], g)
	}
	for _, of := range slices.Sorted(keys(byOwner)) {
		fmt.Fprintf(&b, "\n%s\n", p.signatureOf(of))
		list := byOwner[of]
		slices.SortFunc(list, func(a, b rules.Guess) int {
			return strings.Compare(a.Place+a.Choice, b.Place+b.Choice)
		})
		for _, g := range list {
			fmt.Fprintf(&b, "  %s: %s\n", g.Place, g.Choice)
		}
	}
	return []byte(b.String())
}

// signatureOf is how the lock spells a C name, or the C name.
func (p *Plan) signatureOf(c string) string {
	for _, n := range p.Names {
		if n.C == c && n.Kind != "const" {
			return n.String()
		}
	}
	return c
}
