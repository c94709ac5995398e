package emit

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/gen/model"
)

// structure is a struct or union as Go sees it.
type structure struct {
	*model.Struct
	goName  string
	typ     *gtype
	key     string      // its C name in the lock
	place   string      // for a nested one: its place in C
	members []*member   // in memory order
	access  []*accessor // members of unions, by method
	aligned bool        // Go can't express the alignment
	nested  []*structure
	until   string // the newest version with this layout; "" for what the newest declares
	ends    []int  // where structs end whose fields became fields of this one
}

// member is a field of the Go struct.
type member struct {
	c, goName string
	typ       *gtype
	offset    int
	hidden    bool // unexported: reserved bytes, the data of unions, bit-field units
	pad       int  // bytes of padding in front
	bits      []*bitfield
	since     string
	inner     *structure
	align     int    // in C, where it is more than the type's
	packed    *gtype // the type of a field that Go can't align, which methods copy in and out
}

// cAlign is the alignment that C gives the field.
func (m *member) cAlign() int { return max(m.align, m.typ.align, 1) }

// accessor is a method that returns a pointer to a member of a union.
type accessor struct {
	c, goName string
	typ       *gtype
	data      string // the field that holds the union
	offset    int    // within it
	inner     *structure
}

type bitfield struct {
	c, goName    string
	typ          *gtype // of the C field
	first, width int
	word         int // of a union's data; -1 in a unit of its own
}

var reservedName = regexp.MustCompile(
	`^(_.*|[a-z]+Reserved\d*|(?i:reserved\w*|pad\d*|padding\d*|unused\w*))$`)

func (p *typing) layoutStructs() error {
	for _, s := range slices.Concat(p.structs, p.olderStructs) {
		at := ""
		if s.Removed != "" {
			at = p.last(s.Span)
		}
		if s.until != "" {
			at = s.until
		}
		if err := p.layoutStruct(s, at); err != nil {
			return err
		}
	}
	return nil
}

// layoutStruct lays a struct out with the types of a version, "" for the newest.
func (p *typing) layoutStruct(s *structure, version string) error {
	err := p.res.asOf(version,
		func() error { return p.layout(s, s.Layouts, s.Fields, s.Union, s.Name) })
	if err == nil {
		err = s.verify(s.Layouts)
	}
	if errors.Is(err, errGap) {
		return fmt.Errorf("specs/%s.json: %s: %w", p.Rules.API, s.Name, err)
	}
	if err != nil {
		p.unbound("fields of", s.Name, "%v; the Go type has size and alignment only", err)
		s.hide()
	}
	s.aligned = s.Layouts[0].Align > 8
	return nil
}

// hide replaces the fields of a struct by its bytes.
func (s *structure) hide() {
	l := s.Layouts[0]
	s.members = []*member{{goName: "data", typ: opaque(l.Size, l.Align), hidden: true}}
	s.access, s.nested = nil, nil
}

// opaque is the type of a union's data: whole words, so that size and alignment are C's.
func opaque(size, align int) *gtype {
	word := builtin(kUint, "uint8", 1)
	switch {
	case size%min(align, 8) != 0: // no C compiler does that
	case align >= 8:
		word = builtin(kUint, "uint64", 8)
	case align == 4:
		word = builtin(kUint, "uint32", 4)
	case align == 2:
		word = builtin(kUint, "uint16", 2)
	}
	return &gtype{kind: kArray, elem: word, n: int64(size / word.size), size: size, align: word.align}
}

func (p *typing) layout(s *structure, ls []model.Layout, fields []model.Field, union bool,
	place string) error {
	l := ls[0]
	s.typ.size, s.typ.align = l.Size, l.Align
	if union {
		data := &member{goName: "data", typ: opaque(l.Size, l.Align), hidden: true}
		s.members = []*member{data}
		return p.unionMembers(s, fields, l, place, "data", 0)
	}
	if err := p.structMembers(s, fields, l, place, 0); err != nil {
		return err
	}
	if err := s.pad(l.Size, l.Align); err != nil {
		return err
	}
	s.align(l.Align)
	return nil
}

