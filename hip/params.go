package hip

import (
	"sync"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/params"
)

// Params holds the parameters of a kernel launch in memory that the next launch reuses, so that a
// launch allocates nothing. (Pointers to Go variables, passed to [ModuleLaunchKernel], move each
// variable to the heap.) Add one value for each parameter of the kernel, in order, with the method
// for its C type:
//
//	p := hip.NewParams().Deviceptr(data).Int32(n)
//	defer p.Free()
//	err := hip.ModuleLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, stream, p.Pointers(), nil)
//
// Pointers to Go variables are equally safe: the array and the variables that it points to stay
// alive and in place during the call, even local ones.
//
// A launch reads the values before it returns; then they may be reset and others added. The zero
// value has no parameters. One goroutine at a time may use a Params.
type Params struct{ block params.Block }

var pooledParams = sync.Pool{New: func() any { return new(Params) }}

// NewParams returns empty Params from a pool. Calling [Params.Free] after use is optional.
func NewParams() *Params { return pooledParams.Get().(*Params) }

// Free removes the values and returns p to the pool. p must not be used afterwards.
func (p *Params) Free() {
	p.block.Reset()
	pooledParams.Put(p)
}

// Reset removes all values and keeps the memory.
func (p *Params) Reset() *Params {
	p.block.Reset()
	return p
}

// Deviceptr adds an address in device memory.
func (p *Params) Deviceptr(v Deviceptr) *Params {
	params.Put(&p.block, uintptr(v))
	return p
}

// Int32 adds an int.
func (p *Params) Int32(v int32) *Params {
	params.Put(&p.block, v)
	return p
}

// Uint32 adds an unsigned int.
func (p *Params) Uint32(v uint32) *Params {
	params.Put(&p.block, v)
	return p
}

// Int64 adds a long long.
func (p *Params) Int64(v int64) *Params {
	params.Put(&p.block, v)
	return p
}

// Uint64 adds an unsigned long long, a size_t or any address.
func (p *Params) Uint64(v uint64) *Params {
	params.Put(&p.block, v)
	return p
}

// Float32 adds a float.
func (p *Params) Float32(v float32) *Params {
	params.Put(&p.block, v)
	return p
}

// Float64 adds a double.
func (p *Params) Float64(v float64) *Params {
	params.Put(&p.block, v)
	return p
}

// Bytes adds a value of any other type, such as a struct or a short. v is its memory as C lays it
// out, which is copied.
func (p *Params) Bytes(v []byte) *Params {
	p.block.PutBytes(v)
	return p
}

// Len returns the number of values.
func (p *Params) Len() int { return p.block.Len() }

// Pointers returns the kernelParams argument for a launch: an array of pointers to the values, or
// nil if there are no values. It is valid until the next change.
func (p *Params) Pointers() *unsafe.Pointer { return p.block.Pointers() }
