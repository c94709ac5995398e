package proof

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

func sliceAt(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }

// call is one function under test.
type call struct {
	c       *Checker
	r       *Report
	f       *Function
	params  []SpecParam // as the oracle's release has them
	lenient bool        // the release's prototype has other types
	counts  []count     // arrays that get more than one element

	args     []reflect.Value
	memories []*memory
	closures []*closure
	refs     []reflect.Value
	many     map[int]int // elements of an array, by its parameter
	out      []reflect.Value
	notes    []note
}

// closure is a Go func that C calls, and what it was called with.
type closure struct {
	got   [][]reflect.Value
	ret   []reflect.Value
	param int
}

func (k *call) bad(param, format string, args ...any) {
	entity := k.f.C
	if param != "" {
		entity += "." + param
	}
	k.r.bad(entity, format, args...)
}

// Bits of the mask that say how C calls back.
const (
	foreignThread = 1 << 63 // on a thread that Go has never seen
	byLater       = 1 << 62 // not during the call, but when [Oracle.later] is called
	twice         = 1 << 61
)

// run makes one call and compares everything. Without callbacks all functions are nil.
func (k *call) run(seed uint64, code int32, callbacks bool, flags uint64) {
	defer k.release()
	if k.enter(seed, code, callbacks, flags) {
		k.r.Calls++
		k.compare(code, callbacks)
	}
}

// enter makes the arguments and the call. The caller releases the registrations.
func (k *call) enter(seed uint64, code int32, callbacks bool, flags uint64) bool {
	fn := reflect.ValueOf(k.f.Go)
	mask, ok := k.prepare(fn.Type(), seed, callbacks)
	if !ok {
		return false
	}
	k.c.Oracle.arm(seed, mask|flags, code)
	k.out = fn.Call(k.args)
	k.notes = k.c.Oracle.record()
	return true
}

// release ends the registrations that the call's callbacks have.
func (k *call) release() {
	for _, ref := range k.refs {
		ref.MethodByName("Release").Call(nil)
	}
	k.refs = nil
}

// prepare makes the arguments, and the mask of the parameters that C may touch.
func (k *call) prepare(t reflect.Type, seed uint64, callbacks bool) (mask uint64, ok bool) {
	k.args, k.memories, k.closures = make([]reflect.Value, t.NumIn()), make([]*memory, t.NumIn()),
		make([]*closure, t.NumIn())
	for i, p := range k.f.Params {
		switch p.Kind {
		case Out, OutString, Buffer, String:
			mask |= 1 << i
		}
		if p.Arg < 0 {
			continue
		}
		if p.Arg >= t.NumIn() {
			k.bad(p.C, "the table names Go argument %d of %d", p.Arg, t.NumIn())
			return 0, false
		}
		in := t.In(p.Arg)
		switch p.Kind {
		case Callback, CallbackNow:
			k.args[p.Arg] = reflect.Zero(in)
			if callbacks {
				k.args[p.Arg] = k.closure(in, seed, i)
				mask |= 1 << i
			}
		case CallbackRef:
			k.args[p.Arg] = reflect.Zero(in)
			if callbacks {
				ref, err := k.register(in, seed, i)
				if err != nil {
					k.bad(p.C, "%v", err)
					return 0, false
				}
				k.args[p.Arg] = ref
				k.refs = append(k.refs, ref)
				mask |= 1 << i
			}
		default:
			v, m, err := argument(in, seed, i)
			if err != nil {
				k.bad(p.C, "%v", err)
				return 0, false
			}
			k.args[p.Arg], k.memories[p.Arg] = v, m
			if m != nil {
				mask |= 1 << i
			}
		}
	}
	for i, a := range k.args {
		if !a.IsValid() {
			k.bad("", "Go argument %d belongs to no C parameter", i)
			return 0, false
		}
	}
	k.setCounts()
	return mask, true
}

