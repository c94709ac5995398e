//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Files of the user's private folder in shared memory. A file gets its final name when it is ready, so nobody sees half of one.
const (
	segmentPrefix = "e-" // a segment, by its id
	ownerPrefix   = "p-" // held locked by an engine for as long as its process lives, by the owner's number
	newPrefix     = "t-" // not ready
	newMaxAge     = time.Minute
)

// ipcOwner is an engine's identity. The kernel gives its lock up when the process ends, however it ends, so that others can tell; a
// process id could not: it is used again, and means something else in another container.
type ipcOwner struct {
	dir  string
	id   uint64
	file *os.File
}

// ipcDir is the private folder: in memory, where the system has a place for that.
func ipcDir() (string, error) {
	root := "/dev/shm"
	if st, err := os.Stat(root); err != nil || !st.IsDir() {
		root = os.TempDir()
	}
	return privateDir(root)
}

// privateDir makes the user's folder if need be. One that others could have a hand in is refused.
func privateDir(root string) (string, error) {
	uid := os.Getuid()
	dir := filepath.Join(root, "gpuevent-"+strconv.Itoa(uid))
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("host: shared events: %w", err)
	}
	st, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("host: shared events: %w", err)
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !ok || !st.IsDir() || int(sys.Uid) != uid || st.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("host: shared events: %s is not a private folder of user %d: remove it", dir, uid)
	}
	return dir, nil
}

func newOwner() (*ipcOwner, error) {
	dir, err := ipcDir()
	if err != nil {
		return nil, err
	}
	sweep(dir)
	var b [8]byte
	rand.Read(b[:]) // never fails
	o := &ipcOwner{dir: dir, id: binary.NativeEndian.Uint64(b[:]) | 1}
	f, err := os.CreateTemp(dir, newPrefix)
	if err != nil {
		return nil, fmt.Errorf("host: shared events: %w", err)
	}
	o.file = f
	err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		err = os.Rename(f.Name(), ownerPath(dir, o.id))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		_ = f.Close()
		return nil, fmt.Errorf("host: shared events: %w", err)
	}
	return o, nil
}

func (o *ipcOwner) release() {
	_ = os.Remove(ownerPath(o.dir, o.id))
	_ = o.file.Close()
}

func ownerPath(dir string, id uint64) string {
	return filepath.Join(dir, ownerPrefix+strconv.FormatUint(id, 16))
}

// ownerAlive reports whether the owner's process still holds its file. Where it can't be known, it is taken to be alive.
func ownerAlive(dir string, id uint64) bool {
	if id == 0 {
		return false
	}
	return held(ownerPath(dir, id))
}

// held reports whether somebody has the file locked for himself.
func held(path string) bool {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = f.Close() }()
	return flock(f, syscall.LOCK_SH|syscall.LOCK_NB) != nil
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			return err
		}
	}
}

// sweep removes what processes that did not end well have left.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		name, path := entry.Name(), filepath.Join(dir, entry.Name())
		stale := false
		switch {
		case strings.HasPrefix(name, ownerPrefix):
			stale = !held(path)
		case strings.HasPrefix(name, newPrefix):
			info, err := entry.Info()
			stale = err == nil && time.Since(info.ModTime()) > newMaxAge
		case strings.HasPrefix(name, segmentPrefix):
			creator, ok := creatorOf(readHead(path))
			stale = ok && !ownerAlive(dir, creator)
		}
		if stale {
			_ = os.Remove(path)
		}
	}
}

func readHead(path string) []byte {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, offSeq)
	n, _ := f.Read(head)
	return head[:n]
}

func segmentPath(dir string, id segmentID) string {
	return filepath.Join(dir, segmentPrefix+hex.EncodeToString(id[:]))
}

func createSegment(owner *ipcOwner, id segmentID) (*segment, error) {
	fail := func(err error) (*segment, error) { return nil, fmt.Errorf("host: create shared event: %w", err) }
	f, err := os.CreateTemp(owner.dir, newPrefix) // mode 0600
	if err != nil {
		return fail(err)
	}
	defer func() { _ = f.Close() }()
	// Written rather than only extended: a full file system is an error here and not a signal at the first access.
	_, err = f.Write(make([]byte, segSize))
	var s *segment
	if err == nil {
		s, err = mapSegment(f, owner.dir, id)
	}
	if err == nil {
		s.format(owner.id)
		err = os.Rename(f.Name(), segmentPath(owner.dir, id))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fail(err)
	}
	return s, nil
}

func openSegment(dir string, id segmentID) (*segment, error) {
	f, err := os.OpenFile(segmentPath(dir, id), os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrIPCGone, segmentPath(dir, id))
	}
	if err != nil {
		return nil, fmt.Errorf("host: open shared event: %w", err)
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("host: open shared event: %w", err)
	}
	if sys, ok := st.Sys().(*syscall.Stat_t); !ok || !st.Mode().IsRegular() || st.Size() != segSize || int(sys.Uid) != os.Getuid() {
		return nil, fmt.Errorf("%w: %w", ErrIPCDescriptor, ErrIPCSegment)
	}
	s, err := mapSegment(f, dir, id)
	if err != nil {
		return nil, fmt.Errorf("host: open shared event: %w", err)
	}
	return s, s.check()
}

// mapSegment maps the file until nobody can reach the segment any more.
func mapSegment(f *os.File, dir string, id segmentID) (*segment, error) {
	mem, err := syscall.Mmap(int(f.Fd()), 0, segSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	s := &segment{mem: mem, id: id, dir: dir}
	runtime.AddCleanup(s, func(mem []byte) { _ = syscall.Munmap(mem) }, mem)
	return s, nil
}

func removeSegment(s *segment) error {
	if err := os.Remove(segmentPath(s.dir, s.id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("host: remove shared event: %w", err)
	}
	return nil
}
