//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"
	"weak"
)

// arenas are the arenas that this process has open. All its engines share them.
var arenas = ipcProcess{roots: ipcRoots()}

type ipcProcess struct {
	roots []string // see ipcRoots

	mu    sync.Mutex // taken before an arena's lock
	own   *arena     // where new events are made, while there are any
	open  map[arenaID]*mapping
	swept time.Time
}

const arenaPrefix = "a-" // a file's name is this and its arena's id

func arenaPath(dir string, id arenaID) string {
	return filepath.Join(dir, arenaPrefix+hex.EncodeToString(id[:]))
}

// exportBlock makes a shared event.
func exportBlock() (*block, location, error) {
	for {
		a, err := arenas.forExport()
		if err != nil {
			return nil, location{}, err
		}
		b, err := a.newBlock()
		if err == nil {
			return b, location{a.id, b.offset, b.key, a.place}, nil
		}
		arenas.leave(a)
		if !errors.Is(err, ErrIPCFull) {
			return nil, location{}, err
		}
		arenas.retire(a)
	}
}

func (a *arena) newBlock() (*block, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.free) > 0 {
		offset := a.free[0]
		if a.free = a.free[1:]; len(a.free) == 0 {
			a.free = nil
		}
		b, err := newBlock(a, offset, a.token)
		if err == nil {
			return b, nil
		}
		a.free = append(a.free, offset) // too many of its records may still be pending, at others
	}
	offset, err := a.alloc(blockWords)
	if err != nil {
		return nil, err
	}
	return newBlock(a, offset, a.token)
}

// freeBlock frees the block of a closed event for another.
func freeBlock(b *block) {
	a := b.mem.(*arena)
	if !b.worn() {
		a.mu.Lock()
		a.free = append(a.free, b.offset)
		a.mu.Unlock()
	}
	arenas.leave(a)
}

// importBlock opens a shared event.
func importBlock(l location) (*block, error) {
	a, err := arenas.find(l)
	if err != nil {
		return nil, err
	}
	if !a.alive(exporterToken) {
		return nil, ErrIPCGone
	}
	return openBlock(a, l.offset, l.key, a.token)
}

// forExport returns the process's arena, with one more user. If somebody has removed or replaced
// its file, existing events go on, but new events need a new file that others can find.
func (p *ipcProcess) forExport() (*arena, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.own != nil && !p.own.named() {
		p.own = nil
	}
	if p.own == nil {
		a, err := p.create()
		if err != nil {
			return nil, err
		}
		p.own = a
	}
	p.own.users++
	return p.own, nil
}

// named reports whether others can find the file.
func (m *mapping) named() bool {
	there, err := os.Lstat(m.path)
	if err != nil {
		return false
	}
	here, err := m.file.Stat()
	return err == nil && os.SameFile(there, here)
}

// leave ends one use of an arena. After the last one its file is removed.
func (p *ipcProcess) leave(a *arena) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.users--; a.users > 0 {
		return
	}
	if p.own == a {
		p.own = nil
	}
	if a.named() {
		_ = os.Remove(a.path)
	}
}

// retire makes the next event use another arena.
func (p *ipcProcess) retire(a *arena) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.own == a {
		p.own = nil
	}
}

// create makes an arena. The caller holds p.mu.
func (p *ipcProcess) create() (*arena, error) {
	var id arenaID
	rand.Read(id[:]) // never fails
	for try := 0; ; try++ {
		at, dir, err := findPlace(p.roots)
		if err != nil {
			return nil, err
		}
		m, err := createMapping(at, arenaPath(dir, id), id)
		if errors.Is(err, fs.ErrNotExist) && try == 0 {
			continue // somebody removed the folder at this moment
		}
		if err != nil {
			return nil, err
		}
		if now := time.Now(); now.Sub(p.swept) > sweepPause {
			p.swept = now
			go p.sweep(dir)
		}
		return p.add(m), nil
	}
}

// find returns the arena of an event to import, and opens it if necessary.
func (p *ipcProcess) find(l location) (*arena, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := p.open[l.arena]; m != nil {
		return p.add(m), nil
	}
	dir, ok := l.place.folder(p.roots)
	if !ok {
		return nil, fmt.Errorf("%w: unknown folder %d", ErrIPCDescriptor, l.place.root)
	}
	if err := checkPrivate(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: there is no %s", ErrIPCGone, dir)
	} else if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrIPCFolder, err)
	}
	m, err := openMapping(l.place, arenaPath(dir, l.arena), l.arena)
	if err != nil {
		return nil, err
	}
	return p.add(m), nil
}

// add returns the arena of a mapping. The caller holds p.mu.
func (p *ipcProcess) add(m *mapping) *arena {
	if a := m.arena.Value(); a != nil {
		return a
	}
	a := &arena{mapping: m}
	m.refs++
	m.arena = weak.Make(a)
	if p.open == nil {
		p.open = map[arenaID]*mapping{}
	}
	p.open[m.id] = m
	runtime.AddCleanup(a, p.drop, m)
	return a
}

// drop closes a mapping whose arena can't be reached any more, unless it has got another one.
func (p *ipcProcess) drop(m *mapping) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.refs--; m.refs == 0 {
		delete(p.open, m.id)
		m.close()
	}
}
