package emit

import (
	"fmt"

	"github.com/dave/jennifer/jen"
)

// missing describes which libraries lack a function that headers declare.
func (p spec) missing(c string) string {
	m := p.Rules.Binding.Missing[c]
	switch {
	case m.Reason == "":
		return ""
	case m.Always():
		return "No library exports it: " + sentence(m.Reason)
	case m.From == "":
		return fmt.Sprintf("Libraries export it only from %s %s on: %s", p.vendor(), p.named(m.Until),
			sentence(m.Reason))
	case m.Until == "":
		return fmt.Sprintf("Libraries from %s %s on lack it: %s", p.vendor(), p.named(m.From),
			sentence(m.Reason))
	}
	return fmt.Sprintf("Libraries from %s %s on lack it, until %s: %s", p.vendor(),
		p.named(m.From), p.named(m.Until),
		sentence(m.Reason))
}

// proofMissing is the same as a field of the proof tables.
func (p spec) proofMissing(c string) []jen.Code {
	switch m := p.Rules.Binding.Missing[c]; {
	case m.Reason == "":
		return nil
	case m.Always():
		return []jen.Code{jen.Id("Missing").Op(":").Lit(m.Reason)}
	default:
		return []jen.Code{
			jen.Id("Gap").Op(":").Id("Gap").Values(jen.Lit(m.Reason), jen.Lit(m.From), jen.Lit(m.Until)),
		}
	}
}
