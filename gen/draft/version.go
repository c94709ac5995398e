package draft

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
	"github.com/gpuevent/gpuevent/gen/rules"
)

var (
	numberMacro = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+\(?(\d+)[uUlL]*\)?[ \t]*(?:/[/*].*)?$`)
	partMacro   = regexp.MustCompile(`^(.*?)_?(MAJOR|MINOR|PATCH|PATCHLEVEL|REVISION|RELEASE)(_VERSION)?$`)
	wholeMacro  = regexp.MustCompile(`(^|_)VERSION(_CODE|_NUMBER|_NUM)?$`)
)

// versionOf guesses which macros of the headers' text hold the version.
func versionOf(text string) rules.HeaderVersion {
	var parts []string
	whole, number := "", 0
	stem := ""
	for _, m := range numberMacro.FindAllStringSubmatch(text, -1) {
		name := m[1]
		p := partMacro.FindStringSubmatch(name)
		switch {
		case p != nil && (stem == "" || p[1] == stem) && !slices.Contains(parts, name) && len(parts) < 3:
			stem = p[1]
			parts = append(parts, name)
		case whole == "" && wholeMacro.MatchString(name):
			if n, err := strconv.Atoi(m[2]); err == nil && n > 0 {
				whole, number = name, n
			}
		}
	}
	order := func(name string) int {
		for i, word := range []string{"MAJOR", "MINOR"} {
			if strings.Contains(name, word) {
				return i
			}
		}
		return 2
	}
	slices.SortStableFunc(parts, func(a, b string) int { return order(a) - order(b) })
	switch {
	case len(parts) > 1 && order(parts[0]) == 0 && order(parts[1]) == 1:
		return rules.HeaderVersion{Macros: parts}
	case whole != "":
		return rules.HeaderVersion{Macro: whole, Format: format(number)}
	}
	return rules.HeaderVersion{Release: true}
}

// format guesses what the parts of a number are multiplied by, from how large it is.
func format(number int) []int {
	switch {
	case number < 100:
		return []int{1}
	case number < 1000:
		return []int{100, 1}
	case number < 20000:
		return []int{1000, 10}
	case number < 1_000_000:
		return []int{10_000, 100, 1}
	}
	return []int{1_000_000, 1000, 1}
}

// reported guesses which function tells the library's version.
func reported(m *model.Model, v *rules.HeaderVersion) rules.LibraryVersion {
	for _, f := range m.Functions {
		if !strings.Contains(strings.ToLower(f.Name), "version") || len(f.Params) == 0 {
			continue
		}
		numbers := 0
		for _, p := range f.Params {
			if p.Type == "int *" || p.Type == "unsigned int *" {
				numbers++
			}
		}
		switch {
		case numbers == len(f.Params) && numbers > 1 && numbers <= 8:
			return rules.LibraryVersion{Function: f.Name, Reads: "numbers", Parts: numbers}
		case numbers == 1 && len(f.Params) == 1:
			l := rules.LibraryVersion{Function: f.Name, Reads: "number", Format: v.Format}
			if len(l.Format) == 0 {
				l.Format = []int{10_000, 100, 1}
			}
			return l
		case len(f.Params) == 2 && f.Params[0].Type == "char *":
			return rules.LibraryVersion{Function: f.Name, Reads: "text"}
		}
	}
	return rules.LibraryVersion{}
}
