package proof

import (
	"bytes"
	"encoding/binary"
	"reflect"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// listLength is how many functions a list calls: their notes fit into the oracle's record.
const listLength = 12

// Lists calls all functions that take and return words, several in one crossing, and compares every
// word that C received. A second run has each list stop at its first call.
func (c *Checker) Lists() *Report {
	r := new(Report)
	there := map[string]bool{}
	for _, name := range c.Oracle.Functions() {
		there[name] = true
	}
	var all []*Function
	for i := range c.API.Functions {
		if f := &c.API.Functions[i]; there[f.C] && takesWords(f) {
			all = append(all, f)
		}
	}
	for n := 0; len(all) > 0; n++ {
		part := all[:min(listLength, len(all))]
		all = all[len(part):]
		c.list(r, part, c.Codes[n%len(c.Codes)])
	}
	return r
}

// takesWords reports whether every argument is a word and the result a code.
func takesWords(f *Function) bool {
	t := reflect.TypeOf(f.Go)
	for i := range t.NumIn() {
		switch t.In(i).Kind() {
		case reflect.Struct, reflect.Array, reflect.Float32, reflect.Float64:
			return false
		}
	}
	return f.Ret == "result" && len(f.Params) <= ccall.MaxWords
}

func (c *Checker) list(r *Report, functions []*Function, failure int32) {
	steps := make([]ccall.Step, len(functions))
	for i, f := range functions {
		words := make([]uintptr, len(f.Params))
		for k, p := range f.Params {
			words[k] = uintptr(0x0807060504030201*uint64(k+1) ^ uint64(i)<<56)
			if p.Arg >= 0 && reflect.TypeOf(f.Go).In(p.Arg).Kind() == reflect.Bool {
				words[k] = 1
			}
		}
		steps[i].Set(c.Oracle.symbol(f.C), words...)
	}
	for _, code := range []int32{0, failure} {
		c.Oracle.arm(1, 0, code) // C touches nothing that a word may point to
		ok := ccall.Run(steps)
		r.Calls++
		if ok != (code == 0) {
			for i := range steps {
				if steps[i].State == ccall.Failed {
					r.bad(functions[i].C, "in a list, C returned %d instead of %d", steps[i].Code, code)
				}
			}
			return
		}
		made := functions
		if !ok {
			made = functions[:1]
			if s := &steps[0]; s.State != ccall.Failed || s.Code != code {
				r.bad(functions[0].C, "in a list, the code is %d instead of %d", s.Code, code)
			}
		}
		entered := split(c.Oracle.record())
		if len(entered) != len(made) {
			r.bad(functions[0].C, "a list of %d calls entered C %d times", len(made), len(entered))
			return
		}
		for i, f := range made {
			compareWords(r, f, &steps[i], entered[i])
		}
	}
	r.Functions += len(functions)
}

// split parts the notes of several calls.
func split(notes []note) (calls [][]note) {
	for _, n := range notes {
		if n.kind == noteFunction {
			calls = append(calls, nil)
		}
		if len(calls) > 0 {
			calls[len(calls)-1] = append(calls[len(calls)-1], n)
		}
	}
	return calls
}

func compareWords(r *Report, f *Function, s *ccall.Step, notes []note) {
	if name, _ := find(notes, noteFunction, 0); string(name) != f.C {
		r.bad(f.C, "in a list, C entered %q", name)
		return
	}
	for k, p := range f.Params {
		got, ok := find(notes, noteWord, k)
		want := binary.LittleEndian.AppendUint64(nil, uint64(s.A[k]))
		if !ok || len(got) > len(want) {
			r.bad(f.C+"."+p.C, "in a list, C has no such parameter")
			continue
		}
		if !bytes.Equal(got, want[:len(got)]) {
			r.bad(f.C+"."+p.C, "in a list, C received %x instead of %x", got, want)
			continue
		}
		r.Words++
	}
}
