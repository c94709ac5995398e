//go:build (windows || (darwin && !ios)) && (amd64 || arm64)

package ccall

import (
	"math"
	"reflect"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Call calls r.Fn and returns the low 32 bits of its result. The caller keeps every object alive
// whose address is in r.A.
func (r *Regs) Call() int32 {
	r1, _, _ := purego.SyscallN(r.Fn, r.A[0], r.A[1], r.A[2], r.A[3], r.A[4], r.A[5])
	return int32(r1)
}

// Call calls w.Fn and returns the low 32 bits of its result. The caller keeps every object alive
// whose address is in w.A.
func (w *Words) Call() int32 {
	a := w.A // a copy, for SyscallN's argument escapes and w must not
	r1, _, _ := purego.SyscallN(w.Fn, a[:]...)
	return int32(r1)
}

// enter calls with the words in the order of the target's ABI: registers first, then the stack.
func (f *Frame) enter() {
	words := append([]uintptr(nil), f.ints[:f.nint]...)
	if f.nstack > 0 {
		words = append(append([]uintptr(nil), f.ints[:intRegs]...), f.stack[:f.nstack]...)
	}
	if f.nfloat == 0 && f.sret == 0 {
		f.R0, f.R1, _ = purego.SyscallN(f.fn, words...)
		return
	}
	f.reflected(words)
}

// reflected makes the call through purego's reflection path, the only one there that loads
// floating-point registers and the register for the address of a struct result.
func (f *Frame) reflected(words []uintptr) {
	var in []reflect.Type
	var args []reflect.Value
	add := func(v any) { in, args = append(in, reflect.TypeOf(v)), append(args, reflect.ValueOf(v)) }
	for _, w := range words {
		add(w)
	}
	for i, bits := range f.floats[:f.nfloat] {
		if f.double[i] {
			add(math.Float64frombits(bits))
		} else {
			add(math.Float32frombits(uint32(bits)))
		}
	}
	out := reflect.TypeFor[uintptr]()
	if f.sret != 0 { // any struct of that size is returned alike
		bytes := reflect.ArrayOf(int(f.resultSize), reflect.TypeFor[byte]())
		out = reflect.StructOf([]reflect.StructField{{Name: "Bytes", Type: bytes}})
	}
	fn := reflect.New(reflect.FuncOf(in, []reflect.Type{out}, false))
	purego.RegisterFunc(fn.Interface(), f.fn)
	r := fn.Elem().Call(args)[0]
	if f.sret == 0 {
		f.R0 = uintptr(r.Uint())
		return
	}
	reflect.Copy(reflect.ValueOf(unsafe.Slice((*byte)(f.result), f.resultSize)), r.Field(0))
}
