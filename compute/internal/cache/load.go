package cache

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

const (
	suffix   = ".kernel"     // of an entry, behind its key
	tempMark = ".kernel-tmp" // in the name of a file that becomes one
)

func (c *Cache) path(k Key) string { return filepath.Join(c.dir, k.String()+suffix) }

// load reads an entry and marks it as used now.
func (c *Cache) load(k Key) (r compiler.Result, ok bool) {
	path := c.path(k)
	info, data, err := readEntry(path)
	if err != nil {
		if errors.Is(err, errForeign) {
			_ = c.refuse("the entry "+path, err)
		}
		if errors.Is(err, errDamaged) || errors.Is(err, errForeign) {
			c.drop(path, info)
		}
		return r, false
	}
	if r, err = decode(k, data); err != nil {
		c.drop(path, info)
		return r, false
	}
	// The time of the last change is the one that all file systems keep. A folder that cannot be
	// written keeps it as it is.
	now := time.Now()
	_ = os.Chtimes(path, now, now)
	c.counts.hits.Add(1)
	return r, true
}

// largest is the size of a file that is read at all.
const largest = 1 << 30

func readEntry(path string) (fs.FileInfo, []byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > largest {
		return info, nil, errDamaged
	}
	f, err := os.Open(path)
	if err != nil {
		return info, nil, err
	}
	defer f.Close()
	opened, err := f.Stat() // the file may have been replaced
	if err != nil {
		return info, nil, err
	}
	if err := foreign(opened); err != nil {
		return info, nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, largest))
	return info, data, err
}

// drop removes a damaged entry, unless another process has replaced it since it was read.
func (c *Cache) drop(path string, seen fs.FileInfo) {
	now, err := os.Lstat(path)
	if err != nil || now.Size() != seen.Size() || !now.ModTime().Equal(seen.ModTime()) ||
		!os.SameFile(now, seen) {
		return
	}
	if os.Remove(path) == nil {
		c.counts.dropped.Add(1)
	}
}
