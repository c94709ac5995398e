package header

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/gpuevent/gpuevent/gen/model"
)

// packing is what #pragma pack says, file by file. cc lays structs out as if the pragma were not
// there, so the unit computes the layouts of packed structs itself.
type packing struct {
	marks map[string][]packMark // by file, in its order
}

// packMark is the packing from a line on; 0 is the target's own.
type packMark struct{ line, limit int }

// pragma notes a pack pragma. The forms are pack(push, n), pack(n), pack(pop) and pack(); n is 1
// in all headers that were seen so far, and other limits work the same way.
func (p *packing) pragma(toks []cc.Token) error {
	at := toks[0].Position()
	text := ""
	for _, t := range toks[1:] {
		text += t.SrcStr()
	}
	limit := 0
	switch n := len(text); {
	case text == "(pop)", text == "()":
	case n > 2 && text[0] == '(' && text[n-1] == ')':
		number := text[1 : n-1]
		if n > 7 && text[1:6] == "push," {
			number = text[6 : n-1]
		}
		var err error
		if limit, err = strconv.Atoi(number); err != nil {
			limit = -1
		}
	default:
		limit = -1
	}
	marks := p.marks[at.Filename]
	inside := len(marks) > 0 && marks[len(marks)-1].limit > 0
	if limit < 0 || limit > 16 || limit&(limit-1) != 0 || inside && limit > 0 {
		return fmt.Errorf("%s:%d: #pragma pack%s is not supported: it changes layouts", at.Filename,
			at.Line, text)
	}
	if n := len(marks); n == 0 || marks[n-1].line != at.Line {
		p.marks[at.Filename] = append(marks, packMark{at.Line, limit})
	}
	return nil
}

// within refuses packing that reaches into other files: at the end of one, and where one includes
// another.
func (p *packing) within(files *files) error {
	for _, file := range slices.Sorted(maps.Keys(p.marks)) {
		marks := p.marks[file]
		if last := marks[len(marks)-1]; last.limit > 0 {
			return fmt.Errorf("%s:%d: #pragma pack holds beyond the end of the file; that is not "+
				"supported", file, last.line)
		}
		text, err := files.read(file)
		if err != nil {
			return err
		}
		lines := strings.Split(string(text), "\n")
		for i, m := range marks {
			if m.limit == 0 {
				continue
			}
			for n := m.line; n < marks[i+1].line; n++ {
				if includes.MatchString(lines[n-1]) {
					return fmt.Errorf("%s:%d: an #include under #pragma pack is not supported", file, n)
				}
			}
		}
	}
	return nil
}

var includes = regexp.MustCompile(`^\s*#\s*include`)

// at is the packing that holds at a place.
func (p *packing) at(n cc.Node) int {
	pos := n.Position()
	limit := 0
	for _, m := range p.marks[pos.Filename] {
		if m.line < pos.Line {
			limit = m.limit
		}
	}
	return limit
}

// packLimit is the highest alignment that the members of a struct may have, 0 for any.
func (u *unit) packLimit(s *cc.StructOrUnionSpecifier) int {
	limit := u.packing.at(s)
	for _, l := range []*cc.AttributeSpecifierList{s.AttributeSpecifierList,
		s.AttributeSpecifierList2} {
		attributes(l, func(name string, _ cc.Node) {
			if name == "packed" {
				limit = 1
			}
		})
	}
	return limit
}

// pack lays a struct out under #pragma pack. Of bit-fields it takes only those whose places packing
// leaves alone: whole units of one type.
func (u *unit) pack(st *model.Struct, t fielded, layout *model.Layout, place string, limit int,
	at *cc.StructOrUnionSpecifier) {
	size, align, bits, unit := 0, 1, 0, 0
	var offsets []int
	for i := range t.NumFields() {
		f := t.FieldByIndex(i)
		a := min(f.Type().Align(), limit)
		if i < len(st.Fields) { // a bit-field has none
			a = max(a, st.Fields[i].Align)
		}
		align = max(align, a)
		if f.IsBitfield() {
			if n := 8 * int(f.Type().Size()); unit != 0 && n != unit {
				bits = -1
				break
			} else {
				unit = n
			}
			bits += int(f.ValueBits())
			continue
		}
		begin := (size + a - 1) / a * a
		if st.Union {
			begin = 0
		}
		offsets = append(offsets, begin)
		size = max(size, begin+int(f.Type().Size()))
	}
	if bits != 0 {
		if bits < 0 || len(offsets) > 0 || bits%unit != 0 || bits != 8*int(t.Size()) {
			u.failf(at, "bit-fields of a packed struct are not supported unless they fill whole units")
			return
		}
		size, offsets = int(t.Size()), layout.Offsets
	}
	align = max(align, alignedTo(at.AttributeSpecifierList, at.AttributeSpecifierList2))
	size = (size + align - 1) / align * align
	if len(offsets) != len(layout.Offsets) {
		u.failf(at, "the members of a packed struct are not those of its layout")
		return
	}
	if size != layout.Size {
		u.resized[place] = true
	}
	if align != layout.Align {
		u.realigned[place] = true
	}
	layout.Size, layout.Align, layout.Offsets = size, align, offsets
}

// unpacked refuses a member of a packed type whose size cc does not know: what follows it would lie
// elsewhere. One of another alignment is right where nothing is aligned.
func (u *unit) unpacked(f model.Field, place string, limit int, at cc.Node) {
	t, err := f.Type.Parse()
	for err == nil && t.Kind == model.Array {
		t = t.Elem
	}
	inner := place
	if f.Name != "" {
		inner += "." + f.Name
	}
	wrong := func(name string) bool { return u.resized[name] || u.realigned[name] && limit != 1 }
	if err == nil && t.Kind == model.Named && wrong(t.Name) || f.Inner != nil && wrong(inner) {
		u.failf(at, "%s holds a packed struct, which is supported behind a pointer only", inner)
	}
}
