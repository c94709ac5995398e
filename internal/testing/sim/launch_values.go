package sim

import (
	"fmt"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

// Words of the extra array.
const (
	extraEndCUDA = 0
	extraBuffer  = 1
	extraSize    = 2
	extraEndHIP  = 3
)

// copyValues copies the parameters during the call, as drivers do. It reads as much as the kernel
// declares, whatever the caller has there.
func (l *kernelLaunch) copyValues(f *face, r *launchRequest) code {
	params := l.entry.spec.params
	if l.run != nil {
		own := paramsOf(l.run)
		switch {
		case !l.entry.spec.known:
			params = own
		case !fits(params, own):
			f.note(Crash{l.call, l.entry.handle, fmt.Sprintf("the Go function of kernel %s has "+
				"parameters %v (offset and size), the image declares %v", l.entry.spec.name, own,
				params)}, false)
			return invalidValue
		}
	}
	l.packed = make([]byte, paramBytes(params))
	for _, p := range params {
		l.pointers = append(l.pointers, unsafe.Pointer(&l.packed[p.offset]))
	}
	switch {
	case r.extra != nil:
		return l.copyBuffer(f, r.extra)
	case len(params) == 0:
		return success
	case r.params == nil:
		return invalidValue
	}
	for i, p := range params {
		value := wordAt(r.params, i)
		if value == nil {
			return invalidValue
		}
		copyMemory(l.packed[p.offset:][:p.size], value)
	}
	return success
}

// copyBuffer copies parameters that lie in one buffer, which the array describes.
func (l *kernelLaunch) copyBuffer(f *face, extra unsafe.Pointer) code {
	var buffer unsafe.Pointer
	size := ^uintptr(0)
	end := uintptr(extraEndCUDA)
	if f.hip() {
		if uintptr(wordAt(extra, 0)) != extraBuffer || uintptr(wordAt(extra, 2)) != extraSize ||
			uintptr(wordAt(extra, 4)) != extraEndHIP {
			return invalidValue
		}
		end = extraEndHIP
	}
	for i := 0; uintptr(wordAt(extra, i)) != end; i += 2 {
		switch uintptr(wordAt(extra, i)) {
		case extraBuffer:
			buffer = wordAt(extra, i+1)
		case extraSize:
			if !f.hip() {
				size = *(*uintptr)(wordAt(extra, i+1))
			}
		default:
			return invalidValue
		}
	}
	if buffer == nil && len(l.packed) > 0 || size < uintptr(len(l.packed)) {
		return invalidValue
	}
	copyMemory(l.packed, buffer)
	return success
}

// wordAt returns an element of an array of pointers of C's.
//
//go:nocheckptr
func wordAt(array unsafe.Pointer, i int) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(uintptr(array) + uintptr(i)*unsafe.Sizeof(array)))
}

// copyMemory copies memory of C's.
//
//go:nocheckptr
func copyMemory(to []byte, from unsafe.Pointer) {
	if len(to) > 0 {
		copy(to, unsafe.Slice((*byte)(from), len(to)))
	}
}

// paramsOf returns the parameters of a Go function.
func paramsOf(fn *kernel.Func) []paramSpec {
	var all []paramSpec
	for _, p := range fn.Params() {
		all = append(all, paramSpec{uintptr(p.Offset), uintptr(p.Size)})
	}
	return all
}

// fits reports whether values for the one can be given to the other.
func fits(declared, own []paramSpec) bool {
	if len(declared) != len(own) {
		return false
	}
	for i := range declared {
		if declared[i] != own[i] {
			return false
		}
	}
	return true
}
