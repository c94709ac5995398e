package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Name is one line of a lock file: a Go name, what kind of thing it is, and the C name it means.
type Name struct {
	Go   string
	Kind string // func, type or const
	C    string
}

func (n Name) String() string { return n.Go + " " + n.Kind + " " + n.C }

// Lock pins what each Go name means, permanently.
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
		if len(fields) != 3 {
			return nil, Problem{l.File, i,
				fmt.Sprintf("a line is \"GoName kind CName\", not %q", strings.TrimSpace(string(line)))}
		}
		n := Name{fields[0], fields[1], fields[2]}
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

// Check compares the lock with the names to be emitted: no line may change.
func (l *Lock) Check(names []Name) error {
	now := map[[2]string]string{}
	for _, n := range names {
		now[[2]string{n.Kind, n.C}] = n.Go
	}
	var problems Problems
	for _, n := range l.Names {
		switch g, ok := now[[2]string{n.Kind, n.C}]; {
		case !ok:
			problems = append(problems, Problem{l.File, l.line[n],
				fmt.Sprintf("the line %q would be dropped: %s is in no spec any more; a name that was "+
					"published stays, so restore it", n, n.C)})
		case g != n.Go:
			problems = append(problems, Problem{l.File, l.line[n],
				fmt.Sprintf("the line %q would change to %q: a Go name means one C name permanently; undo the "+
					"rule that renames it", n, Name{g, n.Kind, n.C})})
		}
	}
	if len(problems) > 0 {
		return problems
	}
	return nil
}

// lockHeader explains a lock file to its reader.
const lockHeader = "# What each Go name means, for ever. The generator appends lines and refuses " +
	"to change or drop one.\n"

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