// structMembers adds the fields of a struct; those of an anonymous nested one become fields of the
// outer.
func (p *typing) structMembers(s *structure, fields []model.Field, l model.Layout, place string,
	base int) error {
	for i := range fields {
		f := &fields[i]
		off := base + l.Offsets[i]
		switch {
		case f.Bits > 0:
			if err := p.addBits(s, f, off); err != nil {
				return err
			}
		case f.Inner != nil && f.Name == "" && f.Inner.Union:
			il := f.Inner.Layouts[0]
			name := "union"
			if n := s.count("union"); n > 0 {
				name = fmt.Sprintf("union%d", n+1)
			}
			s.members = append(s.members,
				&member{goName: name, typ: opaque(il.Size, il.Align), offset: off, hidden: true,
					align: il.Align})
			if err := p.unionMembers(s, f.Inner.Fields, il, place, name, 0); err != nil {
				return err
			}
		case f.Inner != nil && f.Name == "":
			first := len(s.members)
			if err := p.structMembers(s, f.Inner.Fields, f.Inner.Layouts[0], place, off); err != nil {
				return err
			}
			if len(s.members) > first {
				s.members[first].align = f.Inner.Layouts[0].Align
			}
			s.ends = append(s.ends, off+f.Inner.Layouts[0].Size)
		case f.Type.Flexible(): // C does not count it to the size, as Go does
		default:
			m := &member{
				c:      f.Name,
				goName: camel(f.Name),
				offset: off,
				since:  f.Since,
				align:  f.Align,
				hidden: reservedName.MatchString(f.Name) && !onlyReserved(fields),
			}
			rule, ruled := p.Rules.Binding.Names[place+"."+f.Name]
			switch {
			case ruled: // it only looks reserved
				m.goName, m.hidden = rule.Go, false
			case m.hidden:
				m.goName = lower(strings.TrimLeft(f.Name, "_"))
			}
			t, inner, err := p.fieldType(s, f, place)
			if err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
			m.typ, m.inner = t, inner
			s.unpack(m)
			s.members = append(s.members, m)
			s.typ.members(t)
		}
	}
	return nil
}

// onlyReserved reports whether a struct has no other fields: its bytes are the value then, such as
// those of an IPC handle.
func onlyReserved(fields []model.Field) bool {
	return !slices.ContainsFunc(fields,
		func(f model.Field) bool { return !reservedName.MatchString(f.Name) })
}

// members notes what a struct is made of: whether it can be passed by value depends on that.
func (t *gtype) members(m *gtype) {
	for m.kind == kArray {
		m = m.elem
	}
	switch m.kind {
	case kFloat:
		t.floats = true
	case kStruct:
		t.floats, t.ints = t.floats || m.floats, t.ints || m.ints
	default:
		t.ints = true
	}
}

// byValue reports whether the call path can pass a struct by value. Small ones with floating-point
// members are passed in floating-point registers; so are, on arm64, those with only such members.
func (t *gtype) byValue() bool { return !t.floats || t.ints && t.size > 16 }

func (s *structure) count(prefix string) int {
	n := 0
	for _, m := range s.members {
		if m.c == "" && strings.HasPrefix(m.goName, prefix) {
			n++
		}
	}
	return n
}

// fieldType is a field's Go type: of a rule, of a fact, or of its C type.
func (p *typing) fieldType(s *structure, f *model.Field, place string) (*gtype, *structure, error) {
	if f.Inner != nil {
		return p.inPlace(s, f, place)
	}
	t, err := p.res.parse(f.Type)
	if err != nil {
		return nil, nil, err
	}
	if g, ok := p.Rules.Binding.GoTypes[place+"."+f.Name]; ok {
		o, err := p.overrideType(g.Go)
		if err != nil || o.size != t.size {
			return nil, nil, fmt.Errorf("[gotype] %q does not fit", g.Go)
		}
		return o, nil, nil
	}
	if e := p.enumAt(place + "." + f.Name); e != "" {
		if et := p.res.types[e]; et != nil && et.size == t.size {
			return et, nil, nil
		}
	}
	if t.kind == kUnsafe && p.isUserData(place, s.Struct, f) {
		return tUintptr, nil, nil
	}
	return t, nil, nil
}

