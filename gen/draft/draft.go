package draft

import (
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/header"
	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// ErrName is the error of a name that no API can have.
var ErrName = errors.New("not the name of an API")

// ErrNoResult is the error of a header whose functions return no result code.
var ErrNoResult = errors.New("no result type")

// Options say what to draft.
type Options struct {
	API     string            // the name of the files and of the package
	Dir     string            // the include folder
	Files   []string          // the headers, as an #include names them
	Defines []string          // macros to define before
	Stubs   map[string]string // stand-ins for headers from elsewhere
	Foreign []string          // patterns of headers of other APIs
	Version string            // of the release; needed where the header does not tell
}

// Draft is what the headers show.
type Draft struct {
	API    string
	Rules  rules.Binding
	Model  *model.Model
	Unsure []string // what was guessed, and what could not be
}

var apiName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// New reads the headers and guesses how they become a package.
func New(o Options) (*Draft, error) {
	if !apiName.MatchString(o.API) || token.IsKeyword(o.API) || slices.Contains(taken, o.API) {
		return nil, fmt.Errorf("%w: %q: it names the package and its folder, so it must be lower-case "+
			"letters and digits, and none of %s", ErrName, o.API, strings.Join(taken, ", "))
	}
	text, err := o.text()
	if err != nil {
		return nil, err
	}
	d := &Draft{API: o.API}
	h := &d.Rules.Header
	h.Files, h.Defines, h.Stubs, h.Foreign = o.Files, o.Defines, o.Stubs, o.Foreign
	// Two readings: the names in the first say what the constants are called.
	first, err := header.Parse(header.Options{API: o.API, Dir: o.Dir, Version: "0.0",
		Header: rules.Header{Files: h.Files, Defines: h.Defines, Stubs: h.Stubs, Foreign: h.Foreign,
			Version: rules.HeaderVersion{Release: true}}})
	if err != nil {
		return nil, err
	}
	d.names(first.Model)
	h.Version = versionOf(text)
	if h.Version.Macro != "" {
		d.unsure("version: is %s the version, and its format %v?", h.Version.Macro, h.Version.Format)
	}
	version := o.Version
	if version == "" && h.Version.Release {
		version = "0.0"
		d.unsure("version: the headers do not tell it; folders are named by the release")
	}
	release, err := header.Parse(header.Options{API: o.API, Header: *h, Dir: o.Dir, Version: version})
	if err != nil {
		return nil, err
	}
	d.Model = release.Model
	if err := d.result(); err != nil {
		return nil, err
	}
	d.library()
	return d, nil
}

// taken are folders of the repository that are no packages of an API.
var taken = []string{"docs", "event", "examples", "gen", "internal", "specs", "tools"}

func (d *Draft) unsure(format string, args ...any) {
	d.Unsure = append(d.Unsure, fmt.Sprintf(format, args...))
}

// text is all that the headers say, with those in the same folder that they include.
func (o *Options) text() (string, error) {
	var b strings.Builder
	for i, f := range o.Files {
		data, err := os.ReadFile(filepath.Join(o.Dir, filepath.FromSlash(strings.TrimPrefix(f, "?"))))
		if err != nil && (i == 0 || !strings.HasPrefix(f, "?")) {
			return "", fmt.Errorf("%w: %w", header.ErrNoHeader, err)
		}
		b.Write(data)
		for _, m := range included.FindAllSubmatch(data, -1) {
			// what lies elsewhere is of no interest here
			for _, folder := range []string{o.Dir, filepath.Join(o.Dir, filepath.Dir(f))} {
				more, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(string(m[1]))))
				if err == nil {
					b.Write(more)
					break
				}
			}
		}
	}
	return b.String(), nil
}

