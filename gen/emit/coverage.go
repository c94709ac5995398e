package emit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// Coverage describes how much of an API is bound, version by version.
type Coverage struct {
	API, Package string
	Releases     []ReleaseCoverage // newest first
	Unbound      []Unbound         // in some version, with the reason
	Unproved     []Unproved        // newest first; nil without a list of proofs
	Prototypes   []string          // functions that older versions declare with other types
	Layouts      []string          // structs that older versions lay out differently
	Proved       bool              // a list of proofs was there
}

// ReleaseCoverage counts one version.
type ReleaseCoverage struct {
	Version                 string
	Functions, Types, Const Count
}

// Count is how many entities a header declares, how many of them are bound, and of how many the
// oracle has proved the binding.
type Count struct{ Declared, Bound, Proved int }

// Unproved are the C names that are bound, and were not compared with a version as Go has them:
// that version declares them in another way.
type Unproved struct {
	Version string
	Names   []string
}

// Proved are the C names that the oracle has proved, by the version that it compared them with.
type Proved map[string]ProvedNames

// ProvedNames are the names that the oracle has proved in one version.
type ProvedNames struct {
	Functions []string `json:"functions"`
	Types     []string `json:"types"`
	Consts    []string `json:"consts"`
}

// known is the set of the names, each with its kind.
func (n ProvedNames) known() map[string]bool {
	known := map[string]bool{}
	for kind, names := range map[string][]string{"function": n.Functions, "type": n.Types,
		"constant": n.Consts} {
		for _, name := range names {
			known[kind+" "+name] = true
		}
	}
	return known
}

