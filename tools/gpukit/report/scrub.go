package report

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// What identifies a machine or a person.
var (
	// path is an absolute path, or one of a home folder: what is before it, its folders and the rest.
	path = regexp.MustCompile(
		`(^|[^\w./~…-])((?:file://)?~?(?:/[\w.+@%~…-]+)+/|~?/)([\w.…][\w.+@%~…-]*)`)
	// process is a number of a process.
	process = regexp.MustCompile(`(?i)\b(pid|process)([ =:#]+)\d+\b`)
	// serial is a GPU's own number.
	serial = regexp.MustCompile(`\b(GPU|MIG)-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`)
	// address is one of memory, as in a crash.
	address = regexp.MustCompile(`\b0x[0-9a-f]{8,16}\b`)
)

// plain are names that many machines and people have, and that mean something else in a report.
var plain = []string{"root", "user", "ubuntu", "debian", "admin", "nobody", "runner", "localhost",
	"gpu", "cuda", "hip", "host", "event", "compute", "test", "bench", "soak", "linux", "server",
	"node"}

// Scrub removes from texts what tells whose machine it is: folders of paths, numbers of processes,
// and names.
type Scrub struct {
	names *regexp.Regexp // nil if there are none
}

// NewScrub also removes names: of the host, of the user, of addresses, of folders with spaces. What
// is too short or too common is left, since it identifies nothing.
func NewScrub(names ...string) *Scrub {
	var all []string
	for _, name := range names {
		if name = strings.TrimSpace(name); len(name) > 2 && !slices.Contains(plain,
			strings.ToLower(name)) {
			all = append(all, regexp.QuoteMeta(name))
		}
	}
	if len(all) == 0 {
		return &Scrub{}
	}
	// the longest first: a host's full name before its first part
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) })
	any := strings.Join(all, "|")
	return &Scrub{names: regexp.MustCompile(`(?i)(^|[^\w])(?:` + any + `)($|[^\w])`)}
}

// Text removes them from a text.
func (s *Scrub) Text(text string) string {
	out := text
	if s.names != nil {
		for before := ""; before != out; { // names may follow each other
			before = out
			out = s.names.ReplaceAllString(out, "${1}…$2")
		}
	}
	out = path.ReplaceAllString(out, "${1}…/$3")
	out = process.ReplaceAllString(out, "$1$2…")
	out = serial.ReplaceAllString(out, "$1-…")
	out = address.ReplaceAllString(out, "0x…")
	return out
}

// Report removes them from all texts of a report, but for keys of maps.
func (s *Scrub) Report(r *Report) { s.walk(reflect.ValueOf(r).Elem()) }

func (s *Scrub) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(s.Text(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			s.walk(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			s.walk(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				s.walk(v.Field(i))
			}
		}
	}
}
