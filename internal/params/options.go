package params

import (
	"math"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// MaxOptions is the number of different options that an [Options] can hold; neither API has as
// many.
const MaxOptions = 64

// Options holds options and their values, which C takes as two arrays: option numbers, and words
// that are numbers or addresses. The garbage collector does not see addresses in words. So the
// words are part of the Options, which also has pointers to what they point to: a pointer to the
// words keeps everything alive. The zero value has no options. One goroutine at a time may use it.
type Options[O ~uint32] struct {
	names [MaxOptions]O
	words [MaxOptions]uintptr
	n     int
	keep  map[O]any // what words point to
}

// at is the place of an option, a new one if it has none.
func (o *Options[O]) at(name O) int {
	i := o.find(name)
	if i == o.n {
		o.names[i] = name
		o.n++
	}
	return i
}

// find is the place of an option, or n.
func (o *Options[O]) find(name O) int {
	for i, have := range o.names[:o.n] {
		if have == name {
			return i
		}
	}
	return o.n
}

// Number sets an option to a number. An option that is already set gets the new value.
func (o *Options[O]) Number(name O, v uintptr) {
	o.words[o.at(name)] = v
	delete(o.keep, name)
}

// Flag sets an option to 1 or 0.
func (o *Options[O]) Flag(name O, yes bool) {
	var v uintptr
	if yes {
		v = 1
	}
	o.Number(name, v)
}

// Log sets an option to a buffer, and another one to its size in bytes, which a call may reduce.
func (o *Options[O]) Log(buffer, bytes O, size uint32) {
	o.Bytes(buffer, make([]byte, size))
	o.Number(bytes, uintptr(size))
}

// Pointer sets an option to the address of memory, which the options keep alive.
func (o *Options[O]) Pointer(name O, p unsafe.Pointer) { o.hold(name, p, p) }

// Bytes sets an option to the address of bytes, which the options keep alive; nil for none.
func (o *Options[O]) Bytes(name O, b []byte) {
	o.hold(name, unsafe.Pointer(unsafe.SliceData(b)), b)
}

// Texts sets an option to the address of an array of C texts, which are copies. A text that
// contains a NUL byte is an error.
func (o *Options[O]) Texts(name O, texts []string) error {
	array := make([]*byte, 0, len(texts)+1)
	for _, s := range texts {
		c, err := ccall.CString(s)
		if err != nil {
			return err
		}
		array = append(array, c)
	}
	o.hold(name, unsafe.Pointer(unsafe.SliceData(array)), array)
	return nil
}

func (o *Options[O]) hold(name O, p unsafe.Pointer, keep any) {
	o.words[o.at(name)] = ccall.Ptr(p)
	if o.keep == nil {
		o.keep = map[O]any{}
	}
	o.keep[name] = keep
}

// Len returns the number of options.
func (o *Options[O]) Len() uint32 { return uint32(o.n) }

// Names returns a pointer to the first option; nil if there are none.
func (o *Options[O]) Names() *O {
	if o.n == 0 {
		return nil
	}
	ccall.Ptr(unsafe.Pointer(o)) // they are in the heap
	return &o.names[0]
}

// Words returns a pointer to the first value, in the order of the options; nil if there are none. C
// may write results into them.
func (o *Options[O]) Words() *uintptr {
	if o.n == 0 {
		return nil
	}
	ccall.Ptr(unsafe.Pointer(o)) // they are in the heap
	return &o.words[0]
}

// Word returns the value of an option as it is now; 0 if it is not set.
func (o *Options[O]) Word(name O) uintptr {
	if i := o.find(name); i < o.n {
		return o.words[i]
	}
	return 0
}

// Float returns the value of an option that C has stored a float into.
func (o *Options[O]) Float(name O) float32 { return math.Float32frombits(uint32(o.Word(name))) }

// Milliseconds returns the value of an option that C has stored a float of milliseconds into.
func (o *Options[O]) Milliseconds(name O) time.Duration {
	return time.Duration(float64(o.Float(name)) * float64(time.Millisecond))
}

// Text returns the C text in the bytes that an option was set to.
func (o *Options[O]) Text(name O) string {
	b, _ := o.keep[name].([]byte)
	return ccall.TextIn(b)
}