// isUserData reports whether a void * field carries a callback's registration, which is a number.
func (p *typing) isUserData(place string, s *model.Struct, f *model.Field) bool {
	if s == nil {
		return false
	}
	for _, g := range s.Fields {
		cb, ok := p.Rules.Facts.Callback[place+"."+g.Name]
		if ok && cb.UserData == f.Name {
			return true
		}
		if t := p.res.lookup(string(g.Type)); !ok && t != nil && t.kind == kFunc &&
			strings.EqualFold(f.Name, "userData") {
			return true
		}
	}
	return false
}

// inPlace is the type of a member whose struct or union is declared in place: that struct, an array
// of it, or a pointer to it. Of an array or a pointer, C can't name the members of the struct by a
// path, so there is no structure to list.
func (p *typing) inPlace(s *structure, f *model.Field, place string) (*gtype, *structure, error) {
	inner, err := p.nest(s, f, place+"."+f.Name)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.Type.Parse()
	if err != nil {
		return nil, nil, err
	}
	if c.Kind == model.Named {
		return inner.typ, inner, nil
	}
	return declared(c, inner.typ), nil, nil
}

// declared wraps a type into the arrays and pointers of a declarator.
func declared(c *model.C, base *gtype) *gtype {
	switch c.Kind {
	case model.Array:
		return arrayOf(declared(c.Elem, base), c.Len)
	case model.Pointer:
		return ptr(declared(c.Elem, base))
	}
	return base
}

// nest makes the type of a member whose struct or union is declared in place.
func (p *typing) nest(s *structure, f *model.Field, place string) (*structure, error) {
	key := s.key + "." + f.Name
	g, err := p.namer.name("type", key, s.goName+camel(f.Name), "Params", "Struct")
	if err != nil {
		return nil, err
	}
	in := &structure{
		Struct: f.Inner,
		goName: g,
		key:    key,
		place:  place,
		typ:    &gtype{kind: kStruct, name: g, named: true},
	}
	if err := p.layout(in, f.Inner.Layouts, f.Inner.Fields, f.Inner.Union, place); err != nil {
		return nil, err
	}
	s.nested = append(s.nested, in)
	return in, nil
}

// unionMembers adds the accessors for the members of a union at data+base.
func (p *typing) unionMembers(s *structure, fields []model.Field, l model.Layout, place,
	data string, base int) error {
	for i := range fields {
		f := &fields[i]
		off := base + l.Offsets[i]
		if f.Bits > 0 {
			if err := p.unionBits(s, f, data, off); err != nil {
				return err
			}
			continue
		}
		if f.Inner != nil && f.Name == "" {
			if err := p.unionMembers(s, f.Inner.Fields, f.Inner.Layouts[0], place, data, off); err != nil {
				return err
			}
			continue
		}
		t, inner, err := p.fieldType(s, f, place)
		if err != nil {
			return fmt.Errorf("member %s: %w", f.Name, err)
		}
		name := camel(f.Name)
		for _, m := range s.members {
			if m.goName == name {
				name += "Member"
			}
		}
		s.access = append(s.access,
			&accessor{c: f.Name, goName: name, typ: t, data: data, offset: off, inner: inner})
		s.typ.members(t)
	}
	return nil
}