// closure makes a Go func of type t that notes its arguments and returns a pattern.
func (k *call) closure(t reflect.Type, seed uint64, index int) reflect.Value {
	cl := &closure{param: index}
	for i := range t.NumOut() {
		v, _, err := argument(t.Out(i), seed, 90+i)
		if err != nil {
			k.bad(k.f.Params[index].C, "%v", err)
		}
		cl.ret = append(cl.ret, v)
	}
	k.closures[k.f.Params[index].Arg] = cl
	return reflect.MakeFunc(t, func(in []reflect.Value) []reflect.Value {
		cl.got = append(cl.got, in)
		return cl.ret
	})
}

// register makes a registration of a Go func, of the pointer type t.
func (k *call) register(t reflect.Type, seed uint64, index int) (reflect.Value, error) {
	for _, construct := range refs[k.c.API.Name] {
		if c := reflect.ValueOf(construct); c.Type().Out(0) == t {
			return c.Call([]reflect.Value{k.closure(c.Type().In(0), seed, index)})[0], nil
		}
	}
	return reflect.Value{}, fmt.Errorf("zrefs.go has no constructor of %s", t)
}

func (k *call) compare(code int32, callbacks bool) {
	if name, _ := find(k.notes, noteFunction, 0); string(name) != k.f.C {
		k.bad("", "C entered %q", name)
		return
	}
	for i, p := range k.f.Params {
		word, ok := find(k.notes, noteWord, i)
		if !ok {
			k.bad(p.C, "C has no such parameter")
			continue
		}
		switch p.Kind {
		case Arg:
			k.argument(i, p, word)
		case String:
			got, ok := find(k.notes, noteText, i)
			if want := k.args[p.Arg].String(); !ok || string(got) != want {
				k.bad(p.C, "C read the text %q, Go passed %q", got, want)
				continue
			}
			k.r.Words++
			k.r.Reads++
		case Out:
			k.output(i, p, word)
		case OutString, Buffer:
			want, ok := find(k.notes, noteWroteText, i)
			if got := k.result(p.Out); !ok || got.Kind() != reflect.String || got.String() != string(want) {
				k.bad(p.C, "C gave the text %q, Go returned %v", want, got)
				continue
			}
			k.r.Words++
			k.r.Outs++
		case Len:
			if n := int64(littleEndian(word)); n < 64 || n > 1<<16 {
				k.bad(p.C, "a buffer of %d bytes", n)
				continue
			}
			k.r.Words++
		case Callback, CallbackNow, CallbackRef, UserData:
			if zero := littleEndian(word) == 0; zero == callbacks && !k.plainWord(i) {
				k.bad(p.C, "the word is %#x with callback: %v", littleEndian(word), callbacks)
				continue
			}
			k.r.Words++
			if callbacks && p.Kind != UserData {
				k.callback(i, p)
			}
		default:
			k.bad(p.C, "unknown kind %q", p.Kind)
		}
	}
	if n := len(k.params); n > 0 {
		if _, more := find(k.notes, noteWord, n); more {
			k.bad("", "C has more than %d parameters", n)
		}
	}
	k.results(code)
}

// plainWord reports whether a callback parameter is a number to Go.
func (k *call) plainWord(i int) bool {
	a := k.f.Params[i].Arg
	return a >= 0 && k.args[a].Kind() == reflect.Uintptr
}

