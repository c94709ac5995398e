package rules

import (
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// follow moves facts about a parameter that a newer header renamed to the new name, so that facts
// stay valid with a new header version. Each is a warning, because the fact should be renamed too.
func (c *checker) follow() {
	f, b := &c.r.Facts, &c.r.Binding
	followMap(c, "facts.toml", "retains", f.Retains)
	followMap(c, "facts.toml", "paramtype", f.ParamType)
	followMap(c, "facts.toml", "direction", f.Direction)
	followMap(c, "facts.toml", "callback", f.Callback)
	followMap(c, "toml", "gotype", b.GoTypes)
	followMap(c, "toml", "buffers", b.Buffers)
	for _, k := range sortedKeys(b.MacroFlags) {
		for i, place := range b.MacroFlags[k].Uses {
			if now, ok := c.renamed(place); ok {
				b.MacroFlags[k].Uses[i] = now
				c.r.Warnings = append(c.r.Warnings,
					c.r.sources["toml"].item("macroflags."+k, place,
						"%s is called %s in the newest header; rename it here", place, now))
			}
		}
	}
	for i, place := range f.Strings.NoText {
		if now, ok := c.renamed(place); ok {
			f.Strings.NoText[i] = now
		}
	}
	for place, dir := range f.Direction {
		if dir.Way != Text {
			continue
		}
		if now, ok := c.renamed(ParsePlace(place).Sibling(dir.Length).String()); ok {
			dir.Length = ParsePlace(now).Path
			f.Direction[place] = dir
		}
	}
	for place, cb := range f.Callback {
		if now, ok := c.renamed(ParsePlace(place).Sibling(cb.UserData).String()); ok {
			cb.UserData = ParsePlace(now).Path
			f.Callback[place] = cb
		}
	}
}

func followMap[V any](c *checker, ext, table string, m map[string]V) {
	for _, place := range sortedKeys(m) {
		now, ok := c.renamed(place)
		if !ok {
			continue
		}
		if _, taken := m[now]; !taken {
			m[now] = m[place]
		}
		delete(m, place)
		c.r.Warnings = append(c.r.Warnings,
			c.r.sources[ext].key(table, place, "%s is called %s in the newest header; rename it here", place,
				now))
	}
}

func hasParam(f *model.Function, name string) bool {
	return slices.ContainsFunc(f.Params, func(q model.Param) bool { return q.Name == name })
}

// renamed finds what function.param is called now: a parameter whose name differs only in case and
// underscores, one that had this name in an older header, or the one at the same position of an
// older prototype with as many parameters.
func (c *checker) renamed(place string) (string, bool) {
	at := ParsePlace(place)
	fn, name := at.Of, at.Path
	f := c.functions[fn]
	if f == nil || name == "" || hasParam(f, name) {
		return "", false
	}
	plain := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }
	for _, q := range f.Params {
		if plain(q.Name) == plain(name) {
			return fn + "." + q.Name, true
		}
	}
	for _, q := range f.Params {
		if slices.ContainsFunc(q.Was, func(w model.Former) bool { return w.Name == name }) {
			return fn + "." + q.Name, true
		}
	}
	for _, v := range slices.Backward(f.Variants) {
		i := slices.IndexFunc(v.Params, func(q model.Param) bool { return q.Name == name })
		if i >= 0 && len(v.Params) == len(f.Params) {
			return fn + "." + f.Params[i].Name, true
		}
	}
	return "", false
}