// addBits puts a bit-field into its storage unit.
func (p *typing) addBits(s *structure, f *model.Field, off int) error {
	t, err := p.res.parse(f.Type)
	if err != nil {
		return fmt.Errorf("bit-field %s: %w", f.Name, err)
	}
	unit := (*member)(nil)
	if n := len(s.members); n > 0 && s.members[n-1].bits != nil && s.members[n-1].offset == off {
		unit = s.members[n-1]
	}
	if unit == nil {
		unsigned := map[int]string{1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64"}[t.size]
		if unsigned == "" {
			return fmt.Errorf("bit-field %s of %d bytes", f.Name, t.size)
		}
		s.typ.ints = true
		unit = &member{
			goName: fmt.Sprintf("bits%d", s.count("bits")),
			typ:    builtin(kUint, unsigned, t.size),
			offset: off,
			hidden: true,
		}
		s.members = append(s.members, unit)
	}
	if f.BitOffset+f.Bits > 8*unit.typ.size {
		return fmt.Errorf("bit-field %s lies across its storage unit", f.Name)
	}
	if f.Name != "" {
		unit.bits = append(unit.bits,
			&bitfield{c: f.Name, goName: camel(f.Name), typ: t, first: f.BitOffset, width: f.Bits,
				word: -1})
	}
	return nil
}

// errGap is the error of a struct with more bytes between its fields than padding can have: the
// spec lacks a field.
var errGap = errors.New("bytes that no field covers")

// pad inserts explicit padding and proves that Go lays the struct out as C does, on every target.
func (s *structure) pad(size, align int) error {
	names := map[string]int{}
	at := 0
	for _, m := range s.members {
		if names[m.goName]++; names[m.goName] > 1 {
			m.goName = fmt.Sprintf("%s%d", m.goName, names[m.goName])
		}
		if m.offset < at {
			return fmt.Errorf("field %s overlaps the one before", m.goName)
		}
		m.pad = m.offset - at
		if align := goAlign(m.typ); m.offset%align != 0 {
			return fmt.Errorf("field %s is packed to offset %d, which Go can't express", m.goName, m.offset)
		}
		gap := m.pad
		for _, end := range s.ends {
			if end > at && end <= m.offset {
				gap = min(gap, m.offset-end)
			}
		}
		if align := m.cAlign(); gap >= align {
			return fmt.Errorf("%w: %d bytes in front of the field %s, which is aligned to %d", errGap, gap,
				m.goName, align)
		}
		at = m.offset + m.typ.size
	}
	if at > size {
		return fmt.Errorf("%d bytes of fields in %d bytes", at, size)
	}
	if rest := size - at; rest >= max(align, 1) && len(s.members) > 0 {
		return fmt.Errorf("%w: %d bytes after the last field of a struct aligned to %d", errGap, rest,
			align)
	}
	if rest := size - at; rest > 0 {
		s.members = append(s.members,
			&member{goName: "_", typ: opaque(rest, 1), offset: at, hidden: true})
	}
	return nil
}

func goAlign(t *gtype) int {
	if t.kind == kArray {
		return goAlign(t.elem)
	}
	return max(1, min(t.align, 8))
}

// verify computes the offsets that Go gives the members, as the compiler of each target does, and
// compares them with C's.
func (s *structure) verify(ls []model.Layout) error {
	for _, l := range ls {
		for _, t := range l.Targets {
			at, align := 0, 1
			for _, m := range s.members {
				size, a := goSize(m.typ, strings.HasPrefix(t, "windows/"))
				align = max(align, a)
				at = (at+m.pad+a-1)/a*a + size
			}
			if at = (at + align - 1) / align * align; at != l.Size {
				return fmt.Errorf("in Go it has %d bytes, in C %d on %s", at, l.Size, t)
			}
		}
	}
	return nil
}

// goSize is a type's size and alignment in Go, by the width of long.
func goSize(t *gtype, windows bool) (size, align int) {
	switch {
	case t.kind == kArray:
		size, align = goSize(t.elem, windows)
		return size * int(t.n), align
	case t.long && windows:
		return 4, 4
	}
	return t.size, goAlign(t)
}
