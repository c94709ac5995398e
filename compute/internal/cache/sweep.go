package cache

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// sweepAfter is how many entries this process writes before it reads again what all processes
	// have written.
	sweepAfter = 64
	// staleAfter is the age of a temporary file whose process is gone: writing one takes no time.
	staleAfter = time.Hour
)

// file is an entry in the folder.
type file struct {
	name string
	fs.FileInfo
}

// sweepIfDue reads the folder at the first entry written, after many, and when it may be full. The
// caller holds the lock.
func (c *Cache) sweepIfDue() {
	if !c.swept || c.pending >= sweepAfter || c.size > c.limit {
		c.swept, c.pending = true, 0
		c.sweep()
	}
}

// sweep removes what was not used for longest until a tenth of the room is free, if there is too
// much, and what other processes have left unfinished. It touches no file that is not the cache's.
func (c *Cache) sweep() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return
	}
	var files []file
	c.size = 0
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		switch name := e.Name(); {
		case isEntry(name):
			files = append(files, file{name, info})
			c.size += info.Size()
		case strings.HasSuffix(name, tempMark) && time.Since(info.ModTime()) > staleAfter:
			if os.Remove(filepath.Join(c.dir, name)) == nil {
				c.counts.stale.Add(1)
			}
		}
	}
	if c.size <= c.limit {
		return
	}
	slices.SortFunc(files, func(a, b file) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.name, b.name))
	})
	for _, f := range files {
		if c.size <= c.limit/10*9 {
			return
		}
		c.evict(f)
	}
}

// evict removes an entry, unless somebody has used or replaced it since.
func (c *Cache) evict(f file) {
	path := filepath.Join(c.dir, f.name)
	now, err := os.Lstat(path)
	switch {
	case err != nil: // another process was faster
		c.size -= f.Size()
	case !now.ModTime().Equal(f.ModTime()) || now.Size() != f.Size():
	case os.Remove(path) == nil:
		c.size -= f.Size()
		c.counts.evicted.Add(1)
	}
}

// isEntry reports whether a name is that of an entry: a key and the suffix.
func isEntry(name string) bool {
	key, ok := strings.CutSuffix(name, suffix)
	return ok && len(key) == 2*len(Key{}) && strings.Trim(key, "0123456789abcdef") == ""
}
