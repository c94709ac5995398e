package emit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

const libsPath = modulePath + "/internal/libs"

// loadNames are the Go names in zload.go.
var loadNames = []string{"Attempt", "ErrAlreadyLoaded", "ErrLibraryNotFound", "ErrSymbolNotFound",
	"Has", "LibraryError", "Load", "Path", "Since", "SymbolError"}

// library is the expression for the API's library.
func (p spec) library() *jen.Statement {
	return jen.Qual(libsPath, p.Rules.Binding.Library.Name)
}

// renderLoad writes zload.go: how the package opens its library, and the errors of that.
func (p *renderer) renderLoad(parts map[string]*jen.File) {
	f, l := p.file(), &p.Rules.Binding.Library
	say := func(format string, args ...any) []jen.Code {
		d := new(doc)
		d.para(format, args...)
		return d.comments()
	}
	group := func(format string, args ...any) {
		for _, c := range say(format, args...) {
			f.Add(c)
		}
	}
	if p.Rules.Binding.Doc != "" {
		d := new(doc)
		d.para("Package %s binds the %s.", p.Rules.Binding.Package, p.Rules.Binding.Title)
		for text := range strings.SplitSeq(strings.TrimSpace(p.Rules.Binding.Doc), "\n\n") {
			d.para("%s", strings.Join(strings.Fields(text), " "))
		}
		for _, l := range d.lines {
			f.PackageComment(strings.TrimRight("// "+l, " "))
		}
	}
	group("Errors of loading. Test for them with [errors.Is]; [errors.As] finds a [*LibraryError] " +
		"or a [*SymbolError] with the details.")
	f.Var().DefsFunc(func(g *jen.Group) {
		def := func(name, format string, args ...any) {
			for _, c := range say(name+": "+format, args...) {
				g.Add(c)
			}
			g.Id(name).Op("=").Qual(dlPath, name)
		}
		def("ErrLibraryNotFound", "no %s could be opened. A [*LibraryError] lists every path tried, "+
			"each with its reason.", l.Title)
		def("ErrSymbolNotFound", "the library lacks the function. The error names the symbol, the %s "+
			"version that introduced it and the library's version.", p.vendor())
		def("ErrAlreadyLoaded", "[Load] was called with a path, but another library is in use.")
	})
	f.Line()
	f.Type().DefsFunc(func(g *jen.Group) {
		def := func(name, says string) {
			g.Comment("// " + name + " is " + says)
			g.Id(name).Op("=").Qual(libErrPath, name)
		}
		def("LibraryError", "the error that matches [ErrLibraryNotFound], for [errors.As].")
		def("Attempt", "one path of a [LibraryError], and why it failed.")
		def("SymbolError", "the error that matches [ErrSymbolNotFound], for [errors.As].")
	})
	f.Line()
	p.loadDoc().to(f)
	f.Func().Id("Load").Params(jen.Id("paths").Op("...").String()).Error().Block(
		jen.Return(p.library().Dot("Load").Call(jen.Id("paths").Op("..."))))
	f.Line()
	group("Path returns the path or name that the library was opened by, or \"\" while none is open.")
	f.Func().Id("Path").Params().String().Block(jen.Return(p.library().Dot("Path").Call()))
	f.Line()
	example, since := p.example()
	group("Has reports whether the library has a symbol, by its exported C name%s. It is false if "+
		"there is no library.", example)
	f.Func().Id("Has").Params(jen.Id("symbol").String()).Bool().Block(
		jen.Return(p.library().Dot("Has").Call(jen.Id("symbol"))))
	f.Line()
	group("Since returns the %s version that introduced a symbol, by its exported C name%s. If "+
		"headers between two versions were not read, it names both. It is \"\" for a name that is not "+
		"a function of this package. The text is for people; use [Has] to check for a function. Since "+
		"opens no library.", p.vendor(), since)
	f.Func().Id("Since").Params(jen.Id("symbol").String()).String().Block(
		jen.Return(jen.Id("since").Call(jen.Id("symbol"))))
	parts["zload.go"] = f
}

func (p *renderer) loadDoc() *doc {
	l, d := &p.Rules.Binding.Library, new(doc)
	d.para("Load opens the %s, as the first call otherwise does. Call it only to choose the library, "+
		"or to search again after a failure.", l.Title)
	search := "it uses a library that the process has already loaded, or tries " +
		strings.Join(append(slices.Clone(l.Linux.Names), l.Windows.Names...), ", ") +
		" in the known folders."
	if l.Search != "" {
		search = l.Search
	}
	d.para("If paths are given, Load tries only those, in order. Otherwise it tries the paths in the "+
		"environment variable %s. If that is not set, %s", l.Env, search)
	probe := l.Probe
	if probe == "" {
		probe = l.Version.Function
	}
	d.para("Load opens only files, never a toolkit's linker stub, and rejects a library without %s. "+
		"Programs that run with more rights than the user who started them (setuid, setgid, file "+
		"capabilities) ignore the variables. An open library is never closed; asking for another path "+
		"then returns [ErrAlreadyLoaded].", probe)
	return d
}

