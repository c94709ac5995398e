package compute

import (
	"fmt"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

// Dim is a size or a position in up to three dimensions.
type Dim struct{ X, Y, Z uint32 }

// String formats d as (4, 2, 1).
func (d Dim) String() string { return kernel.Dim(d).String() }

// Size returns X * Y * Z.
func (d Dim) Size() int { return kernel.Dim(d).Size() }

// Config is the shape of a launch: Grid blocks of Block threads each. A dimension of 0 means 1, so
// Dim{X: 64} is a line of 64. [Linear] makes the usual shape.
type Config struct {
	Grid, Block Dim
	// Shared is the dynamic shared memory of each block, in bytes. More than the device gives
	// without being asked (48 KiB on NVIDIA) is asked for at the first launch that needs it.
	Shared int
	// Cluster groups blocks that can use each other's shared memory; the grid is a multiple of it.
	// It needs an NVIDIA device of compute capability 9.0.
	Cluster Dim
	// Cooperative lets all blocks wait for each other; so all must fit on the device at once.
	Cooperative bool

	none  bool   // there is nothing to do
	wrong string // why Linear can't make a shape
}

// Linear returns the shape that gives each of n elements a thread, in blocks of size threads. The
// kernel must compare its index with n, since the last block may reach beyond. Launching with n = 0
// does nothing.
func Linear(n, size int) Config {
	wrong := func(why string) Config { // refused by Launch
		return Config{wrong: fmt.Sprintf("Linear(%d, %d): %s", n, size, why)}
	}
	switch {
	case n < 0:
		return wrong("the number of elements is negative")
	case size <= 0:
		return wrong("a block has at least one thread")
	case uint64(size) > most:
		return wrong(fmt.Sprintf("a block of %d threads; devices take up to 1024", size))
	case n == 0:
		return Config{Block: Dim{X: uint32(size)}, none: true}
	}
	blocks := (uint64(n)-1)/uint64(size) + 1
	if blocks > most {
		return wrong(fmt.Sprintf("%d blocks; devices take up to %d: use larger blocks, or a kernel "+
			"whose threads take several elements", blocks, most))
	}
	return Config{Grid: Dim{X: uint32(blocks)}, Block: Dim{X: uint32(size)}}
}

// most is the most blocks or threads that a dimension can have on any device.
const most = 1<<31 - 1

// one is the size as the backend takes it, with 1 for zeros.
func one(d Dim) kernel.Dim { return kernel.Dim{X: max(d.X, 1), Y: max(d.Y, 1), Z: max(d.Z, 1)} }

// check returns the shape as the backend takes it, or why the device can't run it.
func (c *Config) check(op string, k *Kernel, l *backend.Limits) (b backend.Config, err error) {
	b = backend.Config{Grid: one(c.Grid), Block: one(c.Block), Shared: uint32(c.Shared),
		Cooperative: c.Cooperative}
	grid, block := b.Grid, b.Block
	threads := uint64(block.X) * uint64(block.Y) * uint64(block.Z)
	switch {
	case c.wrong != "":
		return b, c.refuse(op, k, "%s", c.wrong)
	case beyond(grid, l.Grid):
		return b, c.refuse(op, k, "a grid of %v blocks; the device takes up to %v", grid, l.Grid)
	case beyond(block, l.Block):
		return b, c.refuse(op, k, "a block of %v threads; the device takes up to %v", block, l.Block)
	case l.Threads != 0 && threads > uint64(l.Threads):
		return b, c.refuse(op, k, "a block of %d threads; the device takes up to %d", threads, l.Threads)
	case k.attributes.MaxThreads > 0 && threads > uint64(k.attributes.MaxThreads):
		return b, c.refuse(op, k, "a block of %d threads; the kernel takes up to %d, by its registers "+
			"or __launch_bounds__", threads, k.attributes.MaxThreads)
	case l.GridTimesBlock != 0 && (uint64(grid.X)*uint64(block.X) > l.GridTimesBlock ||
		uint64(grid.Y)*uint64(block.Y) > l.GridTimesBlock ||
		uint64(grid.Z)*uint64(block.Z) > l.GridTimesBlock):
		return b, c.refuse(op, k, "%v blocks of %v threads: a dimension has more than %d threads",
			grid, block, l.GridTimesBlock)
	case c.Shared < 0 || l.SharedMost != 0 && uint64(c.Shared)+uint64(max(k.attributes.Shared, 0)) >
		uint64(l.SharedMost):
		return b, c.refuse(op, k, "%d bytes of dynamic and %d of static shared memory; a block has up "+
			"to %d", c.Shared, max(k.attributes.Shared, 0), l.SharedMost)
	case c.Cooperative && !l.Cooperative:
		return b, refusal(op, k, event.ErrUnsupported, "%v has no cooperative launches", k.device.event)
	}
	if c.Cluster == (Dim{}) {
		return b, nil
	}
	b.Cluster = one(c.Cluster)
	return b, c.checkCluster(op, k, l, b)
}

func (c *Config) checkCluster(op string, k *Kernel, l *backend.Limits, b backend.Config) error {
	x := b.Cluster
	switch {
	case !l.Clusters:
		return refusal(op, k, event.ErrUnsupported, "%v has no clusters of blocks", k.device.event)
	case b.Grid.X%x.X != 0 || b.Grid.Y%x.Y != 0 || b.Grid.Z%x.Z != 0:
		return c.refuse(op, k, "a grid of %v blocks is no multiple of clusters of %v", b.Grid, x)
	case uint64(x.X)*uint64(x.Y)*uint64(x.Z) > 16:
		return c.refuse(op, k, "a cluster of %v blocks; devices take up to 16", x)
	}
	return nil
}

func (c *Config) refuse(op string, k *Kernel, format string, args ...any) error {
	return refusal(op, k, ErrConfig, format, args...)
}

// beyond reports whether d exceeds a known limit.
func beyond(d, limit kernel.Dim) bool {
	return limit.X != 0 && d.X > limit.X || limit.Y != 0 && d.Y > limit.Y ||
		limit.Z != 0 && d.Z > limit.Z
}
