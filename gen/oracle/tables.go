package oracle

import (
	"fmt"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// member is a field by the path that C reaches it with.
type member struct {
	path   string
	offset []int // per layout of the outermost struct
	field  model.Field
}

// members lists the fields of a struct and of the unnamed and named ones declared in it.
func members(s *model.Struct, prefix string, base []int, layouts []model.Layout) []member {
	var out []member
	for i, f := range s.Fields {
		at := make([]int, len(layouts))
		for k, l := range layouts {
			at[k] = base[k] + layoutFor(s, l.Targets).Offsets[i]
		}
		path := prefix
		if f.Name != "" {
			path = strings.TrimPrefix(prefix+"."+f.Name, ".")
			out = append(out, member{path, at, f})
		}
		if f.Inner != nil && !strings.Contains(string(f.Type), "[") {
			out = append(out, members(f.Inner, path, at, layouts)...)
		}
	}
	return out
}

// layoutFor is the layout that a group of targets has in s.
func layoutFor(s *model.Struct, targets []string) model.Layout {
	if len(targets) > 0 {
		for _, l := range s.Layouts {
			for _, t := range l.Targets {
				if t == targets[0] {
					return l
				}
			}
		}
	}
	return s.Layouts[0]
}

func allMembers(s *model.Struct) []member {
	return members(s, "", make([]int, len(s.Layouts)), s.Layouts)
}

// targets is the preprocessor's condition for a group of targets.
func targets(ts []string) string {
	var out []string
	for _, t := range ts {
		os, arch, _ := strings.Cut(t, "/")
		out = append(out, fmt.Sprintf("O_TARGET(%s, %s)", os, arch))
	}
	return strings.Join(out, " || ")
}

// tables writes the rows of types, fields and constants. Each checks what the spec says about it.
func (w *writer) tables() {
	structs := names(w.history, func(r *release) map[string]*model.Struct { return r.structs })
	w.line("static struct o_row o_layout[] = {")
	w.guarded(structs, w.layoutRows)
	w.guarded(names(w.history, func(r *release) map[string]*model.Enum { return r.enums }),
		func(r *release, name string) string {
			if e := r.enums[name]; e != nil && e.CName() != "" {
				size := 4
				if e.Wide {
					size = 8
				}
				return fmt.Sprintf("O_T(%s, %s, %d, %d)", name, e.CName(), size, size)
			}
			return ""
		})
	w.guarded(names(w.history, func(r *release) map[string]*model.Typedef { return r.typedefs }),
		func(r *release, name string) string {
			if r.typedefs[name] != nil && w.complete(r, &model.C{Name: name}) {
				return fmt.Sprintf("O_S(%s, %s)", name, place(name))
			}
			return ""
		})
	w.line("{0, 0, 0, 0, 0, 0, 0}\n};\n")
	w.line("static void o_measure_bits(void) {\n    struct o_row *row = o_layout;\n    (void)row;")
	w.guarded(structs, w.bitRows)
	w.line("}\n")
	w.line("/* oracle_layout has a row for each type and each field; the last row has no owner. */")
	w.line("O_API struct o_row *oracle_layout(void) {\n    o_measure_bits();\n    return o_layout;\n" +
		"}\n")

	w.line("static struct o_row o_constants[] = {")
	w.guarded(w.enumerators(), func(r *release, v string) string {
		if r.owner[v] == "" {
			return ""
		}
		return fmt.Sprintf("O_N(%s, %s)", v, enumerator(r.enums[r.owner[v]], r.number[v]))
	})
	w.guarded(names(w.history, func(r *release) map[string]*model.Const { return r.consts }),
		constantRow)
	w.line("{0, 0, 0, 0, 0, 0, 0}\n};\n")
	w.line("/* oracle_constants has a row for each enumerator and macro; the last row has no owner. " +
		"*/")
	w.line("O_API struct o_row *oracle_constants(void) { return o_constants; }\n")

	w.line("static struct o_row o_counts[] = {")
	w.guarded(functionNames(w.history), w.countRows)
	w.line("{0, 0, 0, 0, 0, 0, 0}\n};\n")
	w.line("/* oracle_counts has a row for each pointer parameter that points to as many elements\n" +
		"   as another parameter says: the function, and the two parameters' numbers as size and\n" +
		"   offset. */")
	w.line("O_API struct o_row *oracle_counts(void) { return o_counts; }\n")

	w.line("static const char *const o_functions[] = {")
	w.guarded(functionNames(w.history), func(r *release, name string) string {
		if r.functions[name] == nil {
			return ""
		}
		return fmt.Sprintf("%q,", name)
	})
	w.line("0\n};\n")
	w.line("/* oracle_functions names every function of the library; null ends it. */")
	w.line("O_API const char *const *oracle_functions(void) { return o_functions; }")
}

// layoutRows are a struct's row and those of its fields, once per group of targets that agree.
func (w *writer) layoutRows(r *release, name string) string {
	s := r.structs[name]
	if s == nil || s.CName() == "" {
		return ""
	}
	c, ms := s.CName(), allMembers(s)
	var b strings.Builder
	for k, l := range s.Layouts {
		if len(s.Layouts) > 1 {
			fmt.Fprintf(&b, "#if %s\n", targets(l.Targets))
		}
		fmt.Fprintf(&b, "O_T(%s, %s, %d, %d)\n", name, c, l.Size, l.Align)
		for _, m := range ms {
			if m.field.Type.Flexible() {
				continue // its size is unknown
			}
			if m.field.Bits > 0 {
				fmt.Fprintf(&b, "O_B(%s, %s)\n", name, m.path)
			} else {
				b.WriteString(w.fieldRow(name, c, m, m.offset[k]))
			}
		}
		if len(s.Layouts) > 1 {
			b.WriteString("#endif\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fieldRow is a field's row; of an array with the subscripts of its first element.
func (w *writer) fieldRow(name, c string, m member, offset int) string {
	first := ""
	for t := w.parse(m.field.Type); t.Kind == model.Array; t = t.Elem {
		first += "[0]"
	}
	if first == "" {
		return fmt.Sprintf("O_F(%s, %s, %s, %d)\n", name, c, m.path, offset)
	}
	return fmt.Sprintf("O_E(%s, %s, %s, %d, %s)\n", name, c, m.path, offset, first)
}

// bitRows measure a struct's bit-fields, in the order of their rows.
func (w *writer) bitRows(r *release, name string) string {
	s := r.structs[name]
	if s == nil || s.CName() == "" {
		return ""
	}
	var b strings.Builder
	for _, m := range allMembers(s) {
		if m.field.Bits > 0 {
			fmt.Fprintf(&b, "O_BITS(%s, %s, %s)\n", name, s.CName(), m.path)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// countRows name the arrays among a function's parameters, and their counts.
func (w *writer) countRows(r *release, name string) string {
	f := w.lastForm(r, name)
	if f == nil {
		return ""
	}
	var b strings.Builder
	for i, j := range w.counted(r, f) {
		if j >= 0 {
			fmt.Fprintf(&b, "{%q, 0, %d, %d, 0, 0, 0},\n", name, i, j)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func constantRow(r *release, name string) string {
	k := r.consts[name]
	if k == nil {
		return ""
	}
	switch k.Kind {
	case "string":
		return fmt.Sprintf("O_TEXT_CONST(%s, %q)", name, k.Value)
	case "pointer":
		return fmt.Sprintf("O_P(%s, %s)", name, k.Value)
	case "float":
		return fmt.Sprintf("O_D(%s, %s)", name, k.Value)
	}
	return fmt.Sprintf("O_N(%s, %s)", name, literal(k.Value))
}
