package oracle

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// declarations writes all types and constants out of the spec, for when no header does it.
func (w *writer) declarations() {
	structs := names(w.history, func(r *release) map[string]*model.Struct { return r.structs })
	w.guarded(structs, func(r *release, name string) string {
		s := r.structs[name]
		switch {
		case s == nil:
			return ""
		case s.Bare:
			return fmt.Sprintf("%s %s;", keyword(s), s.Tag)
		}
		return fmt.Sprintf("typedef %s %s %s;", keyword(s), tag(s), s.Name)
	})
	for _, name := range names(w.history, func(r *release) map[string]*model.Enum { return r.enums }) {
		w.enum(name)
	}
	typedefs := names(w.history, func(r *release) map[string]*model.Typedef { return r.typedefs })
	w.guarded(w.ordered(typedefs, w.typedefNeeds), w.typedef)
	w.guarded(w.ordered(structs, w.structNeeds), w.body)
	w.guarded(names(w.history, func(r *release) map[string]*model.Const { return r.consts }),
		w.constant)
}

func keyword(s *model.Struct) string {
	if s.Union {
		return "union"
	}
	return "struct"
}

// tag is the struct's tag; one without gets one, so that it can be named before it is complete.
func tag(s *model.Struct) string {
	if s.Tag != "" {
		return s.Tag
	}
	return "o_tag_" + s.Name
}

// enum declares one enum; its enumerators come and go with the releases.
func (w *writer) enum(name string) {
	w.guarded([]string{name}, func(r *release, name string) string {
		e := r.enums[name]
		switch {
		case e == nil:
			return ""
		case e.Tag == "" && e.Bare:
			return "enum {"
		case e.Tag == "":
			return "typedef enum o_enum_" + name + " {"
		case e.Bare:
			return "enum " + e.Tag + " {"
		}
		return "typedef enum " + e.Tag + " {"
	})
	values := w.values(name)
	w.guarded(values, func(r *release, v string) string {
		if r.owner[v] != name || r.enums[name] == nil {
			return ""
		}
		return fmt.Sprintf("    %s = %s,", v, enumerator(r.enums[name], r.number[v]))
	})
	w.guarded([]string{name}, func(r *release, name string) string {
		e := r.enums[name]
		if e == nil {
			return ""
		}
		end := "}"
		if !slices.ContainsFunc(values, func(v string) bool { return r.owner[v] == name }) {
			end = "    o_empty_" + place(name) + "\n}" // all enumerators have moved to another enum
		}
		if e.Bare {
			return end + ";"
		}
		return end + " " + name + ";"
	})
}

// enumerator spells a value of an enum. One over 63 bits is a negative number in the model.
func enumerator(e *model.Enum, v int64) string {
	if v < 0 && e.Wide && !e.Signed {
		return fmt.Sprintf("%#xull", uint64(v))
	}
	return number(v)
}

// number spells a value so that C takes it as it is.
func number(v int64) string {
	if v == math.MinInt64 {
		return literal(strconv.FormatInt(v, 10))
	}
	if v > 1<<31-1 && v < 1<<32 {
		return fmt.Sprintf("%#xu", v)
	}
	return fmt.Sprint(v)
}

func (w *writer) typedef(r *release, name string) string {
	t := r.typedefs[name]
	if t == nil || strings.Contains(name, ".") {
		return ""
	}
	if t.Kind == "callback" {
		return "typedef " + w.declare(t.Ret, "(*"+name+")("+w.params(t.Params)+")", "") + ";"
	}
	return "typedef " + w.declare(t.Type, name, "") + ";"
}

// places declares the function pointers that no header names.
func (w *writer) places() {
	w.guarded(names(w.history, func(r *release) map[string]*model.Typedef { return r.typedefs }),
		func(r *release, name string) string {
			t := r.typedefs[name]
			if t == nil || !strings.Contains(name, ".") {
				return ""
			}
			return "typedef " + w.declare(t.Ret, "(*"+place(name)+")("+w.params(t.Params)+")", "") + ";"
		})
}

