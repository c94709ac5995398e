package emit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/gpuevent/gpuevent/gen/model"
)

// introduced describes which version introduced what version since has: "12.8"; "11.8 or earlier"
// of the oldest header that was read; "after 6.2, by 6.4.3" where headers between two were not
// read. A version that is older than all of them comes from a vendor's table, and is exact.
func (p spec) introduced(since string) string {
	switch before, read := p.before(since); {
	case !read:
		return since
	case before == "":
		return since + " or earlier"
	case model.Successive(before, since):
		return p.named(since)
	default:
		return fmt.Sprintf("after %s, by %s", before, p.named(since))
	}
}

// began is introduced of an entity, about which a vendor's table may know more than the headers.
func (p spec) began(s model.Span) string {
	if s.Exact {
		return p.named(s.Since)
	}
	return p.introduced(s.Since)
}

// named is a version with the name of its release where that is another: "7.15 (Toy 10.0)".
func (p spec) named(version string) string {
	releases := p.Rules.Binding.Header.Version.Releases
	for _, r := range slices.Sorted(maps.Keys(releases)) {
		if releases[r] == version {
			return fmt.Sprintf("%s (%s %s)", version,
				cmp.Or(p.Rules.Binding.Header.Version.Of, p.vendor()), r)
		}
	}
	return version
}

// came is introduced after a verb: "in Toy 12.8", "after Toy 5.7.1, by 6.4.3".
func (p spec) came(version string) string {
	if before, _ := p.before(version); before != "" && !model.Successive(before, version) {
		return fmt.Sprintf("after %s %s, by %s", p.vendor(), before, p.named(version))
	}
	return fmt.Sprintf("in %s %s", p.vendor(), p.introduced(version))
}

// before is the version that was read before one, "" for the oldest, and whether that was read.
func (p spec) before(version string) (before string, read bool) {
	i := slices.IndexFunc(p.Model.Versions, func(v model.Version) bool { return v.Name == version })
	if i <= 0 {
		return "", i == 0
	}
	return p.Model.Versions[i-1].Name, true
}
