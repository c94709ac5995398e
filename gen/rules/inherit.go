package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// formSuffix is the suffix of another form of a function: a version, or a default stream.
var formSuffix = regexp.MustCompile(`_(v\d+|ptsz|ptds|spt)$`)

// inherit gives a function without a text, which the rule files do not know, the facts of its
// closest known form: the same name without the newest suffix, or the highest version below. Facts
// apply to parameters of the same name and type. Each is reported for review, like a guess.
func (c *checker) inherit() {
	types := NewShapes(c.m)
	for i := range c.m.Functions {
		f := &c.m.Functions[i]
		if c.r.Docs.Functions[f.Name] != "" {
			continue
		}
		if from := c.elder(f); from != nil {
			c.inheritFrom(f, from, types)
		}
	}
}

// elder returns the known form that is closest to a new one.
func (c *checker) elder(f *model.Function) *model.Function {
	base := f.Name
	for formSuffix.MatchString(base) {
		base = formSuffix.ReplaceAllString(base, "")
	}
	var best *model.Function
	for i := range c.m.Functions {
		o := &c.m.Functions[i]
		rest, ok := strings.CutPrefix(o.Name, base)
		if !ok || o == f || c.r.Docs.Functions[o.Name] == "" || rest != "" &&
			!formSuffix.MatchString(rest) {
			continue
		}
		if best == nil || model.CompareVersions(o.Since, best.Since) > 0 || o.Since == best.Since &&
			o.Name > best.Name {
			best = o
		}
	}
	return best
}

func (c *checker) inheritFrom(f, from *model.Function, types *Shapes) {
	facts := &c.r.Facts
	counts := slices.ContainsFunc(f.Params, func(q model.Param) bool {
		return types.mayCount(q) && !hasParam(from, q.Name)
	})
	for _, q := range f.Params {
		if !slices.ContainsFunc(from.Params, func(o model.Param) bool {
			return o.Name == q.Name && o.Type == q.Type
		}) {
			continue
		}
		to, was := f.Name+"."+q.Name, from.Name+"."+q.Name
		dir, known := facts.Direction[was]
		if dir.Way == Text && !hasParam(f, dir.Length) {
			continue
		}
		if dir.Way == Out && counts { // it may have become an array
			continue
		}
		if _, has := facts.Direction[to]; known && !has {
			facts.Direction[to] = dir
			c.r.Inherited = append(c.r.Inherited, Guess{to, dir.String() + ", as of " + from.Name})
		}
		inheritKey(facts.ParamType, to, was)
		inheritKey(facts.Retains, to, was)
		inheritKey(facts.Callback, to, was)
		inheritKey(c.r.Binding.GoTypes, to, was)
		inheritKey(c.r.Binding.Buffers, to, was)
		for k, family := range c.r.Binding.MacroFlags {
			if slices.Contains(family.Uses, was) && c.r.Binding.MacroTypeOf(to) == "" {
				family.Uses = append(slices.Clip(family.Uses), to)
				c.r.Binding.MacroFlags[k] = family
			}
		}
		if slices.Contains(facts.Strings.NoText, was) {
			facts.Strings.NoText = append(facts.Strings.NoText, to)
		}
	}
	for _, list := range []*[]string{&facts.Context.None, &facts.Device.None} {
		if slices.Contains(*list, from.Name) && !slices.Contains(*list, f.Name) {
			*list = append(*list, f.Name)
		}
	}
}

func inheritKey[V any](m map[string]V, to, was string) {
	v, known := m[was]
	if _, has := m[to]; known && !has {
		m[to] = v
	}
}