// Cover compares every version that the model holds with the bindings. proved is nil without a list
// of proofs.
func (p *Plan) Cover(proved Proved) (*Coverage, error) {
	c := &Coverage{API: p.Rules.API, Package: p.Rules.Binding.Package, Proved: proved != nil}
	functions, consts := map[string]bool{}, map[string]bool{}
	for _, f := range p.funcs {
		functions[f.Name] = true
	}
	for _, n := range p.Names {
		if n.Kind == "const" {
			consts[n.C] = true
		}
	}
	reasons := map[string]string{}
	for _, u := range p.Unbound {
		reasons[u.C] = u.Reason
	}
	missing := map[string]Unbound{}
	for i := len(p.Model.Versions) - 1; i >= 0; i-- {
		v := p.Model.Versions[i].Name
		view, err := p.Model.View(v)
		if err != nil {
			return nil, err
		}
		r, known, unproved := ReleaseCoverage{Version: v}, proved[v].known(), map[string]bool{}
		count := func(n *Count, kind, name string, bound bool) {
			n.Declared++
			switch {
			case !bound:
				reason := reasons[name]
				if reason == "" {
					reason = "not expressed in Go"
				}
				missing[kind+" "+name] = Unbound{kind, name, reason}
			case known[kind+" "+name]:
				n.Bound++
				n.Proved++
			default:
				n.Bound++
				unproved[name] = true
			}
		}
		for _, f := range view.Functions {
			count(&r.Functions, "function", f.Name, functions[f.Name])
		}
		for _, t := range typesOf(view) {
			count(&r.Types, "type", t, p.typeBound(t))
		}
		for _, k := range constsOf(view) {
			count(&r.Const, "constant", k, consts[k])
		}
		c.Releases = append(c.Releases, r)
		if c.Proved && len(unproved) > 0 {
			c.Unproved = append(c.Unproved, Unproved{v, slices.Sorted(keys(unproved))})
		}
	}
	for _, k := range slices.Sorted(keys(missing)) {
		c.Unbound = append(c.Unbound, missing[k])
	}
	for _, f := range p.Model.Functions {
		if slices.ContainsFunc(f.Variants, func(v model.Prototype) bool { return !sameProto(v, &f) }) {
			c.Prototypes = append(c.Prototypes, f.Name)
		}
	}
	for _, s := range p.Model.Structs {
		if slices.ContainsFunc(s.Variants,
			func(v model.StructVariant) bool { return v.Layouts[0].Size != s.Layouts[0].Size }) {
			c.Layouts = append(c.Layouts, s.Name)
		}
	}
	return c, nil
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// typesOf are the type names that a version declares; the anonymous enums are none.
func typesOf(m *model.Model) []string {
	var out []string
	for _, e := range m.Enums {
		if !strings.Contains(e.Name, ".") {
			out = append(out, e.Name)
		}
	}
	for _, s := range m.Structs {
		out = append(out, s.Name)
	}
	for _, t := range m.Typedefs {
		out = append(out, t.Name)
	}
	return out
}

// constsOf are the enumerators and constant macros of a version, each name once.
func constsOf(m *model.Model) []string {
	seen := map[string]bool{}
	for _, e := range m.Enums {
		for _, v := range e.Values {
			seen[v.Name] = true
		}
	}
	for _, k := range m.Consts {
		seen[k.Name] = true
	}
	return slices.Sorted(keys(seen))
}

// typeBound reports whether a C type has a Go type; incomplete structs, of which only pointers are
// used, count by their handle.
func (p *Plan) typeBound(c string) bool {
	if p.res.types[c] != nil {
		return true
	}
	_, opaque := p.res.types[c]
	return opaque
}

// Text is the coverage of all APIs as Markdown.
func Text(cs []*Coverage) string {
	var b strings.Builder
	b.WriteString("# Coverage\n\n" +
		"Written by `gen coverage` from the specs. Per API and header version: how many\n" +
		"functions, types and constants the headers declare, how many of them are bound in Go, and for " +
		"how\n" +
		"many the oracle has proved, with a C compiler, that the binding passes every word, lays out " +
		"every\n" +
		"field and has every value right. Proved counts what was compared with a C library of that " +
		"very\nversion: what the version declares in another way than Go has it is bound and not " +
		"proved.\n")
	for _, c := range cs {
		c.text(&b)
	}
	return b.String()
}

func (c *Coverage) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s: package %s\n\n", c.API, c.Package)
	b.WriteString(
		"| version | functions | bound | proved | types | bound | proved | constants | bound | proved " +
			"|\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
	)
	cell := func(n Count) string {
		proved := "-"
		if c.Proved {
			proved = share(n.Proved, n.Declared)
		}
		return fmt.Sprintf("%d | %s | %s", n.Declared, share(n.Bound, n.Declared), proved)
	}
	for _, r := range c.Releases {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", r.Version, cell(r.Functions), cell(r.Types),
			cell(r.Const))
	}
	b.WriteByte('\n')
	if len(c.Unbound) == 0 {
		b.WriteString("Unbound: none.\n")
	} else {
		b.WriteString("Unbound:\n\n")
		for _, u := range c.Unbound {
			fmt.Fprintf(b, "- %s `%s`: %s\n", u.Kind, u.C, u.Reason)
		}
	}
	list := func(title string, names []string) {
		if len(names) > 0 {
			fmt.Fprintf(b, "\n%s\n\n", title)
			for _, n := range names {
				fmt.Fprintf(b, "- `%s`\n", n)
			}
		}
	}
	if len(c.Unproved) > 0 {
		b.WriteString("\nBound, and not proved: " +
			"the version declares it in another way than Go has it.\n\n")
		for _, u := range c.Unproved {
			listed(b, u.Version, u.Names)
		}
	}
	list("Functions that older headers declare with other types. "+
		"The Go function has the newest prototype; its\ndoc comment shows the others:", c.Prototypes)
	list("Structs that had another size in older headers. "+
		"The Go struct has the newest layout; its doc comment\ngives the sizes:", c.Layouts)
}

// listed writes an item with a list of names, in lines of moderate length.
func listed(b *strings.Builder, item string, names []string) {
	const most = 100
	line := "- " + item + ":"
	for i, n := range names {
		n = " `" + n + "`"
		if i < len(names)-1 {
			n += ","
		}
		if len(line)+len(n) > most {
			b.WriteString(line + "\n")
			line = " "
		}
		line += n
	}
	b.WriteString(line + "\n")
}

// share is a count, with the percentage where it is not all.
func share(n, of int) string {
	if n == of {
		return fmt.Sprintf("%d", n)
	}
	return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(of))
}
