package kernel

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
)

// Launch says how to run a kernel.
type Launch struct {
	Grid   Dim  // blocks
	Block  Dim  // threads of a block
	Shared int  // bytes of dynamic shared memory per block
	Serial bool // one block after the other, X first, instead of on all processors
}

// Run runs all blocks and returns when none is running any more. With one processor they run in
// order, as with Serial. The first failure, a *Failure, keeps further blocks from starting, as the
// end of ctx does; of blocks that failed at once, the one with the lowest position is returned.
func (b *Bound) Run(ctx context.Context, l Launch) error {
	blocks, err := l.check(b.kernel)
	if err != nil {
		return err
	}
	r := &run{bound: b, launch: l, blocks: blocks}
	if err := context.Cause(ctx); err != nil {
		return r.cut(err)
	}
	return r.wait(ctx)
}

// check returns the number of blocks.
func (l Launch) check(f *Func) (blocks int, err error) {
	blocks, _ = count(l.Grid)
	threads, ok := count(l.Grid, l.Block)
	switch {
	case ok && threads == 0:
		return 0, fmt.Errorf("kernel %s: %w: grid %v and block %v must not have a dimension of 0",
			f.name, ErrLaunch, l.Grid, l.Block)
	case !ok:
		return 0, fmt.Errorf("kernel %s: %w: grid %v of blocks %v has more threads than an int counts",
			f.name, ErrLaunch, l.Grid, l.Block)
	case l.Shared < 0:
		return 0, fmt.Errorf("kernel %s: %w: %d bytes of shared memory", f.name, ErrLaunch, l.Shared)
	}
	return blocks, nil
}

// run is a launch under way.
type run struct {
	bound  *Bound
	launch Launch
	blocks int
	chunk  int

	next    atomic.Int64 // first block that no worker took
	stop    atomic.Bool  // start no more blocks
	skipped atomic.Bool  // some block did not run for that
	done    sync.WaitGroup

	mu      sync.Mutex
	failure *Failure
}

// cut is the error of a run that ctx ended.
func (r *run) cut(err error) error {
	return fmt.Errorf("kernel %s: stopped before its last block: %w", r.bound.kernel.name, err)
}

// wait starts the workers and waits for them. Not even a single one runs on the caller's goroutine,
// since a kernel that calls runtime.Goexit would end that.
func (r *run) wait(ctx context.Context) error {
	if ctx.Done() != nil {
		release := context.AfterFunc(ctx, func() { r.stop.Store(true) })
		defer release()
	}
	workers := 1
	if !r.launch.Serial {
		workers = min(runtime.GOMAXPROCS(0), r.blocks)
	}
	r.chunk = max(1, r.blocks/(workers*chunksPerWorker))
	for range workers {
		r.done.Add(1)
		go r.work()
	}
	r.done.Wait()
	if r.failure != nil {
		return r.failure
	}
	if r.skipped.Load() {
		return r.cut(context.Cause(ctx))
	}
	return nil
}

// failed keeps the failure of the lowest block.
func (r *run) failed(f *Failure) {
	r.stop.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	grid := r.launch.Grid
	if r.failure == nil || grid.linear(f.Block) < grid.linear(r.failure.Block) {
		r.failure = f
	}
}
