//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	sweepPause = time.Minute // between two sweeps of one process
	sweepFiles = 1024        // that one sweep looks at
	unreadyAge = time.Minute // of a file whose maker must have ended before it was ready
)

// sweep removes the files of exporters that died without removing theirs. There is one file for
// each exporter, however many events it had.
func (p *ipcProcess) sweep(dir string) {
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	names, _ := f.Readdirnames(sweepFiles)
	_ = f.Close()
	for _, name := range names {
		hexID, ok := strings.CutPrefix(name, arenaPrefix)
		b, err := hex.DecodeString(hexID)
		if ok && err == nil && len(b) == len(arenaID{}) {
			p.sweepFile(filepath.Join(dir, name), arenaID(b))
		}
	}
}

// sweepFile removes the file if its exporter has ended. The lock keeps this process from opening
// the file a second time meanwhile.
func (p *ipcProcess) sweepFile(path string, id arenaID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[id] != nil {
		return
	}
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || byteLocked(f, exporterToken) {
		return
	}
	head := make([]byte, 8)
	_, err = f.ReadAt(head, 0)
	ready := err == nil && [8]byte(head) != [8]byte{}
	if ready || time.Since(st.ModTime()) > unreadyAge {
		_ = os.Remove(path)
	}
}
