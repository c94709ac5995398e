// Package header reads one release of a vendor's headers and says what they declare: functions,
// types, constants, aliases and layouts, as a model of that one version. It parses C with cc/v4
// under a configuration of its own, so that the result is the same on every machine and needs no
// compiler.
package header

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"modernc.org/cc/v4"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// The reasons why a header can't be read.
var (
	ErrNoHeader = errors.New("no header")
	ErrParse    = errors.New("the header doesn't parse")
	ErrVersion  = errors.New("the header's version")
	ErrTargets  = errors.New("the header differs between targets")
)

// Options say what to read.
type Options struct {
	API    string       // the name that the model gets
	Header rules.Header // how to read the API's headers
	Dir    string       // the include folder, which Header.Files are in
	// the version's name; empty takes it from the header, which may know less of it than the release
	Version string
	Targets []model.Target
	// Supplement is added to the header, and makes another release of it.
	Supplement *Supplement
}

// Parse reads the header for all targets. Whatever doesn't parse is an error with file and line;
// there is no partial result.
func Parse(o Options) (model.Release, error) {
	if len(o.Targets) == 0 {
		o.Targets = Targets
	}
	fs, err := newFiles(o.Dir, o.Header.Stubs)
	if err != nil {
		return model.Release{}, err
	}
	fs.foreign = o.Header.Foreign
	if s := o.Supplement; s != nil {
		text, err := s.source()
		if err != nil {
			return model.Release{}, err
		}
		fs.extra = map[string]string{s.File: text}
	}
	p := &parser{api: api{o.API, o.Header}, opts: o, files: fs}
	return p.parse()
}

type parser struct {
	api   api
	opts  Options
	files *files
	lacks []string // optional headers that are not there
}

func (p *parser) parse() (model.Release, error) {
	main, err := p.main()
	if err != nil {
		return model.Release{}, err
	}
	units, err := p.units(main)
	if err != nil {
		return model.Release{}, err
	}
	m, err := combine(units)
	if err != nil {
		return model.Release{}, err
	}
	r := model.Release{Model: m}
	m.API, m.Targets = p.api.name, slices.Clone(p.opts.Targets)
	v, err := p.version(units[0])
	if err != nil {
		return model.Release{}, err
	}
	v.Lacks = p.lacks
	if s := p.opts.Supplement; s != nil {
		if v.Number >= s.Number {
			return model.Release{}, fmt.Errorf("%w %s is for %s, but the header in %s is %s", ErrSupplement,
				s.File, s.Version, p.opts.Dir, v.Name)
		}
		if err := s.apply(m); err != nil {
			return model.Release{}, err
		}
		v.Name, v.Number, v.Supplement = s.Version, s.Number, s.Source
	}
	m.Versions = []model.Version{v}
	if p.api.Internal != "" {
		if r.Internal, err = p.internal(main, units[0]); err != nil {
			return model.Release{}, err
		}
	}
	stamp(m, v.Name)
	if err := p.introduce(m, append(slices.Clone(r.Internal), units[0].hidden...)); err != nil {
		return model.Release{}, err
	}
	if ps := m.Check(); len(ps) > 0 {
		return model.Release{}, fmt.Errorf("%w: %s %s: %w", ErrParse, p.api.name, v.Name, ps[0])
	}
	return r, nil
}

// main is the source text that includes the API's headers.
func (p *parser) main() (string, error) {
	var b strings.Builder
	for _, h := range p.api.Files {
		h, optional := strings.CutPrefix(h, "?")
		if _, err := p.files.read(path.Join(p.files.dir, h)); err != nil {
			if optional {
				p.lacks = append(p.lacks, h)
				continue
			}
			return "", fmt.Errorf("%w: %s: %w; give the include folder of an installed toolkit", ErrNoHeader,
				filepath.Join(p.opts.Dir, h), err)
		}
		if optional {
			p.files.optional[path.Join(p.files.dir, h)] = h
		}
		fmt.Fprintf(&b, "#include <%s>\n", h)
	}
	return b.String(), nil
}