// argument compares a parameter that Go passes as it is, and what it points to.
func (k *call) argument(i int, p Param, word []byte) {
	v := k.args[p.Arg]
	want := bytesOf(v)
	if v.Kind() == reflect.Struct {
		mask(k.c.API, v.Type(), word, want)
	}
	if !k.equal(i, p, word, want) || !k.class(p.C, noteWord, i, v.Type()) {
		return
	}
	k.r.Words++
	m := k.memories[p.Arg]
	if m == nil {
		return
	}
	if got, ok := find(k.notes, noteBefore, i); ok {
		if !bytes.Equal(got, m.before[:min(len(got), len(m.before))]) {
			k.bad(p.C, "C read other bytes than Go wrote:\n%s\n%s", hex(got),
				hex(m.before[:min(len(got), len(m.before))]))
			return
		}
		many := max(k.many[i], 1)
		if n := elemSize(v.Type()) * many; n > 0 && n != len(got) && !k.older(i, len(got)/many,
			n/many) {
			k.bad(p.C, "it points to %d bytes in C and %d in Go", len(got), n)
			return
		}
		if v.Kind() == reflect.Pointer && !k.class(p.C, noteBefore, i, v.Type().Elem()) {
			return
		}
		if many > 1 {
			k.r.Elements++
		}
		k.r.Reads++
	}
	if got, ok := find(k.notes, noteText, i); ok {
		if want := ccall.GoString(m.pointer()); string(got) != want {
			k.bad(p.C, "C read the text %q, Go wrote %q", got, want)
			return
		}
		k.r.Reads++
	}
	wrote, changed := find(k.notes, noteWrote, i)
	if txt, ok := find(k.notes, noteWroteText, i); ok {
		changed, wrote = true, append(bytes.Clone(txt), 0)
		if _, pointer := find(k.notes, noteBefore, i); pointer { // a pointer to the text
			if got := ccall.GoString(*(*unsafe.Pointer)(m.pointer())); got != string(txt) {
				k.bad(p.C, "C gave the text %q, Go reads %q", txt, got)
			}
			wrote = bytes.Clone(m.bytes[:8])
		}
	}
	want = append(bytes.Clone(wrote), m.before[len(wrote):]...)
	if !bytes.Equal(m.bytes, want) {
		k.bad(p.C, "the memory is not as C left it")
		return
	}
	if changed {
		k.r.Outs++
	}
}

func elemSize(t reflect.Type) int {
	if t.Kind() == reflect.Pointer {
		return int(t.Elem().Size())
	}
	return 0
}

// equal compares a parameter's bytes. The sizes must agree; C's are those of the prototype.
func (k *call) equal(i int, p Param, got, want []byte) bool {
	// a flag word whose values all fit into an enum
	if v := k.args[p.Arg]; v.CanUint() && len(want) < len(got) && len(got) <= 8 {
		want = append(bytes.Clone(want), make([]byte, len(got)-len(want))...)
	}
	if len(got) != len(want) && !(k.lenient && len(got) < len(want)) &&
		!k.older(i, len(got), len(want)) {
		k.bad(p.C, "C has %d bytes, Go %d", len(got), len(want))
		return false
	}
	if n := min(len(got), len(want)); !bytes.Equal(got[:n], want[:n]) {
		k.bad(p.C, "C received %s, Go passed %s", hex(got), hex(want))
		return false
	}
	return true
}

// class compares how C and Go read the bits of a value.
func (k *call) class(param string, kind, index int, t reflect.Type) bool {
	c := classOf(k.notes, kind, index)
	if c == 0 || k.lenient || k.c.classes().fits(c, t) {
		return true
	}
	k.bad(param, "C has %s, Go %s", c, t)
	return false
}

// older reports whether parameter i is of a type that the oracle's release lays out in another size
// than Go.
func (k *call) older(i, c, g int) bool {
	if k.c.Version == "" {
		return false
	}
	if k.lenient || k.c.Spec.meant(baseName(k.params[i].Type), k.c.Version) {
		return true
	}
	name := k.c.Spec.structOf(k.params[i].Type)
	was, is := k.c.shapes()[k.c.Spec.structIn(k.params[i].Type, k.c.Version)], k.c.newest()[name]
	return name != "" && int(was.Size) == c && int(is.Size) == g
}

// baseName is the type that a pointer's spelling ends at.
func baseName(ctype string) string {
	return strings.Trim(strings.TrimPrefix(ctype, "const "), " *")
}

