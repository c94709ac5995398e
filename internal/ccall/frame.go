package ccall

import (
	"math"
	"runtime"
	"sync"
	"unsafe"
)

// stackWords is how many words a Frame can pass on the stack. It must stay even: the ABIs align the
// stack to 16 bytes.
const stackWords = 48

// Frame is a call of any shape. Get one with [New]; add the arguments in the order of the C
// prototype, as their C types say: [Frame.Int], [Frame.Float32], [Frame.Float64], [Frame.Struct];
// then [Frame.Call]. Read the results before [Frame.Free]. A frame belongs to one goroutine at a
// time.
type Frame struct {
	// The trampolines know the offsets of these fields.
	fn     uintptr
	ints   [maxInts]uintptr // integer registers
	floats [8]uint64        // floating-point registers, raw bits
	nstack uintptr          // words of stack in use
	R0, R1 uintptr          // integer results
	// where a struct result in memory goes, on targets that have a register for it
	sret  uintptr
	stack [stackWords]uintptr

	nint, nfloat int
	double       [8]bool          // the float register holds a double
	keep         []unsafe.Pointer // what C reads by reference
	result       unsafe.Pointer   // where a struct result goes, and its size
	resultSize   uintptr
}

var frames = sync.Pool{New: func() any { return new(Frame) }}

// New returns an empty frame for a call of the C function at fn, which is never 0.
func New(fn uintptr) *Frame {
	f := frames.Get().(*Frame)
	f.fn = fn
	return f
}

// Result declares that fn returns a struct of size bytes, with no member of a floating-point type,
// which [Frame.Call] stores at p. Call it before adding arguments.
func (f *Frame) Result(p unsafe.Pointer, size uintptr) {
	f.result, f.resultSize = p, size
	if !resultInRegs(size) {
		f.resultInMemory(Ptr(p))
	}
}

// Call makes the call. An integer or pointer result is in R0 afterwards.
func (f *Frame) Call() {
	f.enter()
	if f.result != nil && resultInRegs(f.resultSize) {
		r := [2]uintptr{f.R0, f.R1}
		copy(unsafe.Slice((*byte)(f.result), f.resultSize),
			unsafe.Slice((*byte)(unsafe.Pointer(&r)), f.resultSize))
	}
	runtime.KeepAlive(f.result)
}

// Free returns the frame to the pool.
func (f *Frame) Free() {
	*f = Frame{keep: f.keep[:0]}
	clear(f.keep[:cap(f.keep)])
	frames.Put(f)
}

// Int adds an integer, an enum or a pointer, widened to a word as C does. For a pointer the caller
// keeps its object alive.
func (f *Frame) Int(w uintptr) {
	if f.nint < intRegs {
		f.ints[f.nint] = w
		f.nint++
		return
	}
	f.push(w)
}

// Float32 adds a C float.
func (f *Frame) Float32(v float32) { f.addFloat(uint64(math.Float32bits(v)), false) }

// Float64 adds a C double.
func (f *Frame) Float64(v float64) { f.addFloat(math.Float64bits(v), true) }

// words copies size bytes at p into whole words; the padding is zero.
func words(p unsafe.Pointer, size uintptr) []uintptr {
	const word = unsafe.Sizeof(uintptr(0))
	w := make([]uintptr, (size+word-1)/word)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), size),
		unsafe.Slice((*byte)(p), size))
	return w
}

// push adds a word on the stack. More than stackWords of them is a bug in the generator; no header
// needs as many so far.
func (f *Frame) push(w uintptr) {
	f.stack[f.nstack] = w
	f.nstack++
}

// addFloat adds a floating-point register, or a word on the stack when those are used up.
func (f *Frame) addFloat(bits uint64, double bool) {
	if positionalFloats {
		f.Int(uintptr(bits))
		return
	}
	if f.nfloat == len(f.floats) {
		f.push(uintptr(bits))
		return
	}
	f.floats[f.nfloat], f.double[f.nfloat] = bits, double
	f.nfloat++
}
