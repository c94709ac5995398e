package kernel

import "reflect"

// Block is one block of a launch. A kernel gets it as its first argument and must not keep it.
type Block struct {
	Index Dim // position of this block in the grid: blockIdx
	Dim   Dim // threads of each block: blockDim
	Grid  Dim // blocks of the launch: gridDim

	// Memory is the dynamic shared memory, for [SharedOf].
	Memory *Memory
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

// isBlock reports whether a type is a pointer to a Block, or to a struct of another package that
// has the same fields in memory.
func isBlock(t reflect.Type) bool {
	own := reflect.TypeFor[Block]()
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct ||
		t.Elem().NumField() != own.NumField() {
		return false
	}
	for i := range own.NumField() {
		a, b := own.Field(i).Type, t.Elem().Field(i).Type
		if a != b && (a.Kind() != reflect.Struct || !b.ConvertibleTo(a)) {
			return false
		}
	}
	return true
}

// binds reports whether a function returns the function of a block.
func binds(t reflect.Type) bool {
	if t.NumOut() != 1 || t.Out(0).Kind() != reflect.Func {
		return false
	}
	f := t.Out(0)
	return f.NumIn() == 1 && f.NumOut() == 0 && !f.IsVariadic() && isBlock(f.In(0))
}
