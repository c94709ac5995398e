package kernel

import (
	"reflect"
	"slices"
	"unsafe"
)

// chunksPerWorker bounds the blocks that a worker takes at once: few enough that workers end
// together though blocks differ, and enough that taking them costs nothing.
const chunksPerWorker = 32

// worker is what a goroutine needs to run blocks.
type worker struct {
	index  Dim // of the block that runs; the kernel may overwrite block's
	block  Block
	shared Memory
	call   func(*Block)
	_      [128]byte // keeps what other workers write out of this one's cache lines
}

// work runs chunks of blocks until none is left or the run stops.
func (r *run) work() {
	defer r.done.Done()
	w := &worker{}
	w.block.Memory = &w.shared
	w.shared.size = r.launch.Shared
	ended := false
	defer func() {
		if !ended {
			r.failed(r.bound.kernel.fail(w.index, recover()))
		}
	}()
	w.call = r.bound.on(&w.block)
	for {
		end := int(r.next.Add(int64(r.chunk)))
		first := end - r.chunk
		if first >= r.blocks {
			break
		}
		if !r.run(w, first, min(end, r.blocks)) {
			r.skipped.Store(true)
			break
		}
	}
	ended = true
}

// on returns a function that runs the block, which it is passed.
func (b *Bound) on(block *Block) func(*Block) {
	f, args := b.kernel.call, slices.Clone(b.args)
	if !b.kernel.binds {
		// A block of the kernel's own type has the same fields.
		args[0] = reflect.NewAt(f.Type().In(0).Elem(), unsafe.Pointer(block))
		return func(*Block) { f.Call(args) }
	}
	// Functions of a pointer are called in the same way, whatever it points to.
	returned := f.Call(args[1:])[0]
	holder := reflect.New(returned.Type())
	holder.Elem().Set(returned)
	run := *(*func(*Block))(holder.UnsafePointer())
	if run == nil {
		panic("the kernel returned no function of a block")
	}
	return run
}

// run runs the blocks from first up to end and reports whether it ran all.
func (r *run) run(w *worker, first, end int) bool {
	w.index = r.launch.Grid.at(first)
	call, grid, dim := w.call, r.launch.Grid, r.launch.Block
	for range end - first {
		if r.stop.Load() {
			return false
		}
		w.block.Index, w.block.Dim, w.block.Grid = w.index, dim, grid
		w.shared.fresh = true
		call(&w.block)
		w.index = grid.next(w.index)
	}
	return true
}
