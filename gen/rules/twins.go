package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// TwinOf is the function whose second symbol a C name is, and what its Go name begins with.
func (b *Binding) TwinOf(name string, functions []model.Function) (of, prefix string) {
	for _, p := range sortedKeys(b.Twins) {
		base, ok := strings.CutPrefix(name, p)
		if ok && slices.ContainsFunc(functions, func(f model.Function) bool { return f.Name == base }) {
			return base, b.Twins[p].Go
		}
	}
	return "", ""
}

// twins gives a second symbol the facts and the text of its function, as far as it has none.
func (c *checker) twins() {
	b, d, facts := &c.r.Binding, &c.r.Docs, &c.r.Facts
	for _, p := range sortedKeys(b.Twins) {
		t := b.Twins[p]
		if t.Go == "" || strings.Count(t.Says, "%s") != 1 || strings.Count(t.Says, "%") != 1 {
			c.bad(c.r.sources["toml"].key("twins", p, "a family of second symbols needs go and a text "+
				"says with one %%s"))
			return
		}
	}
	for i := range c.m.Functions {
		f := &c.m.Functions[i]
		base, prefix := b.TwinOf(f.Name, c.m.Functions)
		if prefix == "" {
			continue
		}
		if d.Functions[f.Name] == "" {
			if d.Functions == nil {
				d.Functions = map[string]string{}
			}
			d.Functions[f.Name] = fmt.Sprintf(b.Twins[strings.TrimSuffix(f.Name, base)].Says, base)
		}
		if why := b.Twins[strings.TrimSuffix(f.Name, base)].Missing; why != "" {
			if b.Missing == nil {
				b.Missing = map[string]Missing{}
			}
			if _, has := b.Missing[f.Name]; !has {
				b.Missing[f.Name] = Missing{Reason: why}
			}
		}
		of := c.functions[base]
		for j, q := range f.Params {
			if j >= len(of.Params) || of.Params[j].Type != q.Type {
				continue
			}
			to, was := f.Name+"."+q.Name, base+"."+of.Params[j].Name
			inheritKey(facts.Direction, to, was)
			inheritKey(facts.ParamType, to, was)
			inheritKey(facts.Retains, to, was)
			inheritKey(facts.Callback, to, was)
			inheritKey(b.GoTypes, to, was)
			inheritKey(b.Buffers, to, was)
			if slices.Contains(facts.Strings.NoText, was) {
				facts.Strings.NoText = append(facts.Strings.NoText, to)
			}
		}
	}
}
