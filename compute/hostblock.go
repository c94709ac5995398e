package compute

import (
	"iter"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

// Block is one block of a launch on the host device. A kernel gets it as its first argument and
// must not keep it.
type Block struct {
	Index Dim // position of this block in the grid: blockIdx
	Dim   Dim // threads of each block: blockDim
	Grid  Dim // blocks of the launch: gridDim

	memory *kernel.Memory // dynamic shared memory
}

// plain is the block of package kernel, which checks that the two types have the same fields. The
// compiler inlines the methods below into a kernel in any package, so that a range over threads
// becomes a plain loop.
func (b *Block) plain() *kernel.Block { return (*kernel.Block)(unsafe.Pointer(b)) }

// Size returns the number of threads in the block.
func (b *Block) Size() int { return b.plain().Size() }

// First returns the number of the block's first thread among all threads of the launch: in one
// dimension, blockIdx.x * blockDim.x. Thread t of the block has number First() + t.
func (b *Block) First() int { return b.plain().First() }

// Thread returns the position of thread t in the block, its threadIdx. Threads count from 0 to
// Size()-1, X first.
func (b *Block) Thread(t int) Dim { return Dim(b.plain().Thread(t)) }

// Span returns the numbers of this block's threads that are below n, as a range that may be empty.
// Slices cut to it make the fastest loops:
//
//	lo, hi := b.Span(int(n))
//	x, y = x[lo:hi], y[lo:hi]
//	for i := range y {
//		y[i] += a * x[i]
//	}
func (b *Block) Span(n int) (lo, hi int) { return b.plain().Span(n) }

// Threads ranges over the numbers of this block's threads that are below n, for kernels that give
// each of n elements to one thread. It replaces
//
//	int i = blockIdx.x * blockDim.x + threadIdx.x;
//	if (i < n) ...
//
// Threads of blocks and grids with more than one dimension are counted X first, then Y, then Z.
func (b *Block) Threads(n int) iter.Seq[int] { return b.plain().Threads(n) }

// Stride ranges over the elements below n that fall to this block if the grid is laid over them
// again and again, for kernels that loop with a stride:
//
//	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) ...
func (b *Block) Stride(n int) iter.Seq[int] { return b.plain().Stride(n) }

// X ranges over the X coordinates of this block's threads in the grid that are below n, that is,
// blockIdx.x * blockDim.x + threadIdx.x. Kernels in two or three dimensions nest X, [Block.Y] and
// [Block.Z]:
//
//	for y := range b.Y(height) {
//		for x := range b.X(width) {
//			out[y*width+x] = in[x*height+y]
//		}
//	}
func (b *Block) X(n int) iter.Seq[int] { return b.plain().X(n) }

// Y ranges over the Y coordinates of this block's threads in the grid that are below n.
func (b *Block) Y(n int) iter.Seq[int] { return b.plain().Y(n) }

// Z ranges over the Z coordinates of this block's threads in the grid that are below n.
func (b *Block) Z(n int) iter.Seq[int] { return b.plain().Z(n) }

// KernelFailure is the error of a launch on the host device whose Go function panicked or called
// runtime.Goexit. Waits for the stream return it: get it with [errors.As].
type KernelFailure struct {
	Kernel string
	Block  Dim    // position of the block in the grid
	Value  any    // of the panic
	Stack  []byte // as [runtime/debug.Stack] returns it
}

// kernelFailure turns a kernel's failure into one of this package.
func kernelFailure(f *kernel.Failure) error {
	return &KernelFailure{Kernel: f.Kernel, Block: Dim(f.Block), Value: f.Value, Stack: f.Stack}
}

func (f *KernelFailure) plain() *kernel.Failure {
	return &kernel.Failure{Kernel: f.Kernel, Block: kernel.Dim(f.Block), Value: f.Value,
		Stack: f.Stack}
}

// Error names the kernel, the block and the value of the panic.
func (f *KernelFailure) Error() string { return f.plain().Error() }

// Unwrap returns the causes, among them Value if it is an error.
func (f *KernelFailure) Unwrap() []error { return f.plain().Unwrap() }

// IllegalAddress reports whether the kernel used an index outside a slice or an array, or a nil
// pointer, as opposed to any other panic.
func (f *KernelFailure) IllegalAddress() bool { return f.plain().IllegalAddress() }

// Shared returns the dynamic shared memory of a block as a slice of T. It is the same for all calls
// in one block, and undefined at its beginning.
func Shared[T any](b *Block) []T { return kernel.SharedOf[T](b.memory) }

// AtomicAdd adds to a number that several blocks write, and returns its old value.
func AtomicAdd[T ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64](p *T, v T) T {
	return kernel.AtomicAdd(p, v)
}
