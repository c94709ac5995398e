// Package facts reads docs/driver-facts.md: which drivers each fact is about.
package facts

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/internal/versions"
)

// Columns of the tables.
const (
	columns   = 7
	about     = 1
	playedBy  = 4
	shownBy   = 5
	idPattern = `^(cuda|amd|chip|gpu)(-[a-z0-9]+)+$`
)

var id = regexp.MustCompile(idPattern)

// Page is what the tables say, by the id of the fact.
type Page map[string]Row

// Row is a fact's.
type Row struct {
	About    string // the drivers and their versions: "CUDA from 11.1, AMD from 6.4.2"
	PlayedBy string
	ShownBy  string
}

// Read reads the page.
func Read(text string) Page {
	p := Page{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != columns {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if id.MatchString(cells[0]) {
			p[cells[0]] = Row{cells[about], cells[playedBy], cells[shownBy]}
		}
	}
	return p
}

// Known is what is known about whether a fact is about a driver.
type Known int

// The answers.
const (
	Unclear Known = iota
	Yes
	No
)

// Is reports whether the fact is about a driver: of "CUDA", "AMD" or "chipStar", and a release of
// which the first two numbers count, since drivers report no more. Where a third would decide, or
// where the release counts and is unknown (""), it is unclear.
func (r Row) Is(vendor, release string) Known {
	for clause := range strings.SplitSeq(r.About, ", ") {
		name, span, _ := strings.Cut(clause, " ")
		if name == vendor {
			if strings.HasSuffix(r.About, ", or earlier") {
				return Unclear
			}
			return inside(span, release)
		}
	}
	return No
}

// inside reports whether a release, "" if unknown, is one of "", "from X", "before X", "X to Y" and
// "X".
func inside(span, release string) Known {
	words := strings.Fields(span)
	release = minor(release)
	switch {
	case len(words) == 0:
		return Yes
	case release == "":
		return Unclear
	case words[0] == "from" && len(words) == 2:
		return since(words[1], release)
	case words[0] == "before" && len(words) == 2:
		return not(since(words[1], release))
	case len(words) == 3 && words[1] == "to":
		if slices.Contains([]Known{No, Unclear}, since(words[0], release)) {
			return since(words[0], release)
		}
		last := minor(words[2])
		switch c := versions.Compare(release, last); {
		case c < 0:
			return Yes
		case c > 0:
			return No
		case last == words[2]:
			return Yes
		}
		return Unclear
	case len(words) == 1 && minor(words[0]) == words[0]:
		return map[bool]Known{true: Yes, false: No}[words[0] == release]
	}
	return Unclear
}

// since reports whether a release is not before another, which may have a third number.
func since(from, release string) Known {
	switch c := versions.Compare(release, minor(from)); {
	case c < 0:
		return No
	case c > 0 || minor(from) == from:
		return Yes
	}
	return Unclear
}

func not(k Known) Known {
	switch k {
	case Yes:
		return No
	case No:
		return Yes
	}
	return Unclear
}

// minor is a release without what follows its second number.
func minor(release string) string {
	parts := strings.SplitN(release, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}
