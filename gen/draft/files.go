package draft

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// Files are the texts of the draft by file name.
func (d *Draft) Files() map[string]string {
	return map[string]string{
		d.API + ".toml":        d.binding(),
		d.API + ".facts.toml":  d.facts(),
		d.API + ".docs.toml":   d.docs(),
		d.API + ".errors.toml": d.errors(),
	}
}

// writer makes TOML.
type writer struct{ strings.Builder }

func (w *writer) linef(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (w *writer) list(key string, values []string) {
	var quoted []string
	for _, v := range values {
		quoted = append(quoted, fmt.Sprintf("%q", v))
	}
	w.linef("%s = [%s]", key, strings.Join(quoted, ", "))
}

func (w *writer) numbers(key string, values []int) {
	w.linef("%s = [%s]", key, strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ", "), "[]"))
}

func (d *Draft) binding() string {
	w, b := new(writer), &d.Rules
	w.linef("# How the API of %s becomes package %s. This is a draft: what is marked with ? was\n"+
		"# guessed. The keys are explained in gen/rules: rules.go, header.go and library.go.\n",
		b.Header.Main(), d.API)
	w.linef("[package]")
	w.linef("name = %q", d.API)
	w.linef("vendor = %q # ? in front of versions in messages", strings.ToUpper(d.API))
	w.linef("title = %q # ? what documents call the API", strings.ToUpper(d.API)+" API")
	w.linef("result = %q # ? the enum that functions return", b.Result)
	w.linef("success = %q", b.Success)
	w.linef("unknown = %q # ? what C gets from a callback that panicked", b.Unknown)
	if b.Pending != "" {
		w.linef("pending = %q # ? no error, but \"not ready yet\"", b.Pending)
	}
	w.list("errprefix", b.ErrPrefix)
	w.linef("docs = \"\" # where the vendor's pages are")
	w.linef("about = \"\"\"\nWhat the package is for.\"\"\"\n")
	w.linef("[header]")
	w.list("files", b.Header.Files)
	if len(b.Header.Defines) > 0 {
		w.list("defines", b.Header.Defines)
	}
	if len(b.Header.Foreign) > 0 {
		w.list("foreign", b.Header.Foreign)
	}
	w.list("prefixes", b.Header.Prefixes)
	w.linef("packages = [] # of a package index, for tools/fetch -update: \"lib%s-dev\"\n", d.API)
	if len(b.Header.Stubs) > 0 {
		w.linef("[header.stubs]")
		for _, name := range slices.Sorted(maps.Keys(b.Header.Stubs)) {
			w.linef("%q = %q", name, b.Header.Stubs[name])
		}
		w.linef("")
	}
	w.linef("[header.version]")
	d.version(w)
	w.linef("\n[library]")
	l := &b.Library
	w.linef("name = %q", l.Name)
	w.linef("title = %q", strings.ToUpper(d.API)+" library")
	w.linef("env = %q", l.Env)
	w.linef("remedy = %q # ? in the error of a library that is not there", "install "+d.API)
	w.linef("update = %q # ? in the error of a function that the library lacks", "update "+d.API)
	if l.Probe != "" {
		w.linef("probe = %q # ? a symbol that the library must have", l.Probe)
	}
	if v := &l.Version; v.Function != "" {
		w.linef("\n[library.version] # ?")
		w.linef("function = %q", v.Function)
		w.linef("reads = %q", v.Reads)
		if len(v.Format) > 0 {
			w.numbers("format", v.Format)
		}
		if v.Parts > 0 {
			w.linef("parts = %d", v.Parts)
		}
	}
	w.linef("\n[library.linux] # ?")
	w.list("names", l.Linux.Names)
	w.linef(`folders = ["", "/usr/lib/{triplet}", "/usr/lib64"] # "" is the dynamic loader's search`)
	w.linef("\n[library.windows] # ?")
	w.list("names", l.Windows.Names)
	w.linef(`folders = ["{system32}"]`)
	w.linef("\n[prefixes] # ? what C names lose")
	w.list("functions", b.Prefixes.Functions)
	w.list("types", b.Prefixes.Types)
	w.list("consts", b.Prefixes.Consts)
	w.linef("\n[names]")
	w.linef("%s = { go = \"Result\", why = \"the error of the package\" }", b.Result)
	return w.String()
}

func (d *Draft) version(w *writer) {
	switch v := &d.Rules.Header.Version; {
	case len(v.Macros) > 0:
		w.list("macros", v.Macros)
	case v.Macro != "":
		w.linef("macro = %q # ?", v.Macro)
		w.numbers("format", v.Format)
	default:
		w.linef("release = true # the headers do not tell: folders are named by the release")
	}
}

