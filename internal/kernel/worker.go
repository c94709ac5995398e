package kernel

import (
	"reflect"
	"slices"
)

// chunksPerWorker bounds the blocks that a worker takes at once: few enough that workers end
// together though blocks differ, and enough that taking them costs nothing.
const chunksPerWorker = 32

// work runs chunks of blocks until none is left or the run stops.
func (r *run) work() {
	defer r.done.Done()
	block := &Block{shared: &shared{size: r.launch.Shared}}
	ended := false
	defer func() {
		if !ended {
			r.failed(r.bound.kernel.fail(block.Index, recover()))
		}
	}()
	args := slices.Clone(r.bound.args)
	args[0] = reflect.ValueOf(block)
	for {
		end := int(r.next.Add(int64(r.chunk)))
		first := end - r.chunk
		if first >= r.blocks || !r.blocksOf(block, args, first, min(end, r.blocks)) {
			break
		}
	}
	ended = true
}

// blocksOf runs the blocks from first up to end and reports whether it ran all.
func (r *run) blocksOf(b *Block, args []reflect.Value, first, end int) bool {
	call := r.bound.kernel.call
	index := r.launch.Grid.at(first)
	for range end - first {
		if r.stop.Load() {
			return false
		}
		b.Index, b.Dim, b.Grid = index, r.launch.Block, r.launch.Grid
		b.shared.fresh = true
		call.Call(args)
		index = r.launch.Grid.next(index)
	}
	return true
}
