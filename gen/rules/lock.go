package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// Name is one line of a lock file: a Go name, what kind of thing it is, the C name it means, and
// its shape: the signature of a function, the kind and size of a type.
type Name struct {
	Go    string
	Kind  string // func, type or const
	C     string // "name@version" for a type whose layout a version changed
	Shape string // "" for constants, and for lines that were written before shapes were locked
}

func (n Name) String() string {
	return strings.TrimRight(n.Go+" "+n.Kind+" "+n.C+" "+n.Shape, " ")
}

// Changed acknowledges that the shape of a name changes: what it is now, and why.
type Changed struct {
	To  string `toml:"to"`
	Why string `toml:"why"`
}

// Lock pins what each Go name means, and its shape, permanently.
type Lock struct {
	File  string
	Names []Name // sorted by Go name, then kind and C name

	byC  map[[2]string]string // kind and C name -> Go name
	line map[Name]int
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
		if len(fields) < 3 {
			return nil, Problem{l.File, i, fmt.Sprintf("a line is \"GoName kind CName shape\", not %q",
				strings.TrimSpace(string(line)))}
		}
		n := Name{fields[0], fields[1], fields[2], strings.Join(fields[3:], " ")}
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

// Check compares the lock with the names to be emitted: no line may change, except for shapes that
// a rule of the file named source acknowledges.
func (l *Lock) Check(names []Name, changed map[string]Changed, source string) error {
	now := map[[2]string]Name{}
	for _, n := range names {
		now[[2]string{n.Kind, n.C}] = n
	}
	var problems Problems
	for _, n := range l.Names {
		switch g, ok := now[[2]string{n.Kind, n.C}]; {
		case !ok:
			problems = append(problems, Problem{l.File, l.line[n],
				fmt.Sprintf("the line %q would be dropped: %s is in no spec any more; a name that was "+
					"published stays, so restore it", n, n.C)})
		case g.Go != n.Go:
			problems = append(problems, Problem{l.File, l.line[n],
				fmt.Sprintf("the line %q would change to %q: a Go name means one C name permanently; undo the "+
					"rule that renames it", Name{n.Go, n.Kind, n.C, ""}, Name{g.Go, n.Kind, n.C, ""})})
		case n.Shape != "" && g.Shape != n.Shape && changed[n.C].To != g.Shape:
			problems = append(problems, Problem{l.File, l.line[n], remedy(n, g.Shape, source)})
		}
	}
	for _, c := range slices.Sorted(maps.Keys(changed)) {
		if p := stale(c, changed[c], names); p != "" {
			problems = append(problems, Problem{source, 0, p})
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// stale describes an acknowledgement that is none; "" if it is one.
func stale(c string, ack Changed, names []Name) string {
	shape := ""
	for _, n := range names {
		if n.C != c || n.Kind == "const" {
			continue
		}
		if shape = n.Shape; shape == ack.To {
			if ack.Why == "" {
				return fmt.Sprintf("[changed] %s needs a reason: why", c)
			}
			return ""
		}
	}
	if shape == "" {
		return fmt.Sprintf("[changed] %s: no function and no type has that name", c)
	}
	return fmt.Sprintf("[changed] %s says %q, but it is %q now: acknowledge each change anew", c,
		ack.To, shape)
}

// remedy describes a change of shape, and how to avoid it or to acknowledge it.
func remedy(n Name, shape, source string) string {
	if n.Kind == "func" {
		return fmt.Sprintf("the signature of %s (%s) would change from %s to %s: undo the change of the "+
			"facts, or acknowledge it in %s: [changed] %s = { to = %q, why = … }", n.Go, n.C, n.Shape,
			shape, source, n.C, shape)
	}
	name, _, _ := strings.Cut(n.C, "@")
	return fmt.Sprintf("the type %s (%s) would change from %q to %q: give the new layout a Go name "+
		"in %s: [names] \"%s@<version>\" = { go = …, why = … } with the version that changed it, or "+
		"acknowledge that the Go type changes: [changed] %q = { to = %q, why = … }", n.Go, n.C, n.Shape,
		shape, source, name, n.C, shape)
}

// lockHeader explains a lock file to its reader.
const lockHeader = "# What each Go name means and its shape, for ever. The generator appends " +
	"lines and refuses to\n# change or drop one.\n"

// Encode is the lock file for names.
func Encode(names []Name) []byte {
	sorted := slices.Clone(names)
	slices.SortFunc(sorted, func(a, b Name) int { return strings.Compare(a.String(), b.String()) })
	var b bytes.Buffer
	b.WriteString(lockHeader)
	for _, n := range sorted {
		b.WriteString(n.String() + "\n")
	}
	return b.Bytes()
}