// facts lists every parameter whose way the generator can't know, with its guess.
func (d *Draft) facts() string {
	w := new(writer)
	w.linef("# Facts about the %s API that its headers do not state. This is a draft: a line\n"+
		"# that begins with # is a guess. Read the vendor's documentation, correct the line and\n"+
		"# remove the #. A wrong \"out\" lets C write beyond what Go holds; where the documentation is\n"+
		"# silent, \"inout\" is safe. Ways: in, out, inout, buffer, out:string,\n"+
		"# string:<parameter with the length>; :optional behind one says that NULL is allowed.\n",
		d.API)
	w.linef("[direction]")
	shapes := rules.NewShapes(d.Model)
	callbacks := map[string]*model.Typedef{}
	for i := range d.Model.Typedefs {
		if t := &d.Model.Typedefs[i]; t.Kind == "callback" {
			callbacks[t.Name] = t
		}
	}
	var used []string
	for i := range d.Model.Functions {
		f := &d.Model.Functions[i]
		said, called := false, false
		for j, p := range f.Params {
			if callbacks[string(p.Type)] != nil {
				called = true
				if !slices.Contains(used, string(p.Type)) {
					used = append(used, string(p.Type))
				}
			}
			c, err := p.Type.Parse()
			if err != nil || c.Kind != model.Pointer || c.Elem.Const || shapes.Handle(p.Type) {
				continue
			}
			if !said {
				w.linef("\n# %s", f.C())
				said = true
			}
			guess := rules.GuessDirection(f, j, shapes)
			if called && p.Type == "void *" { // the callback's own
				guess = rules.Direction{Way: rules.In}
			}
			w.linef("# %q = %q", f.Name+"."+p.Name, guess.String())
		}
	}
	if len(used) > 0 {
		w.linef("\n# How long C may call a callback: once (later), call (during the call), object\n" +
			"# (until what it was given to is gone), until:<function>. userdata is its parameter for\n" +
			"# the caller's data, \"\" if it has none.\n[callback]")
		for _, name := range used {
			w.linef("# %s\n# %s = { userdata = %q, lifetime = \"once\" }", callbacks[name].C(), name,
				userData(callbacks[name]))
		}
	}
	return w.String()
}

// userData guesses the parameter that hands the caller's data back: the last void pointer.
func userData(t *model.Typedef) string {
	for _, p := range slices.Backward(t.Params) {
		if p.Type == "void *" {
			return p.Name
		}
	}
	return ""
}

func (d *Draft) docs() string {
	w := new(writer)
	w.linef("# Texts of the %s API for doc comments, in our own words: never the vendor's\n"+
		"# sentences. A text continues the name in lower case, without a full stop: \"creates an\n"+
		"# event\". Whatever stays \"\" is a warning of gen emit.", d.API)
	groups := map[string]bool{}
	for _, f := range d.Model.Functions {
		if f.Group != "" && !groups[f.Group] {
			groups[f.Group] = true
			w.linef("\n[groups.%q]\ntitle = \"\"\nfile = %q # z<file>.go; small groups can share one",
				f.Group, fileName(f.Group))
		}
	}
	w.linef("\n[functions]")
	for i := range d.Model.Functions {
		f := &d.Model.Functions[i]
		w.linef("# %s\n%s = \"\"", f.C(), f.Name)
	}
	w.linef("\n[types]")
	var types []string
	for _, e := range d.Model.Enums {
		types = append(types, e.Name)
	}
	for _, s := range d.Model.Structs {
		types = append(types, s.Name)
	}
	for _, t := range d.Model.Typedefs {
		if t.Kind != "alias" {
			types = append(types, t.Name)
		}
	}
	slices.Sort(types)
	for _, t := range types {
		if !strings.Contains(t, ".") {
			w.linef("%q = \"\"", t)
		}
	}
	return w.String()
}

// fileName makes a part of a file name of a group's name.
func fileName(group string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(group))
}

func (d *Draft) errors() string {
	w := new(writer)
	w.linef("# What the result codes of the %s API mean and what to do about them, in our own\n"+
		"# words. A code without a text is a warning of gen emit. sticky = true: all further work in\n"+
		"# the process or context fails.", d.API)
	for _, e := range d.Model.Enums {
		if e.Name != d.Rules.Result {
			continue
		}
		for _, v := range e.Values {
			if v.Name != d.Rules.Success {
				w.linef("\n[%s] # %d\nsays = \"\"\nremedy = \"\"", v.Name, v.Value)
			}
		}
	}
	return w.String()
}
