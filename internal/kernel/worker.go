package kernel

import (
	"reflect"
	"slices"
)

// chunksPerWorker bounds the blocks that a worker takes at once: few enough that workers end
// together though blocks differ, and enough that taking them costs nothing.
const chunksPerWorker = 32

// worker is what a goroutine needs to run blocks.
type worker struct {
	index  Dim // of the block that runs; the kernel may overwrite block's
	block  Block
	shared shared
	args   []reflect.Value
	_      [128]byte // keeps what other workers write out of this one's cache lines
}

// work runs chunks of blocks until none is left or the run stops.
func (r *run) work() {
	defer r.done.Done()
	w := &worker{args: slices.Clone(r.bound.args)}
	w.args[0] = reflect.ValueOf(&w.block)
	w.block.shared = &w.shared
	w.shared.size = r.launch.Shared
	ended := false
	defer func() {
		if !ended {
			r.failed(r.bound.kernel.fail(w.index, recover()))
		}
	}()
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

// run runs the blocks from first up to end and reports whether it ran all.
func (r *run) run(w *worker, first, end int) bool {
	call := r.bound.kernel.call
	w.index = r.launch.Grid.at(first)
	for range end - first {
		if r.stop.Load() {
			return false
		}
		w.block.Index, w.block.Dim, w.block.Grid = w.index, r.launch.Block, r.launch.Grid
		w.shared.fresh = true
		call.Call(w.args)
		w.index = r.launch.Grid.next(w.index)
	}
	return true
}
