package kernel

import "iter"

// Threads ranges over the numbers of this block's threads that are below n, for kernels that give
// each of n elements to one thread. It replaces
//
//	int i = blockIdx.x * blockDim.x + threadIdx.x;
//	if (i < n) ...
//
// Threads of blocks and grids with more than one dimension are counted X first, then Y, then Z.
func (b *Block) Threads(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		lo, hi := b.Span(n)
		for i := lo; i < hi; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// Stride ranges over the elements below n that fall to this block if the grid is laid over them
// again and again, for kernels that loop with a stride:
//
//	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) ...
func (b *Block) Stride(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		size := b.Size()
		step := b.Grid.Size() * size
		for lo := b.First(); lo < n; lo += step {
			for i := lo; i < min(lo+size, n); i++ {
				if !yield(i) {
					return
				}
			}
			if step > n-lo { // before lo overflows
				return
			}
		}
	}
}

// X ranges over the X coordinates of this block's threads in the grid that are below n, that is,
// blockIdx.x * blockDim.x + threadIdx.x. Kernels in two or three dimensions nest X, [Block.Y] and
// [Block.Z]:
//
//	for y := range b.Y(height) {
//		for x := range b.X(width) {
//			out[y*width+x] = in[x*height+y]
//		}
//	}
func (b *Block) X(n int) iter.Seq[int] { return axis(b.Index.X, b.Dim.X, n) }

// Y ranges over the Y coordinates of this block's threads in the grid that are below n.
func (b *Block) Y(n int) iter.Seq[int] { return axis(b.Index.Y, b.Dim.Y, n) }

// Z ranges over the Z coordinates of this block's threads in the grid that are below n.
func (b *Block) Z(n int) iter.Seq[int] { return axis(b.Index.Z, b.Dim.Z, n) }

func axis(index, size uint32, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		lo := int(index) * int(size)
		hi := min(lo+int(size), n)
		for i := lo; i < hi; i++ {
			if !yield(i) {
				return
			}
		}
	}
}