// output compares what C wrote with the Go result.
func (k *call) output(i int, p Param, word []byte) {
	before, ok := find(k.notes, noteBefore, i)
	if !ok {
		k.bad(p.C, "C got no pointer to write through")
		return
	}
	if len(bytes.Trim(before, "\x00")) > 0 {
		k.bad(p.C, "the result's memory was not zero before the call")
		return
	}
	v := k.result(p.Out)
	if !v.IsValid() {
		k.bad(p.C, "there is no Go result %d", p.Out)
		return
	}
	got := bytesOf(v)
	wrote, ok := find(k.notes, noteWrote, i)
	// the address of a text
	if txt, isText := find(k.notes, noteWroteText, i); isText && len(got) == 8 {
		if at := ccall.GoString(*(*unsafe.Pointer)(unsafe.Pointer(unsafe.SliceData(got)))); at != string(
			txt) {
			k.bad(p.C, "C gave the text %q, Go reads %q", txt, at)
			return
		}
		wrote, ok = got, true
	}
	if !ok && k.lenient { // the release's prototype said const
		k.r.Words++
		return
	}
	if !ok {
		k.bad(p.C, "C could not write through it")
		return
	}
	if v.Kind() == reflect.Struct {
		mask(k.c.API, v.Type(), got, wrote)
	}
	if len(got) != len(wrote) && !k.older(i, len(wrote), len(got)) {
		k.bad(p.C, "C wrote %d bytes, the Go result has %d", len(wrote), len(got))
		return
	}
	if n := min(len(got), len(wrote)); !bytes.Equal(got[:n], wrote[:n]) {
		k.bad(p.C, "C wrote %s, Go returned %s", hex(wrote), hex(got))
		return
	}
	if !k.class(p.C, noteWrote, i, v.Type()) {
		return
	}
	k.r.Words++
	k.r.Outs++
}

func (k *call) result(i int) reflect.Value {
	if i < 0 || i >= len(k.out)-1 {
		return reflect.Value{}
	}
	return k.out[i]
}

// results compares the function's own result and its error.
func (k *call) results(code int32) {
	err, _ := k.out[len(k.out)-1].Interface().(error)
	switch k.f.Ret {
	case "result":
		switch want := k.c.Result(code); {
		case err == want: // nil, or not ready
		case !errors.Is(err, want):
			k.bad("", "with result code %d the error is %v, want %v", code, err, want)
			return
		case !strings.Contains(err.Error(), ": "+k.f.C+": "):
			k.bad("", "the error does not name the function: %v", err)
			return
		}
	case "void":
		if err != nil {
			k.bad("", "the error is %v", err)
		}
		return
	case "string":
		want, _ := find(k.notes, noteWroteText, -1)
		if got := k.out[0]; err != nil || got.Kind() != reflect.String || got.String() != string(want) {
			k.bad("", "C returned the text %q, Go %v and error %v", want, got, err)
			return
		}
	default:
		want, _ := find(k.notes, noteWrote, -1)
		got := bytesOf(k.out[0])
		if k.out[0].Kind() == reflect.Struct {
			mask(k.c.API, k.out[0].Type(), got, want)
		}
		if err != nil || !bytes.Equal(got, want) {
			k.bad("", "C returned %s, Go %s and error %v", hex(want), hex(got), err)
			return
		}
		if !k.class("", noteWrote, -1, k.out[0].Type()) {
			return
		}
	}
	k.r.Outs++
}

