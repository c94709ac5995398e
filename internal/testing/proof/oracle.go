package proof

import (
	"fmt"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
)

// Oracle is an open library that was compiled from testdata/oracle_<api>.c: functions with the
// API's prototypes that note what they receive. The record is the library's; one call at a time.
type Oracle struct {
	lib *dl.Library
}

// Open opens an oracle at a path of its own. It serves no calls before [Oracle.Table] is installed.
func Open(path string) (*Oracle, error) {
	lib := &dl.Library{Name: "oracle", Env: "GPUEVENT_ORACLE_UNUSED", Remedy: "build it"}
	if err := lib.Load(path); err != nil {
		return nil, err
	}
	return Of(lib)
}

// Of is the oracle behind a library that is open.
func Of(lib *dl.Library) (*Oracle, error) {
	o := &Oracle{lib}
	for _, s := range []string{"oracle_arm", "oracle_record", "oracle_later", "oracle_layout",
		"oracle_constants", "oracle_counts", "oracle_functions"} {
		if o.symbol(s) == 0 {
			return nil, fmt.Errorf("%s is no oracle: it lacks %s", lib.Path(), s)
		}
	}
	return o, nil
}

// Table is the oracle's symbols, for [dl.Library.Install].
func (o *Oracle) Table() dl.Table { return o.symbol }

func (o *Oracle) symbol(name string) uintptr {
	p := dl.Proc{Lib: o.lib, Symbol: name}
	addr, err := p.Addr()
	if err != nil {
		return 0
	}
	return addr
}

// pointer calls a function of the oracle without arguments that returns a pointer into the library.
func (o *Oracle) pointer(name string) unsafe.Pointer {
	f := ccall.New(o.symbol(name))
	defer f.Free()
	f.Call()
	return *(*unsafe.Pointer)(unsafe.Pointer(&f.R0))
}

// arm begins a record. Bit i of mask lets C touch what parameter i points to.
func (o *Oracle) arm(seed, mask uint64, code int32) {
	f := ccall.New(o.symbol("oracle_arm"))
	defer f.Free()
	f.Int(uintptr(seed))
	f.Int(uintptr(mask))
	f.Int(uintptr(code))
	f.Call()
}

// What a note is about, as in the C text.
const (
	noteFunction  = 1
	noteWord      = 2
	noteBefore    = 3
	noteText      = 4
	noteWrote     = 5
	noteWroteText = 6
	noteCBArg     = 7
	noteCBPoints  = 8
	noteCBText    = 9
	noteCBResult  = 10
)

// note is one thing that C saw or did.
type note struct {
	kind, index int
	class       Class
	bytes       []byte
}

// record reads the notes since arm.
func (o *Oracle) record() []note {
	p := o.pointer("oracle_record")
	used := *(*uintptr)(p)
	data := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Add(p, 8)), used)...)
	var notes []note
	for len(data) > 0 {
		head := *(*[4]int32)(unsafe.Pointer(unsafe.SliceData(data)))
		n := int(head[2])
		notes = append(notes, note{int(head[0]), int(head[1]), Class(head[3]), data[16 : 16+n]})
		data = data[16+(n+7)&^7:]
	}
	return notes
}

// find returns the bytes of a note.
func find(notes []note, kind, index int) ([]byte, bool) {
	for _, n := range notes {
		if n.kind == kind && n.index == index {
			return n.bytes, true
		}
	}
	return nil, false
}

// classOf returns the class of a note, 0 without one.
func classOf(notes []note, kind, index int) Class {
	for _, n := range notes {
		if n.kind == kind && n.index == index {
			return n.class
		}
	}
	return 0
}

// later has C call the callback of the last call once more.
func (o *Oracle) later() {
	f := ccall.New(o.symbol("oracle_later"))
	defer f.Free()
	f.Call()
}

// row is a row of the oracle's tables.
type row struct {
	owner, field *byte
	size, offset int64
	bit, bits    int64
	class        int64
}

func (o *Oracle) rows(table string) []row {
	var out []row
	for p := o.pointer(table); ; p = unsafe.Add(p, unsafe.Sizeof(row{})) {
		r := *(*row)(p)
		if r.owner == nil {
			return out
		}
		out = append(out, r)
	}
}

func text(p *byte) string { return ccall.GoString(unsafe.Pointer(p)) }

// Layout is every type as the C compiler lays it out.
func (o *Oracle) Layout() map[string]CType {
	out := map[string]CType{}
	for _, r := range o.rows("oracle_layout") {
		name := text(r.owner)
		if r.field == nil {
			out[name] = CType{uintptr(r.size), uintptr(r.offset), Class(r.class), map[string]CField{}}
			continue
		}
		out[name].Fields[text(r.field)] = CField{uintptr(r.offset), uintptr(r.size), int(r.bit),
			int(r.bits), Class(r.class)}
	}
	return out
}

// CType is a type as C has it.
type CType struct {
	Size, Align uintptr
	Class       Class
	Fields      map[string]CField
}

// CField is a field as C has it; of a bit-field only Bit and Bits count.
type CField struct {
	Offset, Size uintptr
	Bit, Bits    int
	Class        Class // of an array, its elements'
}

// Constants is every enumerator and macro as the C compiler evaluates it: a number as [Integer] has
// it, a string, or for a floating-point number whether it is the spec's.
func (o *Oracle) Constants() map[string]any {
	out := map[string]any{}
	for _, r := range o.rows("oracle_constants") {
		switch {
		case r.field == nil:
			out[text(r.owner)] = Integer(uint64(r.size), r.bit != 0)
		case r.bits != 0 && text(r.field) == "float":
			out[text(r.owner)] = true
		default:
			out[text(r.owner)] = text(r.field)
		}
	}
	return out
}

// count says how many elements a pointer parameter points to.
type count struct{ array, by int }

// counts are the pointer parameters that point to as many elements as another one says, by
// function.
func (o *Oracle) counts() map[string][]count {
	out := map[string][]count{}
	for _, r := range o.rows("oracle_counts") {
		f := text(r.owner)
		out[f] = append(out[f], count{int(r.size), int(r.offset)})
	}
	return out
}

// Functions names the functions that the oracle has.
func (o *Oracle) Functions() []string {
	var out []string
	for p := o.pointer("oracle_functions"); ; p = unsafe.Add(p, 8) {
		s := *(**byte)(p)
		if s == nil {
			return out
		}
		out = append(out, text(s))
	}
}
