package proof

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Finding is one thing that is not as C has it.
type Finding struct {
	// a function, type or constant by its C name, with ".param" or ".field" where one is at fault
	Entity string
	Msg    string
}

func (f Finding) String() string { return f.Entity + ": " + f.Msg }

// Report is what a check compared, and what was wrong.
type Report struct {
	Functions int // Go functions called
	Calls     int
	Words     int // parameters whose bytes C and Go agree in
	Reads     int // objects behind pointers, and texts, that C read as Go wrote them
	Outs      int // objects, texts and results that C wrote and Go received
	Callbacks int // calls from C into Go
	Lifetimes int // of callbacks, that end when they should
	Elements  int // arrays whose count C heeded
	Kept      int // variables that are kept alive while C uses them
	Sizes     int // types whose size and alignment agree
	Offsets   int // fields whose offset and size, or bits, agree
	Constants int
	Skipped   []Finding // not compared, with the reason
	Findings  []Finding

	compared map[string]bool // the entities of the release, as they are today
}

// Add sums up two reports.
func (r *Report) Add(o *Report) {
	r.Functions += o.Functions
	r.Calls += o.Calls
	r.Words += o.Words
	r.Reads += o.Reads
	r.Outs += o.Outs
	r.Callbacks += o.Callbacks
	r.Lifetimes += o.Lifetimes
	r.Elements += o.Elements
	r.Kept += o.Kept
	r.Sizes += o.Sizes
	r.Offsets += o.Offsets
	r.Constants += o.Constants
	r.Skipped = append(r.Skipped, o.Skipped...)
	r.Findings = append(r.Findings, o.Findings...)
	for entity := range o.compared {
		r.saw(entity)
	}
}

// String is the report in one line.
func (r *Report) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{r.Functions, "functions"}, {r.Calls, "calls"}, {r.Words, "argument words"},
		{r.Reads, "objects read by C"}, {r.Outs, "objects written by C"},
		{r.Callbacks, "callbacks"}, {r.Lifetimes, "lifetimes"}, {r.Elements, "arrays by count"},
		{r.Kept, "variables kept alive"}, {r.Sizes, "types"}, {r.Offsets, "fields"},
		{r.Constants, "constants"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprint(p.n, " ", p.what))
		}
	}
	return fmt.Sprintf("%s; %d not compared, %d wrong", strings.Join(parts, ", "), len(r.Skipped),
		len(r.Findings))
}

func (r *Report) bad(entity, format string, args ...any) {
	f := Finding{entity, fmt.Sprintf(format, args...)}
	if !slices.Contains(r.Findings, f) { // once is enough for several calls
		r.Findings = append(r.Findings, f)
	}
}

func (r *Report) skip(entity, format string, args ...any) {
	r.Skipped = append(r.Skipped, Finding{entity, fmt.Sprintf(format, args...)})
}

// saw notes that an entity was compared in full.
func (r *Report) saw(entity string) {
	if r.compared == nil {
		r.compared = map[string]bool{}
	}
	r.compared[entity] = true
}