// callback compares what C called a Go func with and what it got back.
func (k *call) callback(i int, p Param) {
	cl := k.closures[p.Arg]
	if cl == nil {
		return
	}
	if len(cl.got) != 1 {
		k.bad(p.C, "C called the Go func once, it ran %d times", len(cl.got))
		return
	}
	var user []byte
	for j, q := range k.f.Params {
		if q.Kind == UserData {
			user, _ = find(k.notes, noteWord, j)
		}
	}
	args := 0
	for {
		if _, ok := find(k.notes, noteCBArg, args); !ok {
			break
		}
		args++
	}
	next, sawUser := 0, user == nil
	for j := 0; j < args; j++ {
		word, _ := find(k.notes, noteCBArg, j)
		if !sawUser && bytes.Equal(word, user) {
			sawUser = true
			continue
		}
		if next >= len(cl.got[0]) {
			k.bad(p.C, "C passed more arguments than the Go func has")
			return
		}
		v := cl.got[0][next]
		next++
		txt, isText := find(k.notes, noteCBText, j)
		if v.Kind() == reflect.String {
			if !isText || v.String() != string(txt) {
				k.bad(p.C, "C called back with the text %q, Go received %q", txt, v)
				return
			}
			if n, ok := find(k.notes, noteCBArg, j+1); ok && littleEndian(n) == uint64(len(txt)) {
				j++ // its length, which Go code does not see
			}
			continue
		}
		if got := bytesOf(v); !bytes.Equal(got, word) {
			k.bad(p.C, "C called back with %x as argument %d, Go received %x", word, j, got)
			return
		}
		if !k.class(p.C, noteCBArg, j, v.Type()) {
			return
		}
		if want, ok := find(k.notes, noteCBPoints, j); ok && v.Kind() == reflect.Pointer {
			if n := elemSize(v.Type()); n != len(want) && k.c.Version == "" {
				k.bad(p.C, "argument %d points to %d bytes in C, %d in Go", j, len(want), n)
				return
			}
			if n := min(elemSize(v.Type()), len(want)); !bytes.Equal(sliceAt(v.UnsafePointer(), uintptr(n)),
				want[:n]) {
				k.bad(p.C, "argument %d points to %s in C, Go reads something else", j, hex(want))
				return
			}
		}
		if isText {
			if got := ccall.GoString(*(*unsafe.Pointer)(
				unsafe.Pointer(unsafe.SliceData(word)))); got != string(txt) {
				k.bad(p.C, "C called back with the text %q, Go reads %q", txt, got)
				return
			}
		}
	}
	if next != len(cl.got[0]) || !sawUser {
		k.bad(p.C, "C passed %d arguments, the Go func has %d; user data seen: %v", args, len(cl.got[0]),
			sawUser)
		return
	}
	got, ok := find(k.notes, noteCBResult, 0)
	if !ok {
		k.bad(p.C, "the callback did not return to C")
		return
	}
	if len(cl.ret) > 0 {
		if want := bytesOf(cl.ret[0]); !bytes.Equal(got, want[:min(len(want), len(got))]) {
			k.bad(p.C, "the Go func returned %x, C received %x", want, got)
			return
		}
		if !k.class(p.C, noteCBResult, 0, cl.ret[0].Type()) {
			return
		}
	}
	k.r.Callbacks++
}

// mask clears in both the bytes of a struct that belong to no field.
func mask(api *API, t reflect.Type, a, b []byte) {
	for _, x := range api.Types {
		if x.Go != t {
			continue
		}
		used := make([]bool, t.Size())
		for _, f := range x.Fields {
			for i := f.Offset; i < min(f.Offset+f.Size, t.Size()); i++ {
				used[i] = true
			}
			if f.Bits != nil {
				for i := range used {
					used[i] = true
				}
			}
		}
		for i := range used {
			if !used[i] && i < len(a) && i < len(b) {
				a[i], b[i] = 0, 0
			}
		}
		return
	}
}

// hex spells bytes; of many only the first.
func hex(b []byte) string {
	const most = 64
	if len(b) > most {
		return fmt.Sprintf("%x... (%d bytes)", b[:most], len(b))
	}
	return fmt.Sprintf("%x", b)
}

func littleEndian(b []byte) uint64 {
	var v uint64
	for i, x := range b {
		if i < 8 {
			v |= uint64(x) << (8 * i)
		}
	}
	return v
}
