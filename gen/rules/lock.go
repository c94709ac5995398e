package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Name is an entry of a lock file: a Go name, what kind of thing it is, the C name it means, its
// shape and its items.
type Name struct {
	Go   string
	Kind string // func, type or const
	C    string // "name@version" for a type whose layout a version changed
	// the signature of a function, the kind and size of a type, the value of a constant; "" for texts,
	// and where it was not locked yet
	Shape string
	// Items, one a line: the members of a struct as "name offset type", the parameters of a function
	// as "(name, …)", and "layout struct version" where libraries before that version are refused.
	Items string
}

func (n Name) String() string {
	return strings.TrimRight(n.Go+" "+n.Kind+" "+n.C+" "+n.Shape, " ")
}

func (n Name) items() []string {
	return strings.FieldsFunc(n.Items, func(r rune) bool { return r == '\n' })
}

// itemKey is the member that an item is about, or "(" for the parameters.
func itemKey(item string) string {
	if item[0] == '(' {
		return "("
	}
	key, _, _ := strings.Cut(item, " ")
	return key
}

// isLayout reports whether an item is a guard. A guard may change, which is printed.
func isLayout(item string) bool { return strings.HasPrefix(item, "layout ") }

// change is the text of an acknowledgement that n becomes to: the new shape, and the items that
// differ behind a bar. It is "" if everything that n locks is still there.
func (n Name) change(to Name) string {
	var text string
	if n.Shape != "" && to.Shape != n.Shape {
		text = to.Shape
	}
	now := map[string]string{}
	for _, item := range to.items() {
		now[itemKey(item)] = item
	}
	var items []string
	for _, item := range n.items() {
		key := itemKey(item)
		switch {
		case now[key] == item || isLayout(item):
		case now[key] == "":
			items = append(items, "-"+key)
		default:
			items = append(items, now[key])
		}
	}
	if len(items) > 0 {
		text += " | " + strings.Join(items, "; ")
	}
	return strings.TrimSpace(text)
}

// has reports whether an acknowledgement describes the name as it is.
func (n Name) has(ack string) bool {
	shape, list, _ := strings.Cut(ack, "|")
	if shape = strings.TrimSpace(shape); shape != "" && shape != n.Shape {
		return false
	}
	items := n.items()
	for item := range strings.SplitSeq(strings.TrimSpace(list), "; ") {
		key, gone := strings.CutPrefix(item, "-")
		switch {
		case gone && slices.ContainsFunc(items, func(s string) bool { return itemKey(s) == key }),
			!gone && item != "" && !slices.Contains(items, item):
			return false
		}
	}
	return shape != "" || list != ""
}

// Changed acknowledges that a name changes: what it is now, and why.
type Changed struct {
	To  string `toml:"to"`
	Why string `toml:"why"`
}

// Lock pins what each Go name means permanently.
type Lock struct {
	File  string
	Names []Name // sorted by Go name, then kind and C name

	byC  map[[2]string]string // kind and C name -> Go name
	line map[Name]int         // without items
}

