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
func (b *Block) X(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		lo, hi := along(b.Index.X, b.Dim.X, n)
		for x := lo; x < hi; x++ {
			if !yield(x) {
				return
			}
		}
	}
}

// Y ranges over the Y coordinates of this block's threads in the grid that are below n.
func (b *Block) Y(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		lo, hi := along(b.Index.Y, b.Dim.Y, n)
		for y := lo; y < hi; y++ {
			if !yield(y) {
				return
			}
		}
	}
}

// Z ranges over the Z coordinates of this block's threads in the grid that are below n.
func (b *Block) Z(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		lo, hi := along(b.Index.Z, b.Dim.Z, n)
		for z := lo; z < hi; z++ {
			if !yield(z) {
				return
			}
		}
	}
}

// along returns the range of a block's coordinates along an axis. X, Y and Z are alike, without a
// function that makes their loops: through one, nested loops would allocate.
func along(index, size uint32, n int) (lo, hi int) {
	lo = int(index) * int(size)
	return lo, min(lo+int(size), n)
}
