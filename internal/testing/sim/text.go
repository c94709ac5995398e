package sim

import (
	"sync"
	"unsafe"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

var texts struct {
	mu sync.Mutex
	m  map[string][]byte
}

// cText returns the address of a text that is never freed.
func cText(s string) uintptr {
	texts.mu.Lock()
	defer texts.mu.Unlock()
	b := texts.m[s]
	if b == nil {
		if texts.m == nil {
			texts.m = map[string][]byte{}
		}
		b = append([]byte(s), 0)
		texts.m[s] = b
	}
	return uintptr(unsafe.Pointer(&b[0]))
}

// fillText writes a text into C's buffer, truncated if necessary.
func fillText(buffer *byte, size int32, s string) code {
	if buffer == nil || size <= 0 {
		return invalidValue
	}
	b := unsafe.Slice(buffer, size)
	n := copy(b[:size-1], s)
	b[n] = 0
	return success
}

// goText reads a text of C's.
func goText(p *byte) string {
	var b []byte
	for ; *p != 0; p = (*byte)(unsafe.Add(unsafe.Pointer(p), 1)) {
		b = append(b, *p)
	}
	return string(b)
}

// vendorTexts are texts that other software is known to look at; all other codes have a text of the
// simulator.
var vendorTexts = map[code]string{
	success:  "no error",
	notReady: "device not ready",
}

const unknownName = "hipErrorUnknown"

// hipErrorName names a code; 5.2 has the same name for unknown codes as later versions.
func (f *face) hipErrorName(c code) string {
	if r := hip.Result(c); known(r.Name()) {
		return r.Name()
	}
	return unknownName
}

// hipErrorString says what a code means: up to 5.2 the name, later a text, never nothing.
func (f *face) hipErrorString(c code) string {
	if f.plays(amdErrorStringIsName) {
		return f.hipErrorName(c)
	}
	switch {
	case c == noDevice:
		return "no ROCm-capable device is detected"
	case vendorTexts[c] != "":
		return vendorTexts[c]
	case !known(hip.Result(c).Name()):
		return "unknown error"
	}
	return "simulated: " + hip.Result(c).Name()
}

// cudaError answers cuGetErrorName and cuGetErrorString: what is unknown is nothing.
func (f *face) cudaError(c code, out *uintptr, describe bool) code {
	if out == nil {
		return invalidValue
	}
	name := cudrv.Result(c).Name()
	switch {
	case !known(name):
		*out = 0
		return invalidValue
	case !describe:
		*out = cText(name)
	case c == noDevice:
		*out = cText("no CUDA-capable device is detected")
	case vendorTexts[c] != "":
		*out = cText(vendorTexts[c])
	default:
		*out = cText("simulated: " + name)
	}
	return success
}

// known distinguishes a name from the bindings' substitute for codes without one.
func known(name string) bool { return len(name) > 0 && name[len(name)-1] != ')' }
