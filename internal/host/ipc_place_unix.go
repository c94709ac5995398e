//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ipcRoots are the folders that may hold the user's private one, the best first. Descriptors have
// the index.
func ipcRoots() []string { return []string{"/dev/shm", "/tmp", "/var/tmp", os.TempDir()} }

// folder returns the user's private folder at a place.
func (p place) folder(roots []string) (string, bool) {
	if int(p.root) >= len(roots) {
		return "", false
	}
	name := "gpuevent-" + strconv.Itoa(os.Geteuid())
	if p.suffix != 0 {
		name += "-" + strconv.FormatUint(p.suffix, 16)
	}
	return filepath.Join(roots[p.root], name), true
}

// findPlace makes or finds the user's private folder. Another user may have taken its name, but
// can't guess one with a random suffix.
func findPlace(roots []string) (place, string, error) {
	var problems []error
	for i, root := range roots {
		err := checkRoot(root)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		p := place{root: byte(i)}
		dir, _ := p.folder(roots)
		if err = makePrivate(dir); err == nil {
			return p, dir, nil
		}
		problems = append(problems, err)
		if p.suffix = suffixedFolder(roots, i); p.suffix == 0 {
			var b [8]byte
			rand.Read(b[:]) // never fails
			p.suffix = binary.NativeEndian.Uint64(b[:]) | 1
		}
		dir, _ = p.folder(roots)
		if err = makePrivate(dir); err == nil {
			return p, dir, nil
		}
		problems = append(problems, err)
	}
	return place{}, "", fmt.Errorf("%w: let user %d make one in %s: %w", ErrIPCFolder, os.Geteuid(),
		strings.Join(roots, " or "), errors.Join(problems...))
}

// suffixedFolder finds a folder that this user made because another had taken the name.
func suffixedFolder(roots []string, i int) uint64 {
	plain, _ := place{root: byte(i)}.folder(roots)
	entries, _ := os.ReadDir(roots[i])
	for _, entry := range entries {
		rest, ok := strings.CutPrefix(entry.Name(), filepath.Base(plain)+"-")
		if !ok || checkPrivate(filepath.Join(roots[i], entry.Name())) != nil {
			continue
		}
		if n, err := strconv.ParseUint(rest, 16, 64); err == nil && n != 0 {
			return n
		}
	}
	return 0
}

// checkRoot refuses a folder in which others could replace ours.
func checkRoot(root string) error {
	st, err := os.Stat(root)
	if err != nil {
		return err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	owned := ok && (sys.Uid == 0 || int(sys.Uid) == os.Geteuid())
	if !st.IsDir() || !owned || st.Mode().Perm()&0o022 != 0 && st.Mode()&os.ModeSticky == 0 {
		return fmt.Errorf("%s is not a folder that is safe from other users", root)
	}
	return nil
}

func makePrivate(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return checkPrivate(dir)
}

// checkPrivate refuses a folder that others can access.
func checkPrivate(dir string) error {
	st, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	uid := os.Geteuid()
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok || !st.IsDir() || int(sys.Uid) != uid || st.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is not a private folder of user %d: remove it", dir, uid)
	}
	return nil
}