// Proved are the entities that were compared in full and came through without a finding.
func (r *Report) Proved() []string {
	wrong := map[string]bool{}
	for _, f := range append(slices.Clone(r.Findings), r.Skipped...) {
		entity, _, _ := strings.Cut(f.Entity, ".")
		wrong[entity] = true
	}
	var out []string
	for n := range r.compared {
		if !wrong[n] {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// Checker compares an API's bindings with an oracle whose table is installed.
type Checker struct {
	API     *API
	Spec    *Spec
	Oracle  *Oracle
	Version string // the release that the oracle has; "" for all
	// Result makes the Go error of a result code.
	Result func(code int32) error
	// Codes are result codes, success left out.
	Codes []int32

	was, is map[string]Shape
	reads   *classes
}

// classes says which Go types stand for the API's enums.
func (c *Checker) classes() *classes {
	if c.reads != nil {
		return c.reads
	}
	c.reads = &classes{enums: map[reflect.Type]bool{}, old: c.Version != ""}
	if err := c.Result(unknownCode); err != nil {
		c.reads.result = reflect.TypeOf(err)
	}
	for _, k := range c.API.Consts { // also types of macros, which C has no name for
		if t := reflect.TypeOf(k.Value); t.PkgPath() != "" {
			c.reads.enums[t] = false
		}
	}
	signed := map[string]bool{}
	for _, e := range c.Spec.Enums {
		signed[e.Name] = e.Signed
	}
	for _, t := range c.API.Types {
		if s, ok := signed[t.C]; ok && t.Go != nil {
			c.reads.enums[t.Go] = s
		}
	}
	return c.reads
}

// shapes and newest are the layouts of the release and of today.
func (c *Checker) shapes() map[string]Shape {
	if c.was == nil {
		c.was = c.Spec.Shapes(c.Version)
	}
	return c.was
}

func (c *Checker) newest() map[string]Shape {
	if c.is == nil {
		c.is = c.Spec.Shapes("")
	}
	return c.is
}

// Functions calls every function of the release: once for each kind of result code, with other bits
// each time.
func (c *Checker) Functions() *Report {
	r := new(Report)
	var ours []string
	spec := map[string]*SpecFunction{}
	for i, f := range c.Spec.Functions {
		spec[f.Name] = &c.Spec.Functions[i]
	}
	there := map[string]bool{}
	for _, name := range c.Oracle.Functions() {
		there[name] = true
	}
	counts := c.Oracle.counts()
	for i := range c.API.Functions {
		f := &c.API.Functions[i]
		s := spec[f.C]
		switch {
		case s == nil:
			r.bad(f.C, "the spec has no such function")
			continue
		case c.Version != "" && !s.Has(c.Version):
			continue
		case !there[f.C]:
			r.bad(f.C, "the oracle lacks it")
			continue
		}
		ours = append(ours, f.C)
		if c.Version == "" && c.takesOlder(f, s) {
			continue // the union has the newest layouts; its last release's oracle compares it
		}
		params, differs := c.Spec.Prototype(s, c.Version)
		if differs && len(params) != len(f.Params) {
			r.skip(f.C, "%s declares it with %d parameters, newer releases with %d", c.Version, len(params),
				len(f.Params))
			continue
		}
		if len(params) != len(f.Params) {
			r.bad(f.C, "C has %d parameters, the binding %d", len(params), len(f.Params))
			continue
		}
		r.Functions++
		if !differs {
			r.saw(f.C)
		}
		seed := uint64(i+1) * 0xa0761d6478bd642f
		call := call{c: c, r: r, f: f, params: params, lenient: differs}
		call.run(seed, c.Codes[i%len(c.Codes)], true, 0)
		call.counts = counts[f.C]
		call.run(^seed, 0, false, 0)
		call.counts = nil
		call.run(seed*3, unknownCode, true, foreignThread)
		call.lifetimes(seed*5, c.Codes[i%len(c.Codes)])
	}
	for name := range there {
		if !slices.Contains(ours, name) {
			r.bad(name, "no Go function calls it")
		}
	}
	return r
}

// takesOlder reports whether a function that headers dropped takes a struct as it was then: a Go
// type of its own.
func (c *Checker) takesOlder(f *Function, s *SpecFunction) bool {
	goes := reflect.TypeOf(f.Go)
	for i, p := range f.Params {
		if i >= len(s.Params) {
			break
		}
		size := c.Spec.olderLayout(s, s.Params[i])
		var t reflect.Type
		switch {
		case size == 0:
			continue
		case p.Out >= 0:
			t = goes.Out(p.Out)
		case p.Arg >= 0:
			t = goes.In(p.Arg)
		}
		if t != nil && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t != nil && t.Kind() == reflect.Struct && t.Size() == size {
			return true
		}
	}
	return false
}

// unknownCode is a result code that no release has.
const unknownCode = 77777

// Layout compares types.
func (c *Checker) Layout() *Report {
	r := new(Report)
	cLayout := c.Oracle.Layout()
	want, newest := c.shapes(), c.newest()
	for name, w := range want {
		t, ok := cLayout[name]
		if !ok {
			r.bad(name, "the oracle lacks the type")
			continue
		}
		r.specShape(name, w, t)
	}
	for _, t := range c.API.Types {
		l, ok := cLayout[t.C]
		switch incomplete := c.Spec.incomplete(t.C); {
		case incomplete != (t.Go == nil):
			r.bad(t.C, "incomplete in C: %v; in Go: %v", incomplete, t.Go == nil)
			continue
		case incomplete:
			if c.Spec.has(t.C, c.Version) {
				r.saw(t.C)
			}
			continue
		case !ok && c.Version != "":
			continue
		case !ok:
			r.bad(t.C, "the oracle lacks the type")
			continue
		}
		if t.Until != "" { // or it is the newest that is compared
			if _, ok := want[t.C]; ok && c.Spec.ofUntil(t.C, t.Until, c.Version) {
				r.goType(t, l, c.classes())
			}
			continue
		}
		_, isStruct := want[t.C]
		name := t.C
		if !isStruct {
			name = c.Spec.structOf(t.C) // of a typedef
		}
		now, ok := newest[name]
		if !ok { // the name has become a typedef
			now = newest[c.Spec.structOf(name)]
		}
		if name != "" && !want[name].same(now) || c.Spec.meant(t.C, c.Version) {
			r.skip(t.C, "%s lays it out in another way than newer releases", c.Version)
			continue
		}
		switch {
		case len(t.Fields) == 0 && c.Spec.renamed(t.C):
			l.Fields = nil // listed with the struct that it is another name of
		case name != "" && len(t.Fields) > 0:
			l.Fields = cLayout[name].Fields
		}
		r.saw(t.C)
		r.goType(t, l, c.classes())
	}
	return r
}

// specShape compares C with the spec.
func (r *Report) specShape(name string, want Shape, got CType) {
	if got.Size != want.Size || got.Align != want.Align {
		r.bad(name, "C: %d bytes aligned to %d; spec: %d aligned to %d", got.Size, got.Align, want.Size,
			want.Align)
	}
	if len(got.Fields) != len(want.Fields) {
		r.bad(name, "C has %d fields, the spec %d", len(got.Fields), len(want.Fields))
	}
	for path, w := range want.Fields {
		g, ok := got.Fields[path]
		switch {
		case !ok:
			r.bad(name+"."+path, "the oracle lacks the field")
		case w.Bits > 0 && (g.Bit != w.Bit || g.Bits != w.Bits):
			r.bad(name+"."+path, "C: %d bits from bit %d; spec: %d from %d", g.Bits, g.Bit, w.Bits, w.Bit)
		case w.Bits == 0 && g.Offset != w.Offset:
			r.bad(name+"."+path, "C: offset %d; spec: %d", g.Offset, w.Offset)
		}
	}
}

// goType compares Go with C.
func (r *Report) goType(t Type, l CType, reads *classes) {
	// as the compiler of this target sees it; Go has none above 8, so there a constructor sees to it
	align := uintptr(t.Go.Align())
	if t.Align > 8 {
		align = t.Align
		for range 64 { // where Go puts them does not matter
			if t.New == nil || t.New()%align != 0 {
				r.bad(t.C, "its constructor does not align it to %d", align)
				break
			}
		}
	}
	switch {
	case t.Size != l.Size || align != l.Align:
		r.bad(t.C, "Go: %d bytes aligned to %d; C: %d aligned to %d", t.Size, align, l.Size, l.Align)
	case !reads.fits(l.Class, t.Go):
		r.bad(t.C, "Go: %s; C: %s", t.Go.Kind(), l.Class)
	default:
		r.Sizes++
	}
	seen := map[string]bool{}
	for _, f := range t.Fields {
		g, ok := l.Fields[f.C]
		seen[f.C] = true
		switch {
		case !ok:
			r.bad(t.C+"."+f.C, "C has no such field")
		case f.Bits != nil:
			bit, n := f.Bits.span(t.Size)
			if bit != g.Bit || n != g.Bits || f.Bits.Width != g.Bits {
				r.bad(t.C+"."+f.C, "Go: %d bits from bit %d; C: %d from %d", n, bit, g.Bits, g.Bit)
				continue
			}
			r.fieldClass(t, f, g, reads)
		case f.Offset != g.Offset || f.Size != g.Size:
			r.bad(t.C+"."+f.C, "Go: %d bytes at offset %d; C: %d at %d", f.Size, f.Offset, g.Size, g.Offset)
		default:
			r.fieldClass(t, f, g, reads)
		}
	}
	for path := range l.Fields {
		if !seen[path] {
			r.bad(t.C+"."+path, "Go has no such field")
		}
	}
}

// fieldClass compares how Go and C read a field whose place is right.
func (r *Report) fieldClass(t Type, f Field, g CField, reads *classes) {
	boolean := f.Bits != nil && f.Type.Kind() == reflect.Bool && g.Bits == 1
	if !boolean && !reads.fits(g.Class, f.Type) {
		r.bad(t.C+"."+f.C, "Go: %s; C: %s", f.Type, g.Class)
		return
	}
	r.Offsets++
}

// Constants compares enumerators and macros.
func (c *Checker) Constants() *Report {
	r := new(Report)
	values, want, newest := c.Oracle.Constants(), c.Spec.Numbers(c.Version), c.Spec.Numbers("")
	ours := map[string]any{}
	for _, k := range c.API.Consts {
		ours[k.C] = k.Value
	}
	for name, v := range values {
		w, ok := want[name]
		if !ok || !sameNumber(w, v) {
			r.bad(name, "C: %v; spec: %v", v, w)
			continue
		}
		g, ok := ours[name]
		switch {
		case !ok:
			r.bad(name, "no Go constant stands for it")
		case !sameNumber(newest[name], w):
			r.skip(name, "it is %v in %s and %v in newer releases", w, c.Version, newest[name])
		case !sameNumber(w, number(g)):
			r.bad(name, "Go: %v; C: %v", number(g), v)
		default:
			r.saw(name)
			r.Constants++
		}
	}
	for name := range want {
		if _, ok := values[name]; !ok {
			r.bad(name, "the oracle lacks it")
		}
	}
	return r
}

// number is a Go constant's value as tables have it: an integer as [Integer] has it, a float64 or a
// string.
func number(v any) any {
	switch x := reflect.ValueOf(v); {
	case x.CanInt():
		return x.Int()
	case x.CanUint():
		return Integer(x.Uint(), false)
	case x.CanFloat():
		return x.Float()
	case x.Kind() == reflect.String:
		return x.String()
	}
	return v
}

// sameNumber compares a spec's value with one of C or Go. Of a floating-point number the oracle
// says whether it is the spec's.
func sameNumber(spec, other any) bool {
	if b, ok := other.(bool); ok {
		_, float := spec.(float64)
		return b && float
	}
	return spec == other
}

// span sets and clears the bit-field and finds the bits that change in a struct of size bytes.
func (b *Bits) span(size uintptr) (first, n int) {
	memory := sliceAt(b.Base, size)
	clear(memory)
	b.Set(^uint64(0))
	first = -1
	for i := range int(size) * 8 {
		if memory[i/8]>>(i%8)&1 == 1 {
			if first < 0 {
				first = i
			}
			n++
		}
	}
	if n == 0 || b.Get() == 0 {
		return -1, 0
	}
	b.Set(0)
	for i := range memory {
		if memory[i] != 0 {
			return -1, 0
		}
	}
	return first, n
}
