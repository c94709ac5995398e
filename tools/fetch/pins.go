package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Pin is one line of the pin file: one release of one package, by checksum.
type Pin struct {
	Version string `toml:"version" json:"version"` // the version folder that it fills
	Pip     string `toml:"pip" json:"pip,omitempty"`
	Deb     string `toml:"deb" json:"deb,omitempty"`
	Release string `toml:"release" json:"release"`
	Suite   string `toml:"suite" json:"suite,omitempty"`
	Area    string `toml:"area" json:"area,omitempty"` // main, if empty
	Base    string `toml:"base" json:"base,omitempty"`
	Large   bool   `toml:"large" json:"large,omitempty"`
	SHA256  string `toml:"sha256" json:"sha256"`
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
	field := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s = %q, ", key, value)
		}
	}
	field("version", p.Version)
	field("pip", p.Pip)
	field("deb", p.Deb)
	field("release", p.Release)
	field("suite", p.Suite)
	field("area", p.Area)
	field("base", p.Base)
	if p.Large {
		b.WriteString("large = true, ")
	}
	field("sha256", p.SHA256)
	return "{ " + strings.TrimSuffix(b.String(), ", ") + " },"
}

// Rule says which files of a package are wanted and where they go.
type Rule struct {
	Packages []string `toml:"packages"`
	From     []string `toml:"from"`
	To       string   `toml:"to"`
	Files    []string `toml:"files"`
	Optional []string `toml:"optional"`
	Shared   bool     `toml:"shared"`
}

// Toolchain is one Debian package of the cross-target proofs, and what shows that it is installed.
type Toolchain struct {
	Package string `toml:"package"`
	Command string `toml:"command"`
	File    string `toml:"file"`
}

// Pins is the whole pin file.
type Pins struct {
	Headers struct {
		CUDA []Pin `toml:"cuda"`
		HIP  []Pin `toml:"hip"`
	} `toml:"headers"`
	RealLibs struct {
		Base []Pin `toml:"base"`
		CUDA []Pin `toml:"cuda"`
		HIP  []Pin `toml:"hip"`
	} `toml:"reallibs"`
	Unpack    []Rule      `toml:"unpack"`
	Toolchain []Toolchain `toml:"toolchain"`
}

// ErrPins is the error of a pin file that can't be used.
var ErrPins = errors.New("pin file")

var (
	// Names and releases end up as arguments of package clients: nothing that could read as an option,
	// a path or an address.
	packageName = regexp.MustCompile(`^[a-z0-9][a-z0-9+.-]*$`)
	releaseName = regexp.MustCompile(`^[0-9][A-Za-z0-9.+:~-]*$`)
	folderName  = regexp.MustCompile(`^[a-z0-9][a-z0-9.]*$`)
	suiteName   = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
)

// ParsePins reads the text of a pin file and refuses what it can't vouch for.
func ParsePins(text string) (*Pins, error) {
	pins := new(Pins)
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
	for _, p := range pins.RealLibs.Base {
		bases[p.Version] = true
	}
	for _, group := range [][]Pin{pins.Headers.CUDA, pins.Headers.HIP, pins.RealLibs.Base,
		pins.RealLibs.CUDA, pins.RealLibs.HIP} {
		seen := map[string]bool{}
		for _, p := range group {
			if err := p.check(pins.Unpack, bases); err != nil {
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
	for _, t := range pins.Toolchain {
		if !packageName.MatchString(t.Package) || (t.Command == "" && t.File == "") {
			errs = append(errs, fmt.Errorf("%w: toolchain %q needs a package name and a command or file "+
				"that shows it is there", ErrPins, t.Package))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return pins, nil
}

func (p Pin) check(rules []Rule, bases map[string]bool) error {
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
	case p.Area != "" && !suiteName.MatchString(p.Area):
		return fmt.Errorf("area %q is no archive area", p.Area)
	case p.Base != "" && !bases[p.Base]:
		return fmt.Errorf("base %q has no line in reallibs.base", p.Base)
	}
	if sum, err := hex.DecodeString(p.SHA256); err != nil || len(sum) != 32 ||
		strings.ToLower(p.SHA256) != p.SHA256 {
		return fmt.Errorf("sha256 %q must be 64 lower-case hexadecimal digits", p.SHA256)
	}
	if _, ok := ruleFor(rules, p.Name()); !ok {
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
	if err := safeName(r.To); err != nil {
		return err
	}
	return nil
}

// ruleFor finds the first rule for a package.
func ruleFor(rules []Rule, name string) (Rule, bool) {
	for _, r := range rules {
		for _, pattern := range r.Packages {
			if ok, err := path.Match(pattern, name); ok && err == nil {
				return r, true
			}
		}
	}
	return Rule{}, false
}
