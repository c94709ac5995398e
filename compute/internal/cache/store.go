package cache

import (
	"os"
	"runtime"
	"time"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
)

// store writes an entry. Nobody waits for it to reach the disk: after a loss of power the digest
// finds out what is whole.
func (c *Cache) store(k Key, r *compiler.Result) {
	data := encode(k, r)
	if int64(len(data)) > c.limit || c.write(c.path(k), data) != nil {
		c.counts.unstored.Add(1)
		return
	}
	c.counts.stored.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size += int64(len(data))
	c.pending++
	c.sweepIfDue()
}

func (c *Cache) write(path string, data []byte) error {
	if err := c.makeFolder(); err != nil {
		return err
	}
	if err := c.checkFolder(); err != nil { // another process made it
		return err
	}
	f, err := os.CreateTemp(c.dir, "*"+tempMark) // nobody else may read or write it
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// makeFolder makes the folder, again if somebody has removed it. It costs one call where it is.
func (c *Cache) makeFolder() error { return os.MkdirAll(c.dir, 0o700) }

// pauses are between attempts to rename on Windows, where a file that another process reads can't
// be replaced.
var pauses = []time.Duration{time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond,
	80 * time.Millisecond}

func rename(from, to string) error {
	err := os.Rename(from, to)
	if runtime.GOOS != "windows" {
		return err
	}
	for _, pause := range pauses {
		if err == nil {
			break
		}
		time.Sleep(pause)
		err = os.Rename(from, to)
	}
	return err
}