// LoadLock reads a lock file; one that does not exist is empty.
func LoadLock(file string) (*Lock, error) {
	l := &Lock{File: strings.ReplaceAll(file, `\`, "/"), byC: map[[2]string]string{},
		line: map[Name]int{}}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the lock of names: %w", err)
	}
	i := 0
	for line := range bytes.Lines(data) {
		i++
		fields := strings.Fields(string(line))
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if line[0] == '\t' && len(l.Names) > 0 {
			l.Names[len(l.Names)-1].Items += strings.Join(fields, " ") + "\n"
			continue
		}
		if len(fields) < 3 {
			return nil, Problem{l.File, i, fmt.Sprintf("a line is \"GoName kind CName shape\", not %q",
				strings.TrimSpace(string(line)))}
		}
		n := Name{Go: fields[0], Kind: fields[1], C: fields[2], Shape: strings.Join(fields[3:], " ")}
		if n.Kind != "func" && n.Kind != "type" && n.Kind != "const" {
			return nil, Problem{l.File, i, fmt.Sprintf("kind %q is none of func, type, const", n.Kind)}
		}
		if was, ok := l.byC[[2]string{n.Kind, n.C}]; ok {
			return nil, Problem{l.File, i,
				fmt.Sprintf("%s %s is named twice: %s and %s", n.Kind, n.C, was, n.Go)}
		}
		l.byC[[2]string{n.Kind, n.C}] = n.Go
		l.line[n] = i
		l.Names = append(l.Names, n)
	}
	return l, nil
}

// Go returns the name that the lock pins for a C name, or "".
func (l *Lock) Go(kind, c string) string { return l.byC[[2]string{kind, c}] }

// Empty reports whether nothing is pinned yet.
func (l *Lock) Empty() bool { return len(l.Names) == 0 }

// Check compares the lock with the names to be emitted. A shape or an item may change if the rules
// in the file named source acknowledge it.
func (l *Lock) Check(names []Name, b *Binding, source string) error {
	now := map[[2]string]Name{}
	for _, n := range names {
		now[[2]string{n.Kind, n.C}] = n
	}
	var problems Problems
	for _, n := range l.Names {
		switch g, ok := now[[2]string{n.Kind, n.C}]; {
		case !ok:
			problems = append(problems, Problem{l.File, l.at(n),
				fmt.Sprintf("the line %q would be dropped: %s is in no spec any more; a name that was "+
					"published stays, so restore it", n, n.C)})
		case g.Go != n.Go:
			problems = append(problems, Problem{l.File, l.at(n),
				fmt.Sprintf("the line %q would change to %q: a Go name means one C name permanently; undo the "+
					"rule that renames it", Name{Go: n.Go, Kind: n.Kind, C: n.C},
					Name{Go: g.Go, Kind: n.Kind, C: n.C})})
		default:
			ack := n.change(g)
			if ack != "" && b.Changed[n.C].To != ack && !(b.Grows[n.C] != "" && grown(n, g)) {
				problems = append(problems, Problem{l.File, l.at(n), remedy(n, g, ack, source)})
			}
		}
	}
	for _, c := range slices.Sorted(maps.Keys(b.Changed)) {
		if p := stale(c, b.Changed[c], names); p != "" {
			problems = append(problems, Problem{source, 0, p})
		}
	}
	for _, c := range slices.Sorted(maps.Keys(b.Grows)) {
		if n, ok := now[[2]string{"const", c}]; !ok || n.Shape == "" {
			problems = append(problems, Problem{source, 0,
				fmt.Sprintf("[grows] %s: no constant with a number has that name", c)})
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// NewLayouts describes the guards that the lock lacks.
func (l *Lock) NewLayouts(names []Name) []string {
	locked := map[string]string{}
	for _, n := range l.Names {
		if n.Kind == "func" {
			locked[n.C] = n.Items
		}
	}
	var out []string
	for _, n := range names {
		for _, item := range n.items() {
			if w := strings.Fields(item); isLayout(item) && !strings.Contains(locked[n.C], item) {
				out = append(out, fmt.Sprintf("%s returns ErrLayout in libraries that lay %s out as before %s",
					n.C, w[1], w[2]))
			}
		}
	}
	return out
}

// stale describes an acknowledgement that is none; "" if it is one.
func stale(c string, ack Changed, names []Name) string {
	var is *Name
	for _, n := range names {
		if n.C != c || n.Shape == "" {
			continue
		}
		if is = &n; n.has(ack.To) {
			if ack.Why == "" {
				return fmt.Sprintf("[changed] %s needs a reason: why", c)
			}
			return ""
		}
	}
	if is == nil {
		return fmt.Sprintf("[changed] %s: no function and no type has that name, and no number", c)
	}
	now := is.Shape
	if strings.Contains(ack.To, "|") {
		now += " | " + strings.Join(is.items(), "; ")
	}
	return fmt.Sprintf("[changed] %s says %q, but it is %q now: acknowledge each change anew", c,
		ack.To, now)
}

// grown reports whether a number is larger than it was.
func grown(was, is Name) bool {
	a, err := strconv.ParseInt(was.Shape, 0, 64)
	b, err2 := strconv.ParseInt(is.Shape, 0, 64)
	return err == nil && err2 == nil && b > a
}

// remedy describes a change, and how to avoid it or to acknowledge it.
func remedy(n, to Name, ack, source string) string {
	was, is := n.differing(to)
	rule := fmt.Sprintf("[changed] %q = { to = %q, why = … }", n.C, ack)
	switch {
	case n.Kind == "const":
		return fmt.Sprintf("the value of %s (%s) would change from %s to %s: programs that were built "+
			"with the old one mean something else; acknowledge it in %s: %s, or [grows] for a number that "+
			"counts", n.Go, n.C, n.Shape, to.Shape, source, rule)
	case n.Kind == "func" && n.Shape == to.Shape:
		return fmt.Sprintf("the parameters of %s (%s) would change from %s to %s: callers may mean "+
			"others than C does; acknowledge it in %s: %s", n.Go, n.C, was, is, source, rule)
	case n.Kind == "func":
		return fmt.Sprintf("the signature of %s (%s) would change from %s to %s: undo the change of the "+
			"facts, or acknowledge it in %s: %s", n.Go, n.C, was, is, source, rule)
	}
	name, _, _ := strings.Cut(n.C, "@")
	return fmt.Sprintf("the type %s (%s) would change from %q to %q: give the new layout a Go name "+
		"in %s: [names] \"%s@<version>\" = { go = …, why = … } with the version that changed it, or "+
		"acknowledge that the Go type changes: %s", n.Go, n.C, was, is, source, name, rule)
}

// differing are the shapes where they differ, and else the items.
func (n Name) differing(to Name) (was, is string) {
	if n.Shape != "" && n.Shape != to.Shape {
		return n.Shape, to.Shape
	}
	minus := func(a, b Name) string {
		var lines []string
		for _, item := range a.items() {
			if !isLayout(item) && !slices.Contains(b.items(), item) {
				lines = append(lines, item)
			}
		}
		return strings.Join(lines, "; ")
	}
	return minus(n, to), minus(to, n)
}

// at is the line of a name.
func (l *Lock) at(n Name) int {
	n.Items = ""
	return l.line[n]
}

// lockHeader explains a lock file to its reader.
const lockHeader = "# What each Go name means for ever: its shape or value, the members of a " +
	"struct, the names of\n# parameters. The generator appends lines and refuses to change or " +
	"drop one.\n"

// Encode is the lock file for names.
func Encode(names []Name) []byte {
	sorted := slices.Clone(names)
	slices.SortFunc(sorted, func(a, b Name) int { return strings.Compare(a.String(), b.String()) })
	var b bytes.Buffer
	b.WriteString(lockHeader)
	for _, n := range sorted {
		b.WriteString(n.String() + "\n")
		for _, item := range n.items() {
			b.WriteString("\t" + item + "\n")
		}
	}
	return b.Bytes()
}
