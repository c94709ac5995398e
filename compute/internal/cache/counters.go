package cache

import "sync/atomic"

// Counters are what a cache has done in this process.
type Counters struct {
	Hits        uint64 // results from the folder
	Misses      uint64 // results that were compiled, and may be kept
	Joined      uint64 // results of a compilation that another goroutine had under way
	Uncacheable uint64 // results that were compiled and must not be kept
	Stored      uint64 // entries written
	Unstored    uint64 // entries that could not be written, or are larger than the cache
	Dropped     uint64 // damaged or foreign entries removed
	Evicted     uint64 // entries removed for want of room
	Stale       uint64 // files removed that a process had begun and not finished
}

type counts struct {
	hits, misses, joined, uncacheable, stored, unstored, dropped, evicted, stale atomic.Uint64
}

// Counters returns the numbers so far; zeros of a nil Cache.
func (c *Cache) Counters() Counters {
	if c == nil {
		return Counters{}
	}
	n := &c.counts
	return Counters{Hits: n.hits.Load(), Misses: n.misses.Load(), Joined: n.joined.Load(),
		Uncacheable: n.uncacheable.Load(), Stored: n.stored.Load(), Unstored: n.unstored.Load(),
		Dropped: n.dropped.Load(), Evicted: n.evicted.Load(), Stale: n.stale.Load()}
}
