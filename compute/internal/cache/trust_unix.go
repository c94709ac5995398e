//go:build unix

package cache

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// foreign returns why a file is one that another user controls; nil if only this user and root do.
func foreign(info fs.FileInfo) error {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("%w: its owner is not known", errForeign)
	}
	if own := os.Geteuid(); s.Uid != 0 && int(s.Uid) != own {
		return fmt.Errorf("%w: it belongs to user %d, and this process runs as user %d", errForeign,
			s.Uid, own)
	}
	return writable(info)
}

// writable returns why permissions let other users write.
func writable(info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("%w: others may write to it (mode %04o)", errForeign, mode)
	}
	return nil
}
