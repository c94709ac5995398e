package header

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/gpuevent/gpuevent/gen/model"
)

// ErrSupplement is wrapped by the error of a supplement that can't be used.
var ErrSupplement = errors.New("supplement")

// Supplement is what a release declares beyond the newest header that is available: facts from
// another source, until the release's own header is. It adds to a header and takes nothing away.
type Supplement struct {
	File string `toml:"-"`

	Version string `toml:"version"` // the release's name
	Number  int    `toml:"number"`  // as the API encodes it
	Source  string `toml:"source"`  // where the facts are from
	Check   Check  `toml:"check"`

	// Declarations is C text: what is new.
	Declarations string `toml:"declarations"`
	// Values are enumerators that an enum of the header gets, or has another number for.
	Values map[string]map[string]int64 `toml:"values"`
	// Moved are the enumerators of Values that the header has with another number.
	Moved []string `toml:"moved"`
	// Members are C text: members that a union of the header gets.
	Members map[string]string `toml:"members"`

	text string
}

// Check is what a supplement is checked against: a file in the version's folder.
type Check struct {
	File      string `toml:"file"`
	Functions int    `toml:"functions"` // how many the release declares by that file
}

// LoadSupplement reads the supplement of an API in the folder of the specs. It is nil if there is
// none.
func LoadSupplement(specs, api string) (*Supplement, error) {
	file := filepath.Join(specs, api+".supplement.toml")
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSupplement, err)
	}
	return parseSupplement(filepath.ToSlash(file), string(data))
}

func parseSupplement(file, text string) (*Supplement, error) {
	s := &Supplement{File: file, text: text}
	meta, err := toml.Decode(text, s)
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrSupplement, file, err)
	}
	switch unknown := meta.Undecoded(); {
	case len(unknown) > 0:
		return nil, fmt.Errorf("%w %s: unknown key %s: remove it or correct its spelling", ErrSupplement,
			file, unknown[0])
	case s.Version == "" || s.Number <= 0 || s.Source == "":
		return nil, fmt.Errorf("%w %s: version, number and source must be given", ErrSupplement, file)
	}
	return s, nil
}

// For reports whether a release of this name is the one that the supplement stands in for.
func (s *Supplement) For(version string) bool {
	return version == s.Version || strings.HasPrefix(version, s.Version+".")
}

// membersPrefix begins the names of the unions that hold a supplement's members while they are
// parsed.
const membersPrefix = "gpuevent_members_of_"

// source is the supplement as C text in which every line has the number that it has in the file.
func (s *Supplement) source() (string, error) {
	type chunk struct {
		line         int
		prefix, text string
	}
	chunks := []chunk{{prefix: "", text: s.Declarations}}
	for _, union := range sortedKeys(s.Members) {
		chunks = append(chunks, chunk{prefix: "union " + membersPrefix + union + " {",
			text: s.Members[union] + "};"})
	}
	for i := range chunks {
		c := &chunks[i]
		body := strings.TrimSuffix(c.text, "};")
		if c.prefix == "" {
			body = c.text
		}
		at := strings.Index(s.text, body)
		if at < 0 {
			return "", fmt.Errorf("%w %s: C text must stand between ''' and '''", ErrSupplement, s.File)
		}
		c.line = strings.Count(s.text[:at], "\n")
	}
	slices.SortFunc(chunks, func(a, b chunk) int { return a.line - b.line })
	var b strings.Builder
	line := 0
	for _, c := range chunks {
		b.WriteString(strings.Repeat("\n", max(0, c.line-line)))
		b.WriteString(c.prefix + c.text)
		line = max(line, c.line) + strings.Count(c.text, "\n")
	}
	return b.String() + "\n", nil
}

// apply adds what C can't say again: enumerators and members of types that the header has.
func (s *Supplement) apply(m *model.Model) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w %s: %s", ErrSupplement, s.File, fmt.Sprintf(format, args...))
	}
	moved := map[string]bool{}
	for _, enum := range sortedKeys(s.Values) {
		e := find(m.Enums, func(e *model.Enum) bool { return e.Name == enum })
		if e == nil {
			return bad("[values.%s]: the header has no such enum", enum)
		}
		names := sortedKeys(s.Values[enum])
		slices.SortStableFunc(names, func(a, b string) int {
			return int(s.Values[enum][a] - s.Values[enum][b])
		})
		for _, name := range names {
			n := s.Values[enum][name]
			i := slices.IndexFunc(e.Values, func(v model.EnumValue) bool { return v.Name == name })
			if i >= 0 {
				old := e.Values[i].Value
				if old == n { // a newer header has it too
					continue
				}
				if !slices.Contains(s.Moved, name) {
					return bad("%s is %d in the header and %d here: if that is right, name it in moved", name,
						old, n)
				}
				moved[name] = true
				e.Values = slices.Delete(e.Values, i, i+1)
			}
			e.Values = slices.Insert(e.Values, behind(e.Values, n), model.EnumValue{Name: name, Value: n})
			e.Signed = e.Signed || n < 0
		}
	}
	for _, name := range s.Moved {
		if !moved[name] {
			return bad("moved names %s, whose number is not another one in [values]", name)
		}
	}
	for _, union := range sortedKeys(s.Members) {
		if err := s.member(m, union); err != nil {
			return bad("[members] %s: %v", union, err)
		}
	}
	return nil
}

// behind is the position after the enumerators that are less than n, by the last of them.
func behind(values []model.EnumValue, n int64) int {
	best := -1
	for i, v := range values {
		if v.Value < n && (best < 0 || v.Value >= values[best].Value) {
			best = i
		}
	}
	return best + 1
}

// member moves the members of a helper union to the union that they are for.
func (s *Supplement) member(m *model.Model, union string) error {
	to := find(m.Structs, func(x *model.Struct) bool { return x.Name == union })
	if to == nil || !to.Union {
		return errors.New("the header has no such union; members of structs can't be added")
	}
	helper := membersPrefix + union
	i := slices.IndexFunc(m.Structs, func(x model.Struct) bool { return x.Name == helper })
	from := m.Structs[i]
	for _, f := range from.Fields {
		if slices.ContainsFunc(to.Fields, func(o model.Field) bool { return o.Name == f.Name }) {
			return fmt.Errorf("the header has the member %s", f.Name)
		}
	}
	to.Fields = append(slices.Clone(to.Fields), from.Fields...)
	for j := range to.Layouts {
		l := &to.Layouts[j]
		for _, own := range from.Layouts {
			if own.Size > l.Size || own.Align > l.Align {
				return fmt.Errorf("the members need %d bytes aligned to %d, but the union has %d aligned "+
					"to %d", own.Size, own.Align, l.Size, l.Align)
			}
		}
		l.Offsets = append(slices.Clone(l.Offsets), make([]int, len(from.Fields))...)
	}
	m.Structs = slices.Delete(m.Structs, i, i+1)
	return nil
}

func find[T any](items []T, is func(*T) bool) *T {
	for i := range items {
		if is(&items[i]) {
			return &items[i]
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
