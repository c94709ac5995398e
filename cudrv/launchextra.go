package cudrv

import "github.com/gpuevent/gpuevent/internal/params"

// LaunchExtra holds the parameters of a kernel launch in one buffer, for the extra argument of a
// launch. Add one value for each parameter of the kernel, in order, with the method for its C type.
// They are padded like the members of a C struct:
//
//	var e cudrv.LaunchExtra
//	e.Deviceptr(data).Int32(n)
//	err := cudrv.LaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, stream, nil, e.List())
//
// C takes a list of uintptr words, in which the garbage collector does not see addresses; a
// LaunchExtra keeps alive what its list points to. [Params] is the other way to pass parameters. A
// launch reads the values before it returns. The zero value has no parameters. One goroutine at a
// time may use a LaunchExtra.
type LaunchExtra struct{ extra params.Extra }

// Reset removes all values and keeps the memory.
func (e *LaunchExtra) Reset() *LaunchExtra {
	e.extra.Reset()
	return e
}

// Deviceptr adds an address in device memory.
func (e *LaunchExtra) Deviceptr(v Deviceptr) *LaunchExtra {
	params.PutAligned(&e.extra, uint64(v))
	return e
}

// Int32 adds an int.
func (e *LaunchExtra) Int32(v int32) *LaunchExtra {
	params.PutAligned(&e.extra, v)
	return e
}

// Uint32 adds an unsigned int.
func (e *LaunchExtra) Uint32(v uint32) *LaunchExtra {
	params.PutAligned(&e.extra, v)
	return e
}

// Int64 adds a long long.
func (e *LaunchExtra) Int64(v int64) *LaunchExtra {
	params.PutAligned(&e.extra, v)
	return e
}

// Uint64 adds an unsigned long long, a size_t or any address.
func (e *LaunchExtra) Uint64(v uint64) *LaunchExtra {
	params.PutAligned(&e.extra, v)
	return e
}

// Float32 adds a float.
func (e *LaunchExtra) Float32(v float32) *LaunchExtra {
	params.PutAligned(&e.extra, v)
	return e
}

// Float64 adds a double.
func (e *LaunchExtra) Float64(v float64) *LaunchExtra {
	params.PutAligned(&e.extra, v)
	return e
}

// Bytes adds a value of any other type, such as a struct or a short. v is its memory as C lays it
// out, which is copied, and align its alignment in C, a power of two.
func (e *LaunchExtra) Bytes(v []byte, align int) *LaunchExtra {
	e.extra.PutBytes(v, uintptr(max(align, 1)))
	return e
}

// Size returns the number of bytes in the buffer.
func (e *LaunchExtra) Size() int { return e.extra.Size() }

// List returns the extra argument for a launch, or nil if there are no values. It is valid until
// the next change.
func (e *LaunchExtra) List() *uintptr { return e.extra.List(LaunchParamEnd) }
