package emit

import (
	"regexp"

	"github.com/dave/jennifer/jen"
)

// renderer writes the Go source that a plan describes.
type renderer struct {
	*Plan
	cNames *regexp.Regexp // in texts
}

func newRenderer(p *Plan) *renderer { return &renderer{p, nameLike(p.Rules.Binding.Prefixes)} }

// parts are the files of the API's package, by name.
func (p *renderer) parts() map[string]*jen.File {
	parts := map[string]*jen.File{}
	p.renderFunctions(parts)
	p.renderHandles(parts)
	p.renderEnums(parts)
	p.renderStructs(parts)
	p.renderConsts(parts)
	p.renderResult(parts)
	p.renderCallbacks(parts)
	p.renderSince(parts)
	p.renderLoad(parts)
	p.renderLayouts(parts)
	return parts
}
