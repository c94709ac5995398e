package header

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

// api is what the header stage knows about an API: its name, and the data of its rules.
type api struct {
	name string
	rules.Header
}

// versionMacro reports whether a macro holds the version's number or a part of it.
func (a *api) versionMacro(name string) bool {
	return slices.ContainsFunc(a.Version.Names(), func(m string) bool {
		return name == m || strings.HasPrefix(name, m+"_")
	})
}

// twin reports whether a function that only the internal view declares is a form of a public one.
func (a *api) twin(name string) bool {
	return slices.ContainsFunc(a.Twins, func(s string) bool { return strings.HasSuffix(name, s) })
}

// version names the release and checks the name asked for against what the header says.
func (p *parser) version(u *unit) (model.Version, error) {
	v, asked := &p.api.Version, p.opts.Version
	own, number, err := p.ownVersion(u)
	if err != nil {
		return model.Version{}, err
	}
	name := asked
	if mapped, ok := p.mapped(); ok {
		name = mapped
	}
	switch {
	case name == "" && v.Release:
		return model.Version{}, fmt.Errorf("%w: headers of %s do not tell their release; name it "+
			"with -version, or by the folder above %s", ErrVersion, p.api.name, p.opts.Dir)
	case name == "":
		name = own
	case own == "":
	case v.Exact && model.CompareVersions(name, own) != 0,
		!v.Exact && name != own && !strings.HasPrefix(name, own+"."):
		return model.Version{}, p.otherVersion(own, number, asked)
	}
	if !model.IsVersion(name) {
		return model.Version{}, fmt.Errorf("%w: %q is not made of dotted numbers", ErrVersion, name)
	}
	if v.Macro == "" || v.Release {
		number = model.VersionNumber(name)
	}
	return model.Version{Name: name, Number: number, Lacks: p.lacks}, nil
}

// mapped is the header's version that the release asked for has, if it counts differently.
func (p *parser) mapped() (string, bool) {
	for release, of := range p.api.Version.Releases {
		if p.opts.Version != "" && model.CompareVersions(p.opts.Version, release) == 0 {
			return of, true
		}
	}
	return "", false
}

// ownVersion is what the header's macros say; "" if it has none.
func (p *parser) ownVersion(u *unit) (own string, number int, err error) {
	v := &p.api.Version
	var parts []string
	for _, m := range v.Names() {
		n, ok := u.intMacro(m)
		if !ok && slices.Contains(v.Macros, "?"+m) {
			continue
		}
		if !ok || n < 0 || n == 0 && m == v.Macro {
			return "", 0, fmt.Errorf("%w: %s defines no number %s", ErrVersion, p.opts.Dir, m)
		}
		number = int(n)
		parts = append(parts, fmt.Sprint(n))
	}
	if v.Macro != "" {
		return v.Text(number), number, nil
	}
	return strings.Join(parts, "."), 0, nil
}

// otherVersion is the error of a release that was not asked for. It names the releases that are
// known to count differently.
func (p *parser) otherVersion(own string, number int, asked string) error {
	says := own
	if m := p.api.Version.Macro; m != "" {
		says = fmt.Sprintf("%s (%s %d)", own, m, number)
	}
	err := fmt.Errorf("%w: %s is %s, not %s", ErrVersion, p.opts.Dir, says, asked)
	if of, ok := p.mapped(); ok {
		return fmt.Errorf("%w, which has %s", err, of)
	}
	for release, of := range p.api.Version.Releases {
		if own == of {
			return fmt.Errorf("%w; it is of the release %s", err, release)
		}
	}
	if !p.api.Version.Exact {
		return fmt.Errorf("%w; if the release counts differently from its headers, "+
			"specs/%s.toml must say so: releases in [header.version]", err, p.api.name)
	}
	return err
}
