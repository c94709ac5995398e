package header

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/internal/pxd"
	"github.com/gpuevent/gpuevent/gen/model"
)

// CrossCheck compares the release of a supplement with the file that the supplement was made from,
// in the release's folder. It returns what differs, and whether the file is there.
func (s *Supplement) CrossCheck(r model.Release, folder string) (differs []string, there bool,
	err error) {
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(s.Check.File)))
	if s.Check.File == "" || os.IsNotExist(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("%w %s: %w", ErrSupplement, s.File, err)
	}
	f, err := pxd.Parse(string(text))
	if err != nil {
		return nil, true, fmt.Errorf("%w %s: %s: %w", ErrSupplement, s.File, s.Check.File, err)
	}
	c := &crossChecker{s: s, m: r.Model, f: f}
	c.functions()
	c.enums()
	c.structs()
	slices.Sort(c.differs)
	return c.differs, true, nil
}

type crossChecker struct {
	s       *Supplement
	m       *model.Model
	f       *pxd.File
	differs []string
}

func (c *crossChecker) differ(format string, args ...any) {
	c.differs = append(c.differs, fmt.Sprintf(format, args...))
}

// ours spells a type of the model as far as the other file can say it, by tags, as it does.
func (c *crossChecker) ours(t model.Type) pxd.Type {
	return pxd.Spelled(string(t)).Resolve(c.meaning)
}

// meaning is what a name of the model stands for.
func (c *crossChecker) meaning(name string) string {
	if t := find(c.m.Typedefs, func(t *model.Typedef) bool { return t.Name == name }); t != nil {
		return string(t.Type)
	}
	if s := find(c.m.Structs, func(s *model.Struct) bool { return s.Name == name }); s != nil {
		return s.Tag
	}
	if e := find(c.m.Enums, func(e *model.Enum) bool { return e.Name == name }); e != nil {
		return e.Tag
	}
	if a := find(c.m.Aliases, func(a *model.Alias) bool { return a.Name == name }); a != nil {
		return a.Spans[0].Target
	}
	return ""
}

func (c *crossChecker) theirs(t string) pxd.Type {
	return pxd.Spelled(t).Resolve(func(name string) string {
		if to := c.f.Typedefs[name]; to != "" {
			return to
		}
		return c.meaning(name)
	})
}

// functions compares all prototypes, both ways. What an optional header declares is not in the
// file.
func (c *crossChecker) functions() {
	count := 0
	theirs := map[string]pxd.Function{}
	for name, f := range c.f.Functions {
		if a := find(c.m.Aliases, func(a *model.Alias) bool { return a.Name == name }); a != nil {
			name = a.Spans[0].Target
		}
		if name[0] != '_' {
			count++
		}
		theirs[name] = f
	}
	if count != c.s.Check.Functions {
		c.differ("%s declares %d functions, not %d", c.s.Check.File, count, c.s.Check.Functions)
	}
	for _, f := range c.m.Functions {
		if f.Header != "" || f.Name[0] == '_' {
			continue
		}
		other, ok := theirs[f.Name]
		if !ok {
			c.differ("%s is not in %s", f.Name, c.s.Check.File)
			continue
		}
		delete(theirs, f.Name)
		ours := pxd.Function{Ret: c.ours(f.Ret).String()}
		for _, p := range f.Params {
			ours.Params = append(ours.Params, c.ours(p.Type).String())
		}
		their := pxd.Function{Ret: c.theirs(other.Ret).String()}
		for _, p := range other.Params {
			their.Params = append(their.Params, c.theirs(p).String())
		}
		if ours.Ret != their.Ret || !slices.Equal(ours.Params, their.Params) {
			c.differ("%s is %v here and %v in %s", f.Name, ours, their, c.s.Check.File)
		}
	}
	for name := range theirs {
		if name[0] != '_' {
			c.differ("%s, a function, is missing", name)
		}
	}
}

// enums compares the names of enumerators; the file has no values.
func (c *crossChecker) enums() {
	for name, values := range c.f.Enums {
		e := find(c.m.Enums, func(e *model.Enum) bool { return e.Name == name || e.Tag == name })
		if e == nil {
			continue // of a header that the API does not read
		}
		var ours []string
		for _, v := range e.Values {
			ours = append(ours, v.Name)
		}
		c.lists("enum "+name, ours, values)
	}
}

// structs compares the members that have a name.
func (c *crossChecker) structs() {
	for name, fields := range c.f.Structs {
		s := find(c.m.Structs, func(s *model.Struct) bool { return s.Name == name || s.Tag == name })
		if s == nil {
			continue
		}
		var ours, theirs []string
		types := map[string]string{}
		for _, f := range s.Fields {
			if f.Name == "" {
				continue
			}
			ours = append(ours, f.Name)
			if f.Inner == nil && !strings.Contains(string(f.Type), "(") {
				types[f.Name] = c.ours(f.Type).String()
			}
		}
		for _, f := range fields {
			theirs = append(theirs, f.Name)
			want, ok := types[f.Name]
			if got := c.theirs(f.Type).String(); ok && got != want {
				c.differ("%s.%s is %s here and %s in %s", name, f.Name, want, got, c.s.Check.File)
			}
		}
		c.lists("struct "+name, ours, theirs)
	}
}

func (c *crossChecker) lists(what string, ours, theirs []string) {
	for _, n := range theirs {
		if !slices.Contains(ours, n) {
			c.differ("%s lacks %s", what, n)
		}
	}
	for _, n := range ours {
		if !slices.Contains(theirs, n) {
			c.differ("%s has %s, which %s lacks", what, n, c.s.Check.File)
		}
	}
}
