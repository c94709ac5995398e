package hip

import (
	"sync"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/params"
)

// Params are the parameters of a kernel launch, in memory of their own that is kept for the next
// launch: where [ModuleLaunchKernel] with pointers to Go variables moves each of them into the
// heap, this allocates nothing. Add one value for each parameter of the kernel, in their order, by
// the method of its C type:
//
//	p := hip.NewParams().Deviceptr(data).Int32(n)
//	defer p.Free()
//	err := hip.ModuleLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, stream, p.Pointers(), nil)
//
// Pointers to Go variables are as safe: the array and the variables it points to stay alive and in
// place while the call runs, also local ones.
//
// A launch reads the values before it returns; afterwards they may be reset and others added. The
// zero value has no parameters. Params belong to one goroutine at a time.
type Params struct{ block params.Block }

var pooledParams = sync.Pool{New: func() any { return new(Params) }}

// NewParams returns empty params out of a pool. Give them back with [Params.Free], or don't.
func NewParams() *Params { return pooledParams.Get().(*Params) }

// Free takes the values out and gives the params back to the pool. They must not be used any more.
func (p *Params) Free() {
	p.block.Reset()
	pooledParams.Put(p)
}

// Reset takes all values out and keeps the memory.
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

// Bytes adds a value of any other type, such as a struct or a short, by its bytes as C lays them
// out. They are copied.
func (p *Params) Bytes(v []byte) *Params {
	p.block.PutBytes(v)
	return p
}

// Len is the number of values.
func (p *Params) Len() int { return p.block.Len() }

// Pointers returns what the kernelParams of a launch want: the first of an array of pointers to the
// values, or nil without values. It holds until the next change.
func (p *Params) Pointers() *unsafe.Pointer { return p.block.Pointers() }