// example is what the doc comments of Has and Since say about a function.
func (p *renderer) example() (has, since string) {
	name := p.Rules.Binding.Library.Example
	i := slices.IndexFunc(p.Model.Functions, func(f model.Function) bool { return f.Name == name })
	if i < 0 {
		return "", ""
	}
	return fmt.Sprintf(": Has(%q)", name), fmt.Sprintf(": Since(%q) is %q", name,
		p.began(p.Model.Functions[i].Span))
}

// renderLibrary writes internal/libs/z<api>.go: what internal/dl must know about the library.
func (p *Plan) renderLibrary() *jen.File {
	l := &p.Rules.Binding.Library
	f := p.newFile(libsPath, "libs")
	d := new(doc)
	d.para("%s is the %s.", l.Name, l.Title)
	d.to(f)
	f.Var().Id(l.Name).Op("=").Qual(dlPath, "Library").Values(jen.DictFunc(func(dict jen.Dict) {
		text := func(field, value string) {
			if value != "" {
				dict[jen.Id(field)] = jen.Lit(value)
			}
		}
		text("Name", l.Title)
		text("API", p.vendor())
		text("Env", l.Env)
		text("Remedy", l.Remedy)
		text("Update", l.Update)
		text("Probe", l.Probe)
		dict[jen.Id("Search")] = searchOf(l)
		if l.Version.Function != "" {
			dict[jen.Id("Version")] = p.versionOf(&l.Version, &p.Rules.Binding.Header.Version)
		}
	}))
	return f
}

func searchOf(l *rules.Library) *jen.Statement {
	return jen.Qual(dlPath, "Search").Values(jen.DictFunc(func(dict jen.Dict) {
		for name, s := range map[string]rules.Search{"Linux": l.Linux, "Windows": l.Windows} {
			if len(s.Names) > 0 {
				dict[jen.Id(name)] = placesOf(s)
			}
		}
	}))
}

func placesOf(s rules.Search) *jen.Statement {
	return jen.Qual(dlPath, "Places").Values(jen.DictFunc(func(dict jen.Dict) {
		dict[jen.Id("Names")] = textLines(s.Names)
		dict[jen.Id("Folders")] = textLines(s.Folders)
		if len(s.Needs) > 0 {
			dict[jen.Id("Needs")] = jen.Index().Index().String().ValuesFunc(func(g *jen.Group) {
				for _, names := range s.Needs {
					g.ValuesFunc(func(g *jen.Group) {
						for _, n := range names {
							g.Lit(n)
						}
					})
				}
			})
		}
	}))
}

// textLines is a list of strings, one a line.
func textLines(list []string) *jen.Statement {
	return jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, s := range list {
			g.Line().Lit(s)
		}
		g.Line()
	})
}

// readings are the names of package dl for what version functions write.
var readings = map[string]string{"numbers": "Numbers", "struct": "Struct", "text": "Text"}

func (p *Plan) versionOf(v *rules.LibraryVersion, h *rules.HeaderVersion) *jen.Statement {
	return jen.Qual(dlPath, "Version").Values(jen.DictFunc(func(dict jen.Dict) {
		dict[jen.Id("Symbol")] = jen.Lit(v.Function)
		if name := readings[v.Reads]; name != "" {
			dict[jen.Id("Reads")] = jen.Qual(dlPath, name)
		}
		if len(v.Format) > 0 {
			dict[jen.Id("Format")] = jen.Index().Int().ValuesFunc(func(g *jen.Group) {
				for _, n := range v.Format {
					g.Lit(n)
				}
			})
		}
		if v.Parts > 0 {
			dict[jen.Id("Parts")] = jen.Lit(v.Parts)
		}
		if v.Label != "" {
			dict[jen.Id("Label")] = jen.Lit(v.Label)
		}
		switch {
		case v.Differs:
			dict[jen.Id("Differs")] = jen.True()
		case len(h.Releases) > 0:
			releases := jen.Index().Qual(dlPath, "Release")
			dict[jen.Id("Releases")] = releases.ValuesFunc(func(g *jen.Group) {
				for _, version := range slices.Sorted(maps.Values(h.Releases)) {
					g.Values(jen.Dict{
						jen.Id("Version"): jen.Lit(version),
						jen.Id("Name"):    jen.Lit(h.ReleaseOf(version, p.vendor())),
					})
				}
			})
		}
	}))
}
