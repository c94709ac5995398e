package rules

import "github.com/gpuevent/gpuevent/gen/model"

// Lacks reports whether the libraries of a release lack the function.
func (m Missing) Lacks(release string) bool {
	return m.Reason != "" && (m.From == "" || model.CompareVersions(release, m.From) >= 0) &&
		(m.Until == "" || model.CompareVersions(release, m.Until) < 0)
}

// Layouts is what a model can't say about structs that releases lay out differently. A function
// that takes one is refused in libraries with another layout than the newest.
type Layouts struct {
	// A library of another major version than the newest header's may have laid them out anew, so the
	// functions are refused there, too.
	Majors bool `toml:"majors"`
	// Structs that grew at their end, and why an older library is right with the newer layout: by the
	// struct's name, or the typedef's.
	Grown map[string]string `toml:"grown"`
	// Functions that take numbers whose meaning changed with a major version, and the type of these;
	// with Majors only.
	Functions map[string]string `toml:"functions"`
	// Structs whose members moved, and why no library that can be had is wrong.
	Moved map[string]string `toml:"moved"`
}

// layouts checks the table.
func (c *checker) layouts() {
	s, shapes := c.r.sources["toml"], NewShapes(c.m)
	for table, reasons := range map[string]map[string]string{
		"layouts.grown": c.r.Binding.Layouts.Grown, "layouts.moved": c.r.Binding.Layouts.Moved} {
		for _, k := range sortedKeys(reasons) {
			switch st := shapes.structs[shapes.final(k)]; {
			case st == nil:
				c.bad(s.key(table, k, "no struct is named %q", k))
			case reasons[k] == "":
				c.bad(s.key(table, k, "%s needs a reason", k))
			}
		}
	}
	for _, k := range sortedKeys(c.r.Binding.Layouts.Functions) {
		of := c.r.Binding.Layouts.Functions[k]
		switch p := s.key("layouts.functions", k, "no type is named %q", of); {
		case !c.function(p, k):
		case c.types[of] == "":
			c.bad(p)
		case !c.r.Binding.Layouts.Majors:
			c.bad(s.key("layouts.functions", k, "functions are refused by number with majors only"))
		}
	}
}
