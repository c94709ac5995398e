// Package pxd reads what a Cython declaration file says about a C library: prototypes, members and
// enumerators. It is a second opinion on a library whose headers are not available: such a file has
// no values, no bit widths and no members without a name, and loses most typedefs.
package pxd

import (
	"fmt"
	"regexp"
	"strings"
)

// File is what a file declares. Types are spelled as they stand there.
type File struct {
	Functions map[string]Function
	Enums     map[string][]string // enumerators of enums that have a name
	Structs   map[string][]Field  // structs and unions whose members are listed
	Typedefs  map[string]string   // what a name stands for
}

// Function is a prototype.
type Function struct {
	Ret    string
	Params []string
}

// Field is a member of a struct or union.
type Field struct{ Name, Type string }

var (
	function = regexp.MustCompile(`^cdef (.+?)(\w+)\((.*)\)`)
	block    = regexp.MustCompile(`^(?:cdef|ctypedef) (enum|struct|union) ?(\w*)(?: "(\w+)")?:`)
	typedef  = regexp.MustCompile(`^ctypedef (.+?)(\w+)$`)
	member   = regexp.MustCompile(`^(.+?)(\w+)(\[\d+\])*$`)
)

// Parse reads a file. What is no declaration is skipped.
func Parse(text string) (*File, error) {
	f := &File{Functions: map[string]Function{}, Enums: map[string][]string{},
		Structs: map[string][]Field{}, Typedefs: map[string]string{}}
	kind, name, indent := "", "", 0
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		if bare == "" || bare[0] == '#' {
			continue
		}
		in := len(line) - len(strings.TrimLeft(line, " "))
		if kind != "" && in > indent {
			if err := f.inner(kind, name, bare); err != nil {
				return nil, err
			}
			continue
		}
		kind = ""
		if m := block.FindStringSubmatch(bare); m != nil {
			kind, name, indent = m[1], m[2], in
			if m[3] != "" {
				name = m[3]
			}
		} else if m := function.FindStringSubmatch(bare); m != nil {
			f.function(m[1], m[2], m[3])
		} else if m := typedef.FindStringSubmatch(bare); m != nil {
			f.Typedefs[m[2]] = strings.TrimSpace(m[1])
		}
	}
	if len(f.Functions) == 0 {
		return nil, fmt.Errorf("no function is declared")
	}
	return f, nil
}

// inner reads a line within an enum, a struct or a union.
func (f *File) inner(kind, name, line string) error {
	switch {
	case name == "" || line == "pass":
	case kind == "enum":
		f.Enums[name] = append(f.Enums[name], line)
	default:
		m := member.FindStringSubmatch(line)
		if m == nil {
			return fmt.Errorf("%s %s: %q is no member", kind, name, line)
		}
		dims := line[len(m[1])+len(m[2]):]
		f.Structs[name] = append(f.Structs[name], Field{m[2], strings.TrimSpace(m[1]) + dims})
	}
	return nil
}

func (f *File) function(ret, name, params string) {
	fn := Function{Ret: strings.TrimSpace(ret)}
	if params != "" {
		for p := range strings.SplitSeq(params, ",") {
			m := member.FindStringSubmatch(strings.TrimSpace(p))
			if m == nil {
				m = []string{"", p}
			}
			fn.Params = append(fn.Params, strings.TrimSpace(m[1]))
		}
	}
	f.Functions[name] = fn
}