// units reads the header for all targets at once. Of several errors the first target's is told.
func (p *parser) units(main string) ([]*unit, error) {
	units := make([]*unit, len(p.opts.Targets))
	errs := make([]error, len(p.opts.Targets))
	var wg sync.WaitGroup
	for i, t := range p.opts.Targets {
		wg.Go(func() { units[i], errs[i] = p.unit(t, main, nil) })
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return units, nil
}

// unit reads the header for one target.
func (p *parser) unit(t model.Target, main string, defines []string) (u *unit, err error) {
	defer func() {
		// cc panics on some malformed input.
		if r := recover(); r != nil {
			u, err = nil, fmt.Errorf("%w for %s: %s: the C front end gave up: %v", ErrParse, t, p.opts.Dir,
				r)
		}
	}()
	packs := &packing{marks: map[string][]packMark{}}
	ast, err := p.translate(t, main, defines, packs)
	if err != nil {
		return nil, err
	}
	if err := packs.within(p.files); err != nil {
		return nil, fmt.Errorf("%w for %s: %w", ErrParse, t, err)
	}
	u = &unit{api: p.api, files: p.files, ast: ast, target: t, packing: packs}
	if err := u.read(); err != nil {
		return nil, fmt.Errorf("%w for %s: %w", ErrParse, t, err)
	}
	return u, nil
}

func (p *parser) translate(t model.Target, main string, defines []string,
	packs *packing) (*cc.AST, error) {
	cfg, err := config(t, p.files, packs)
	if err != nil {
		return nil, err
	}
	sources := []cc.Source{
		{Name: "<predefined>", Value: predefined(t, append(slices.Clone(p.api.Defines), defines...))},
		{Name: "<builtin>", Value: cc.Builtin},
		{Name: "<" + p.api.name + ">", Value: main},
	}
	for name, text := range p.files.extra {
		sources = append(sources, cc.Source{Name: name, Value: text})
	}
	ast, err := bounded(translateLimit, cfg, append(sources, cc.Source{Name: endName, Value: endText}))
	if err != nil {
		return nil, fmt.Errorf("%w for %s: %s", ErrParse, t, firstLines(p.located(err.Error()), 5))
	}
	return ast, nil
}

// located gives errors at the end of the text the last line of the main header: cc reports them
// without a place, or at what we put behind the header.
func (p *parser) located(msg string) string {
	name := path.Join(p.files.dir, p.api.Main())
	text, err := p.files.read(name)
	if err != nil {
		return msg
	}
	end := fmt.Sprintf("%s:%d:", name, 1+strings.Count(strings.TrimRight(string(text), "\n"), "\n"))
	lines := strings.Split(msg, "\n")
	for i, l := range lines {
		if i == 0 {
			lines[i] += p.nowhere(l)
		}
		if rest, ok := strings.CutPrefix(l, "-:"); ok {
			lines[i] = end + rest
		} else if strings.HasPrefix(l, endName+":") {
			lines[i] = end + " unexpected EOF: the header's last declaration is not complete"
		}
	}
	return strings.Join(lines, "\n")
}

var (
	errorPlace = regexp.MustCompile(`^(.*):(\d+):(\d+): unexpected `)
	lastWord   = regexp.MustCompile(`([A-Za-z_]\w*)\s*$`)
)

// nowhere names the type that nothing defines, if a parser stumbles over what follows a name.
func (p *parser) nowhere(msg string) string {
	at := errorPlace.FindStringSubmatch(msg)
	if at == nil {
		return ""
	}
	text, err := p.files.read(at[1])
	line, _ := strconv.Atoi(at[2])
	column, _ := strconv.Atoi(at[3])
	lines := strings.Split(string(text), "\n")
	if err != nil || line > len(lines) || column-1 > len(lines[line-1]) || column < 1 {
		return ""
	}
	word := lastWord.FindString(lines[line-1][:column-1])
	if word = strings.TrimSpace(word); word == "" || model.IsBase(word) {
		return ""
	}
	return fmt.Sprintf(" (if %s is a type, nothing defines it: [header.stubs] can)", word)
}

func firstLines(s string, n int) string {
	lines := strings.Split(s, "\n")
	if len(lines) > n {
		return strings.Join(lines[:n], "\n") + fmt.Sprintf("\n… and %d more", len(lines)-n)
	}
	return s
}

// internal lists the functions that only the header's internal view declares. Only their names
// count: what they look like was read when they were public.
func (p *parser) internal(main string, public *unit) ([]string, error) {
	in, err := p.unit(p.opts.Targets[0], main, []string{p.api.Internal})
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range in.functions {
		if p.api.twin(f.Name) {
			continue
		}
		if _, ok := public.functions[f.Name]; !ok {
			names = append(names, f.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// stamp puts the version into everything that was read.
func stamp(m *model.Model, v string) {
	span := func(s *model.Span) {
		s.Since = v
		if s.Deprecated != "" {
			s.Deprecated = v
		}
	}
	for i := range m.Functions {
		span(&m.Functions[i].Span)
	}
	for i := range m.Enums {
		span(&m.Enums[i].Span)
		for j := range m.Enums[i].Values {
			span(&m.Enums[i].Values[j].Span)
		}
	}
	for i := range m.Structs {
		span(&m.Structs[i].Span)
	}
	for i := range m.Typedefs {
		span(&m.Typedefs[i].Span)
	}
	for i := range m.Consts {
		span(&m.Consts[i].Span)
	}
	for i := range m.Aliases {
		m.Aliases[i].Spans[0].From, m.Aliases[i].Spans[0].To = v, v
	}
}
