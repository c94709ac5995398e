package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Pin is one line of the pin file: one release of one package, by checksum.
type Pin struct {
	Version string // the version folder that it fills
	Pip     string
	Deb     string
	Release string
	Suite   string
	Area    string // main, if empty
	Base    string
	Large   bool
	Python  string // the CPython that a wheel is for; 3.12, if empty
	SHA256  string
}

// Name is the package's name in its own index.
func (p Pin) Name() string {
	if p.Pip != "" {
		return p.Pip
	}
	return p.Deb
}

// String names the package and its release as a person would.
func (p Pin) String() string { return p.Name() + " " + p.Release }

// Line prints the pin as its line in the pin file.
func (p Pin) Line() string {
	var b strings.Builder
	for _, f := range [][2]string{{"version", p.Version}, {"pip", p.Pip}, {"deb", p.Deb},
		{"release", p.Release}, {"suite", p.Suite}, {"area", p.Area}, {"base", p.Base},
		{"python", p.Python}} {
		if f[1] != "" {
			fmt.Fprintf(&b, "%s = %q, ", f[0], f[1])
		}
	}
	if p.Large {
		b.WriteString("large = true, ")
	}
	return fmt.Sprintf("{ %ssha256 = %q },", b.String(), p.SHA256)
}

// Rule says which files of a package are wanted and where they go.
type Rule struct {
	API string // the only one that the rule is for; empty for all
	// Find names the folder to take files from: the one that has the first of these that is there.
	// Only rules of specs have it.
	Find []string `toml:"-"`

	Packages, From []string
	To             string
	Files          []string
	Optional       []string
	Shared         bool
}

// Pins is the whole pin file.
type Pins struct {
	Headers  Lists
	RealLibs Lists
	Unpack   []Rule

	specs Specs
}

// Lists are lines by API. Those of the real libraries may have one more list, base.
type Lists map[string][]Pin

// base is the list of the libraries that the APIs' own run on.
const base = "base"

// ErrPins is the error of a pin file that can't be used.
var ErrPins = errors.New("pin file")

