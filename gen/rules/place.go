package rules

import "strings"

// Place names a parameter of a function or a member of a type: toyCopy.dst, TOY_DESC.res.array.
type Place struct {
	Of   string // the function or the type
	Path string // the parameter, or the member with those around it, joined by dots
}

// ParsePlace reads a place; one without a dot names the function or the type itself.
func ParsePlace(s string) Place {
	of, path, _ := strings.Cut(s, ".")
	return Place{of, path}
}

// String spells the place as the rule files do.
func (p Place) String() string {
	if p.Path == "" {
		return p.Of
	}
	return p.Of + "." + p.Path
}

// Sibling is the place of another parameter of the same function, or of another member of the same
// type.
func (p Place) Sibling(name string) Place { return Place{p.Of, name} }