func (w *writer) params(ps []model.Param) string {
	if len(ps) == 0 {
		return "void"
	}
	var out []string
	for _, p := range ps {
		if p.Type == "..." {
			out = append(out, "...")
			continue
		}
		out = append(out, w.declare(p.Type, p.Name, ""))
	}
	return strings.Join(out, ", ")
}

func (w *writer) body(r *release, name string) string {
	s := r.structs[name]
	if s == nil {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s {\n", keyword(s), tag(s))
	w.fields(&b, r, s, "    ")
	fmt.Fprintf(&b, "}%s;", w.attributes(r, s))
	return b.String()
}

func (w *writer) fields(b *strings.Builder, r *release, s *model.Struct, indent string) {
	packed, bit := w.packed(r, s), 0
	for i, f := range s.Fields {
		if at := 8*s.Layouts[0].Offsets[i] + f.BitOffset; f.Bits > 0 && !s.Union {
			if gap := at - bit; bit > 0 && gap > 0 { // bit-fields without a name
				fmt.Fprintf(b, "%s%s : %d;\n", indent, f.Type, gap)
			}
			bit = at + f.Bits
		} else {
			bit = 0
		}
		base := ""
		if f.Inner != nil {
			var in strings.Builder
			in.WriteString(keyword(f.Inner))
			if f.Inner.Tag != "" {
				in.WriteString(" " + f.Inner.Tag)
			}
			in.WriteString(" {\n")
			w.fields(&in, r, f.Inner, indent+"    ")
			in.WriteString(indent + "}" + w.attributes(r, f.Inner))
			base = in.String()
		}
		d := w.declare(f.Type, f.Name, base)
		if c := w.parse(f.Type); strings.Contains(c.Base(), ".") && r.typedefs[c.Base()] != nil {
			t := r.typedefs[c.Base()] // a function pointer, which is declared in place
			d = w.declare(t.Ret, "("+c.DeclareAs("*", f.Name)+")("+w.params(t.Params)+")", "")
		}
		switch align := w.align(r, f.Type, f.Inner); {
		case f.Bits > 0:
			d += fmt.Sprintf(" : %d", f.Bits)
		case packed:
			if off := s.Layouts[0].Offsets[i]; off > 0 {
				align = min(align, off&-off)
			}
			if align = min(align, s.Layouts[0].Align); align > 1 {
				d += fmt.Sprintf(" __attribute__((aligned(%d)))", align)
			}
		case f.Align > align:
			d += fmt.Sprintf(" __attribute__((aligned(%d)))", f.Align)
		}
		fmt.Fprintf(b, "%s%s;\n", indent, d)
	}
}

// attributes are what a struct needs beyond its fields to have its alignment, judged on the first
// target.
func (w *writer) attributes(r *release, s *model.Struct) string {
	natural := 1
	for _, f := range s.Fields {
		natural = max(natural, w.align(r, f.Type, f.Inner), f.Align)
	}
	switch want := s.Layouts[0].Align; {
	case w.packed(r, s):
		return fmt.Sprintf(" __attribute__((packed, aligned(%d)))", want)
	case want > natural:
		return fmt.Sprintf(" __attribute__((aligned(%d)))", want)
	}
	return ""
}

// packed reports whether a member lies where its type alone would not lie, or could.
func (w *writer) packed(r *release, s *model.Struct) bool {
	for i, f := range s.Fields {
		align := w.align(r, f.Type, f.Inner)
		if align > s.Layouts[0].Align || s.Layouts[0].Offsets[i]%align != 0 {
			return true
		}
	}
	return false
}

var alignments = map[string]int{"_Bool": 1, "char": 1, "signed char": 1, "unsigned char": 1,
	"int8_t": 1, "uint8_t": 1,
	"short": 2, "unsigned short": 2, "int16_t": 2, "uint16_t": 2, "_Float16": 2,
	"int": 4, "unsigned int": 4, "int32_t": 4, "uint32_t": 4, "float": 4, "wchar_t": 4,
	"long double": 16}

// align is the alignment of a type on the first target, linux/amd64.
func (w *writer) align(r *release, t model.Type, inner *model.Struct) int {
	if inner != nil {
		return inner.Layouts[0].Align
	}
	c := w.parse(t)
	for c.Kind == model.Array {
		c = c.Elem
	}
	if c.Kind == model.Pointer {
		return 8
	}
	if a := alignments[c.Name]; a > 0 {
		return a
	}
	if s := r.named(c.Name); s != nil {
		return s.Layouts[0].Align
	}
	if d := r.typedefs[c.Name]; d != nil && d.Kind == "alias" {
		return w.align(r, d.Type, nil)
	}
	if e := r.enums[strings.TrimPrefix(c.Name, "enum ")]; e != nil {
		if e.Wide {
			return 8
		}
		return 4
	}
	return 8
}

// named finds a struct by the name that types use.
func (r *release) named(name string) *model.Struct {
	if s := r.structs[name]; s != nil && !s.Bare {
		return s
	}
	for _, prefix := range []string{"struct ", "union "} {
		tag, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		for _, s := range r.structs {
			if s.Tag == tag {
				return s
			}
		}
	}
	return nil
}

func (w *writer) constant(r *release, name string) string {
	k := r.consts[name]
	if k == nil {
		return ""
	}
	switch {
	case k.Kind == "string":
		return fmt.Sprintf("#define %s %q", name, k.Value)
	case k.Type != "":
		return fmt.Sprintf("#define %s ((%s)%s)", name, k.Type, literal(k.Value))
	}
	return fmt.Sprintf("#define %s (%s)", name, literal(k.Value))
}

// literal spells a macro's value. C has no decimal constant beyond the largest signed integer
// without a suffix, and none for the smallest.
func literal(value string) string {
	if v, err := strconv.ParseUint(value, 10, 64); err == nil && v > math.MaxInt64 {
		return value + "ull"
	}
	if value == strconv.FormatInt(math.MinInt64, 10) {
		return "(-9223372036854775807-1)"
	}
	return value
}

// ordered sorts names so that each stands behind those it needs, in any release.
func (w *writer) ordered(all []string, needs func(r *release, name string) []string) []string {
	var out []string
	state := map[string]int{}
	var visit func(string)
	visit = func(name string) {
		if state[name] != 0 {
			return
		}
		state[name] = 1
		for _, r := range append([]*release{w.union}, w.all...) {
			for _, n := range needs(r, name) {
				visit(n)
			}
		}
		out = append(out, name)
	}
	for _, name := range all {
		visit(name)
	}
	return slices.DeleteFunc(out, func(name string) bool {
		_, found := slices.BinarySearch(all, name)
		return !found
	})
}

// typedefNeeds are the typedefs that a typedef's declaration names.
func (w *writer) typedefNeeds(r *release, name string) []string {
	t := r.typedefs[name]
	if t == nil {
		return nil
	}
	types := []model.Type{t.Type}
	if t.Kind == "callback" {
		types = []model.Type{t.Ret}
		for _, p := range t.Params {
			types = append(types, p.Type)
		}
	}
	var out []string
	for _, t := range types {
		if t == "..." {
			continue
		}
		c := w.parse(t)
		for c.Kind != model.Named {
			c = c.Elem
		}
		if r.typedefs[c.Name] != nil {
			out = append(out, c.Name)
		}
	}
	return out
}

// structNeeds are the structs that a struct holds by value.
func (w *writer) structNeeds(r *release, name string) []string {
	if s := r.structs[name]; s != nil {
		return w.holds(r, s.Fields)
	}
	return nil
}

func (w *writer) holds(r *release, fs []model.Field) []string {
	var out []string
	for _, f := range fs {
		if f.Inner != nil {
			out = append(out, w.holds(r, f.Inner.Fields)...)
			continue
		}
		c := w.parse(f.Type)
		for c.Kind == model.Array {
			c = c.Elem
		}
		for c.Kind == model.Named && r.typedefs[c.Name] != nil && r.typedefs[c.Name].Kind == "alias" {
			c = w.parse(r.typedefs[c.Name].Type)
		}
		if c.Kind != model.Named {
			continue
		}
		if s := r.named(c.Name); s != nil {
			out = append(out, s.Name)
		}
	}
	return out
}