var included = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]`)

// names guesses what C names lose in Go.
func (d *Draft) names(m *model.Model) {
	var functions, types, consts []string
	for _, f := range m.Functions {
		functions = append(functions, f.Name)
	}
	for _, e := range m.Enums {
		types = append(types, e.Name)
		for _, v := range e.Values {
			consts = append(consts, v.Name)
		}
	}
	for _, s := range m.Structs {
		types = append(types, s.Name)
	}
	for _, t := range m.Typedefs {
		types = append(types, t.Name)
	}
	p := &d.Rules.Prefixes
	p.Functions = prefixes(functions)
	api := d.API
	if len(p.Functions) > 0 {
		api = p.Functions[0]
	}
	p.Functions = like(p.Functions, api)
	p.Types, p.Consts = like(prefixes(types), api), like(prefixes(consts), api)
	for _, f := range slices.Clone(p.Functions) { // CUctx_flags beside cuCtxCreate
		for _, form := range []string{f, strings.ToUpper(f)} {
			if !slices.Contains(p.Types, form) && frequent(types, form) {
				p.Types = append(p.Types, form)
			}
		}
	}
	d.Rules.Header.Prefixes = slices.Clone(p.Consts)
	for _, f := range p.Functions { // macros that are named like functions
		if f = strings.ToUpper(strings.Trim(f, "_")) + "_"; !slices.Contains(d.Rules.Header.Prefixes, f) {
			d.Rules.Header.Prefixes = append(d.Rules.Header.Prefixes, f)
		}
	}
	d.unsure("prefixes: what names lose; compare with the Go names in %s.lock", d.API)
}

var (
	errorWord   = regexp.MustCompile(`(?i)err(or)?_?`)
	errorPrefix = regexp.MustCompile(`^.*?(?:ERR(?:OR)?_?|Err(?:or)?)`)
	unknownWord = regexp.MustCompile(`(?i)unknown|internal`)
	pendingWord = regexp.MustCompile(`(?i)not_?ready|in_?progress`)
)

// result finds the enum that most functions return, and its codes that the generator must know.
func (d *Draft) result() error {
	count := map[string]int{}
	var best *model.Enum
	for _, f := range d.Model.Functions {
		count[string(f.Ret)]++
	}
	for i := range d.Model.Enums {
		e := &d.Model.Enums[i]
		if n := count[e.Name]; n > 0 && (best == nil || n > count[best.Name]) {
			best = e
		}
	}
	if best == nil {
		return fmt.Errorf("%w: the functions return no enum: bindings need one whose codes become errors",
			ErrNoResult)
	}
	a := &d.Rules.About
	a.Result = best.Name
	var failures []string
	for _, v := range best.Values {
		switch {
		case v.Value == 0 && a.Success == "":
			a.Success = v.Name
		case a.Unknown == "" && unknownWord.MatchString(v.Name):
			a.Unknown = v.Name
		case a.Pending == "" && pendingWord.MatchString(v.Name):
			a.Pending = v.Name
		}
		if errorWord.MatchString(v.Name) {
			failures = append(failures, v.Name)
		}
	}
	if p := errorPrefix.FindString(common(failures)); p != "" {
		a.ErrPrefix = []string{p}
	}
	if a.Success == "" {
		return fmt.Errorf("%w: %s has no code 0, which would be success", ErrNoResult, best.Name)
	}
	if a.Unknown == "" {
		a.Unknown = best.Values[len(best.Values)-1].Name
	}
	d.unsure("result: %s with %s as success; C gets %s from a callback that panicked", a.Result,
		a.Success, a.Unknown)
	return nil
}

// library guesses what the library is called and how it tells its version.
func (d *Draft) library() {
	l := &d.Rules.Library
	l.Name, l.Env = strings.ToUpper(d.API), "GPUEVENT_"+strings.ToUpper(d.API)+"_LIBRARY"
	l.Linux.Names, l.Windows.Names = []string{"lib" + d.API + ".so.1"}, []string{d.API + ".dll"}
	l.Version = reported(d.Model, &d.Rules.Header.Version)
	if l.Version.Function == "" && len(d.Model.Functions) > 0 {
		l.Probe = d.Model.Functions[0].Name
		d.unsure("library: no function tells its version, and %s shows that it is the right one", l.Probe)
	}
	d.unsure("library: its file names and folders")
}
