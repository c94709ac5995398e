package kernel

// Block is one block of a launch. A kernel gets it as its first argument and must not keep it.
type Block struct {
	Index Dim // position of this block in the grid: blockIdx
	Dim   Dim // threads of each block: blockDim
	Grid  Dim // blocks of the launch: gridDim

	shared *shared
}

// Size returns the number of threads in the block.
func (b *Block) Size() int { return b.Dim.Size() }

// First returns the number of the block's first thread among all threads of the launch: in one
// dimension, blockIdx.x * blockDim.x. Thread t of the block has number First() + t.
func (b *Block) First() int { return b.Grid.linear(b.Index) * b.Dim.Size() }

// Thread returns the position of thread t in the block, its threadIdx. Threads count from 0 to
// Size()-1, X first.
func (b *Block) Thread(t int) Dim { return b.Dim.at(t) }

// Span returns the numbers of this block's threads that are below n, as a range that may be empty.
// Slices cut to it make the fastest loops:
//
//	lo, hi := b.Span(int(n))
//	x, y = x[lo:hi], y[lo:hi]
//	for i := range y {
//		y[i] += a * x[i]
//	}
func (b *Block) Span(n int) (lo, hi int) {
	n = max(n, 0)
	lo = b.First()
	return min(lo, n), min(lo+b.Size(), n)
}