var (
	// Names and releases end up as arguments of package clients: nothing that could read as an option,
	// a path or an address.
	packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]*$`)
	releaseName = regexp.MustCompile(`^[0-9][A-Za-z0-9.+:~-]*$`)
	folderName  = regexp.MustCompile(`^[a-z0-9][a-z0-9.]*$`)
	pythonName  = regexp.MustCompile(`^3\.[0-9]+$`)
	suiteName   = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

// ParsePins reads the text of a pin file for the APIs of the specs and refuses what it can't vouch
// for.
func ParsePins(text string, specs Specs) (*Pins, error) {
	pins := &Pins{specs: specs}
	meta, err := toml.Decode(text, pins)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPins, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%w: unknown key %q: remove it or correct its spelling", ErrPins,
			unknown[0].String())
	}
	var errs []error
	bases := map[string]bool{}
	for _, p := range pins.RealLibs[base] {
		bases[p.Version] = true
	}
	for _, group := range slices.Concat(pins.groups("headers"), pins.groups("reallibs")) {
		if specs[group.api] == nil && group.String() != "reallibs."+base {
			errs = append(errs, fmt.Errorf("%w: %s: the specs have no %s.toml: write it first, or correct "+
				"the name", ErrPins, group, group.api))
			continue
		}
		rules := pins.rules(group.command)
		seen := map[string]bool{}
		for _, p := range group.pins {
			if err := p.check(group.api, rules, bases); err != nil {
				errs = append(errs, fmt.Errorf("%w: %s: %w", ErrPins, p.Line(), err))
			}
			key := p.Version + " " + p.Name()
			if seen[key] {
				errs = append(errs, fmt.Errorf("%w: %s is pinned twice for version %s: keep one line", ErrPins,
					p.Name(), p.Version))
			}
			seen[key] = true
		}
	}
	for _, r := range pins.Unpack {
		if err := r.check(); err != nil {
			errs = append(errs, fmt.Errorf("%w: unpack rule for %v: %w", ErrPins, r.Packages, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return pins, nil
}

func (p Pin) check(api string, rules []Rule, bases map[string]bool) error {
	switch {
	case (p.Pip == "") == (p.Deb == ""):
		return errors.New("give exactly one of pip and deb")
	case !packageName.MatchString(p.Name()):
		return fmt.Errorf("%q is no package name", p.Name())
	case !folderName.MatchString(p.Version):
		return fmt.Errorf("version %q must be lower-case letters, digits and dots", p.Version)
	case !releaseName.MatchString(p.Release):
		return fmt.Errorf("release %q must start with a digit and hold no spaces or slashes", p.Release)
	case p.Deb != "" && !suiteName.MatchString(p.Suite):
		return fmt.Errorf("a Debian package needs its suite, got %q", p.Suite)
	case p.Pip != "" && (p.Suite != "" || p.Area != ""):
		return errors.New("a wheel has no suite and no area")
	case p.Python != "" && (p.Pip == "" || !pythonName.MatchString(p.Python)):
		return fmt.Errorf("python %q must be that of a wheel, such as 3.11", p.Python)
	case p.Area != "" && !suiteName.MatchString(p.Area):
		return fmt.Errorf("area %q is no archive area", p.Area)
	case p.Base != "" && !bases[p.Base]:
		return fmt.Errorf("base %q has no line in reallibs.base", p.Base)
	}
	if sum, err := hex.DecodeString(p.SHA256); err != nil || len(sum) != 32 ||
		strings.ToLower(p.SHA256) != p.SHA256 {
		return fmt.Errorf("sha256 %q must be 64 lower-case hexadecimal digits", p.SHA256)
	}
	if _, ok := ruleFor(rules, api, p.Name()); !ok {
		return errors.New("no unpack rule matches it: add one that says which of its files are wanted")
	}
	return nil
}

func (r Rule) check() error {
	if len(r.Packages) == 0 || len(r.From) == 0 || r.To == "" || len(r.Files) == 0 {
		return errors.New("packages, from, to and files must all be given")
	}
	for _, pattern := range slices.Concat(r.Packages, r.From, r.Files, r.Optional) {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("pattern %q: %w", pattern, err)
		}
	}
	return safeName(r.To)
}

// rules are those of the pin file that are for a command, and then those that the specs make.
func (p *Pins) rules(command string) []Rule {
	var rules []Rule
	for _, r := range p.Unpack {
		if r.Shared == (command == "reallibs") {
			rules = append(rules, r)
		}
	}
	for _, g := range p.groups(command) {
		s := p.specs[g.api]
		for _, name := range namesOf(g.pins) {
			switch {
			case s == nil:
			case command == "headers" && len(s.Header.Files) > 0:
				rules = append(rules, s.headerRule(g.api, name))
			case command == "reallibs" && len(s.Library.Linux.Names) > 0:
				rules = append(rules, s.libraryRule(g.api, name))
			}
		}
	}
	return rules
}

// pinGroup is one list of the pin file.
type pinGroup struct {
	command, api string
	pins         []Pin
}

func (g pinGroup) String() string { return g.command + "." + g.api }

// groups are the lists that a command is about, by name, base first.
func (p *Pins) groups(command string) []pinGroup {
	lists := p.Headers
	if command == "reallibs" {
		lists = p.RealLibs
	}
	var groups []pinGroup
	for _, api := range slices.Sorted(maps.Keys(lists)) {
		g := pinGroup{command, api, lists[api]}
		if api == base {
			groups = slices.Insert(groups, 0, g)
		} else {
			groups = append(groups, g)
		}
	}
	return groups
}

// suites are all Debian suites of the file, sorted.
func (p *Pins) suites() []string {
	var suites []string
	for _, g := range slices.Concat(p.groups("headers"), p.groups("reallibs")) {
		for _, pin := range g.pins {
			if pin.Suite != "" {
				suites = append(suites, pin.Suite)
			}
		}
	}
	slices.Sort(suites)
	return slices.Compact(suites)
}

// ruleFor finds the first rule for an API's package.
func ruleFor(rules []Rule, api, name string) (Rule, bool) {
	for _, r := range rules {
		if r.API != "" && r.API != api {
			continue
		}
		for _, pattern := range r.Packages {
			if ok, err := path.Match(pattern, name); ok && err == nil {
				return r, true
			}
		}
	}
	return Rule{}, false
}

// Set is the packages that together fill one version folder.
type Set struct {
	API     string // or base
	Version string
	Pins    []Pin
}

// String names the set as its folder is named.
func (s Set) String() string { return s.API + "/" + s.Version }

// Base is the set of common libraries that this one runs on, empty if it needs none.
func (s Set) Base() string {
	for _, p := range s.Pins {
		if p.Base != "" {
			return p.Base
		}
	}
	return ""
}

// setsOf groups pins by version, in the order in which the versions first appear.
func setsOf(api string, pins []Pin) (sets []Set) {
	for _, p := range pins {
		i := slices.IndexFunc(sets, func(s Set) bool { return s.Version == p.Version })
		if i < 0 {
			i = len(sets)
			sets = append(sets, Set{API: api, Version: p.Version})
		}
		sets[i].Pins = append(sets[i].Pins, p)
	}
	return sets
}

// namesOf lists the packages of pins, each once.
func namesOf(pins []Pin) (names []string) {
	for _, p := range pins {
		if !slices.Contains(names, p.Name()) {
			names = append(names, p.Name())
		}
	}
	return names
}
