package cache

import (
	"errors"
	"fmt"
	"os"
)

// An image from the cache runs on the device with this user's rights. So only this user and root
// may be able to write the folder and its entries: everybody else could choose the code.

// checkFolder returns why the folder must not be used. One that does not exist yet is made for this
// user alone.
func (c *Cache) checkFolder() error {
	info, err := os.Stat(c.dir)
	if err != nil {
		return nil // it can't be used either, and that is no refusal
	}
	return c.refuse("the folder "+c.dir, foreign(info))
}

// refuse keeps the first refusal for Refusal. why is nil for what may be used.
func (c *Cache) refuse(what string, why error) error {
	if why == nil {
		return nil
	}
	err := fmt.Errorf("kernel cache: %s is not used: %w", what, why)
	c.refused.CompareAndSwap(nil, &err)
	return err
}

// Refusal returns, at one call only, the first refusal of a folder or an entry that another user
// controls; nil if there was none.
func (c *Cache) Refusal() error {
	if c == nil {
		return nil
	}
	err := c.refused.Load()
	if err == nil || !c.reported.CompareAndSwap(false, true) {
		return nil
	}
	return *err
}

// errForeign: another user controls a file.
var errForeign = errors.New("another user controls it")
