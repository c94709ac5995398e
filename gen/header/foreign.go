package header

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// isForeign reports whether a header belongs to another API, whose folder this one's headers need.
func (f *files) isForeign(name string) bool {
	rel := strings.TrimPrefix(name, strings.TrimSuffix(f.dir, "/")+"/")
	return slices.ContainsFunc(f.foreign, func(pattern string) bool {
		ok, err := path.Match(pattern, rel)
		return ok && err == nil
	})
}

// prune drops the types of foreign headers that nothing of the API uses.
func (u *unit) prune() {
	if len(u.alien) == 0 {
		return
	}
	used := map[string]bool{}
	var visit func(model.Type)
	var fields func(*model.Struct)
	params := func(ret model.Type, ps []model.Param) {
		visit(ret)
		for _, p := range ps {
			visit(p.Type)
		}
	}
	fields = func(s *model.Struct) {
		for _, f := range s.Fields {
			if f.Inner != nil {
				fields(f.Inner)
			} else {
				visit(f.Type)
			}
		}
	}
	typedef := func(t *model.Typedef) {
		visit(t.Type)
		params(t.Ret, t.Params)
	}
	visit = func(t model.Type) {
		c, err := t.Parse()
		if err != nil || c.Base() == "" {
			return
		}
		name := c.Base()
		if n := u.names[name]; n != "" {
			name = n
		}
		if _, tag, ok := strings.Cut(name, " "); ok {
			name = tag
		}
		if used[name] {
			return
		}
		used[name] = true
		if s := u.structs[name]; s != nil {
			fields(s)
		}
		if t := u.typedefs[name]; t != nil {
			typedef(t)
		}
	}
	alien := func(name string) bool {
		head, _, _ := strings.Cut(name, ".")
		return u.alien[head]
	}
	for _, f := range u.functions {
		params(f.Ret, f.Params)
	}
	for name, s := range u.structs {
		if !alien(name) {
			fields(s)
		}
	}
	for name, t := range u.typedefs {
		if !alien(name) {
			typedef(t)
		}
	}
	unused := func(name string) bool { return alien(name) && !used[name] }
	maps.DeleteFunc(u.structs, func(name string, _ *model.Struct) bool { return unused(name) })
	maps.DeleteFunc(u.typedefs, func(name string, _ *model.Typedef) bool { return unused(name) })
	maps.DeleteFunc(u.enums, func(name string, _ *model.Enum) bool { return unused(name) })
	maps.DeleteFunc(u.enumerators, func(_, enum string) bool { return unused(enum) })
}
