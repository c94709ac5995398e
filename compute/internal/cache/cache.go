package cache

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/dl"
)

// Variable names the environment variable for the cache: a folder, or "off".
const Variable = "GPUEVENT_KERNEL_CACHE"

// DefaultSize limits a cache without another limit: thousands of kernels.
const DefaultSize = 256 << 20

// Cache is a folder with compiled kernels. A nil Cache keeps nothing. All methods are safe for
// concurrent use, also by other processes on the same folder.
type Cache struct {
	dir    string
	limit  int64
	reason error // why nothing is kept
	counts counts
	flying flights

	refused  atomic.Pointer[error] // the first refusal of a folder or an entry
	reported atomic.Bool

	mu      sync.Mutex // of what follows
	swept   bool       // the folder was read
	size    int64      // of all entries, as far as it is known
	pending int        // entries written since the folder was read
}

// Open returns the cache in a folder, which is made when it is needed. It is limited to a number of
// bytes, [DefaultSize] if that is 0. The folder "" stands for that of the variable
// GPUEVENT_KERNEL_CACHE or, without that, for gpuevent/kernels in the user's folder for caches.
// Where there is none, or the variable says "off", nothing is kept.
func Open(dir string, maxBytes int64) *Cache {
	c := &Cache{dir: dir, limit: cmp.Or(maxBytes, DefaultSize)}
	if dir == "" {
		c.dir, c.reason = defaultFolder()
	}
	if c.reason == nil {
		if c.dir, c.reason = filepath.Abs(c.dir); c.reason == nil && c.limit < 0 {
			c.reason = errors.New("the cache's limit is negative")
		}
	}
	return c
}

// defaultFolder has the user's folder. A program that runs with the rights of another user, whose
// environment this one controls, has none.
func defaultFolder() (string, error) {
	if dl.Elevated() {
		return "", errors.New("the process has more rights than the user who started it")
	}
	switch v := os.Getenv(Variable); v {
	case "":
	case "off":
		return "", errors.New(Variable + " is off")
	default:
		return v, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "gpuevent", "kernels"), nil
}

// Folder returns where the entries are; "" if none are kept.
func (c *Cache) Folder() string {
	if c.off() {
		return ""
	}
	return c.dir
}

// Reason returns why nothing is kept: there is no folder, the variable says so, or another user
// controls the folder. It is nil for a folder that merely cannot be written.
func (c *Cache) Reason() error {
	if c == nil {
		return errors.New("the cache is off")
	}
	if c.reason != nil {
		return c.reason
	}
	return c.checkFolder()
}

// off reports whether nothing is kept.
func (c *Cache) off() bool { return c.Reason() != nil }

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
