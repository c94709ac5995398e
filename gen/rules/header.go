package rules

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/internal/versions"
)

// Header says where an API's headers are and how to read them.
type Header struct {
	// The headers that make up the API, as an #include names them: "toy/toy.h". One with
	// ? in front may be missing. The first one shows that an include folder has the API.
	Files []string `toml:"files"`
	// Macros to define before the headers: "NAME", or "NAME=value".
	Defines []string `toml:"defines"`
	// Texts of our own in place of headers that the API's headers include from elsewhere:
	// "other.h" = "typedef struct other_st *other_t;". They come before files of the
	// include folder, and the API's model has the types that they declare.
	Stubs map[string]string `toml:"stubs"`
	// Patterns of headers in the include folder that belong to another API: "other/*.h". They are
	// read, and of what they declare only the types that this API uses are bound.
	Foreign []string `toml:"foreign"`
	// What the names of the API's constants begin with.
	Prefixes []string `toml:"prefixes"`
	// The macro that opens the header's internal view; "" if there is none.
	Internal string `toml:"internal"`
	// Macros by which a program chooses what the header shows it: no constants of the API.
	Switches []string `toml:"switches"`
	// Suffixes of functions that only the internal view declares and that are forms of public ones:
	// "_ptsz".
	Twins []string `toml:"twins"`
	// Pattern of headers that list function pointer types with the versions that introduced them.
	Typedefs string        `toml:"typedefs"`
	Version  HeaderVersion `toml:"version"`
	// Environment variables that name the folder of an installed toolkit, above its include folder.
	Roots []string `toml:"roots"`
	// Packages of the index that have the headers; tools/fetch -update looks for new releases there.
	Packages []string `toml:"packages"`
}

// Main is the header that an include folder of the API must have.
func (h *Header) Main() string { return strings.TrimPrefix(h.Files[0], "?") }

// HeaderVersion says what version a header is of: by a macro with one number (Macro, Format), by
// several macros with a part each (Macros), or by the name of the release (Release).
type HeaderVersion struct {
	// The macro that holds the version as one number.
	Macro string `toml:"macro"`
	// What the number's parts are multiplied by, the first part's first: 12040 is 12.4 with
	// [1000, 10].
	Format []int `toml:"format"`
	// The number says all of the version's name. If not, the release may have further parts, which
	// -version or the folder's name tells: 7.2.4 for a header that says 7.2.
	Exact bool `toml:"exact"`
	// The macros that hold a part of the version each, the first part's first. One with ? in front may
	// be missing, and its part with it.
	Macros []string `toml:"macros"`
	// The headers do not tell enough: -version or the folder must name the release. What a macro
	// tells must still agree.
	Release bool `toml:"release"`
	// The vendor's releases whose headers count differently: "10.0" = "7.15" for a release
	// 10.0 whose headers say 7.15. In the model they have the header's version.
	Releases map[string]string `toml:"releases"`
	// Whose releases these are; the vendor's if not given.
	Of string `toml:"of"`
}

// ReleaseOf is the vendor's release with a version of the headers, "" if they count alike.
func (v *HeaderVersion) ReleaseOf(version, vendor string) string {
	for _, r := range slices.Sorted(maps.Keys(v.Releases)) {
		if v.Releases[r] == version {
			return cmp.Or(v.Of, vendor) + " " + r
		}
	}
	return ""
}

// Text is the version that a number of Macro stands for.
func (v *HeaderVersion) Text(number int) string { return FormatNumber(number, v.Format) }

// Names are the macros that hold the version; they are no constants of the API.
func (v *HeaderVersion) Names() []string {
	if v.Macro != "" {
		return []string{v.Macro}
	}
	var names []string
	for _, m := range v.Macros {
		names = append(names, strings.TrimPrefix(m, "?"))
	}
	return names
}

// FormatNumber splits a number by what its parts are multiplied by: 12040 is "12.4" with 1000 and
// 10. Without any the number is the text.
func FormatNumber(number int, factors []int) string {
	if len(factors) == 0 {
		return strconv.Itoa(number)
	}
	return versions.Parts(number, factors)
}

// header checks the table for what can be said without a header.
func (c *checker) header() {
	s, h := c.r.sources["toml"], &c.r.Binding.Header
	for _, p := range h.check() {
		c.bad(s.key(p[0], p[1], "%s", p[2]))
	}
}

// check lists what is wrong, each as table, key and message.
func (h *Header) check() (bad [][3]string) {
	say := func(table, key, msg string) { bad = append(bad, [3]string{table, key, msg}) }
	v := &h.Version
	switch {
	case len(h.Files) == 0:
		say("header", "files", "[header] lacks files")
	case strings.HasPrefix(h.Files[0], "?"):
		say("header", "files", "the first header can't be an optional one")
	}
	switch {
	case v.Macro == "" && len(v.Macros) == 0 && !v.Release:
		say("header", "version", "version needs macro, macros or release")
	case v.Macro != "" && len(v.Macros) > 0:
		say("header.version", "macros", "macro and macros exclude each other")
	case len(v.Format) > 0 && v.Macro == "":
		say("header.version", "format", "format needs macro")
	case v.Exact && v.Release:
		say("header.version", "exact", "exact and release exclude each other")
	}
	if slices.ContainsFunc(v.Format, func(f int) bool { return f <= 0 }) {
		say("header.version", "format", "format must be of positive numbers")
	}
	return bad
}
