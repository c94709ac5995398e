//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
	"weak"
)

// arena is the file in memory in which one process keeps all the events that it exports. Every
// process maps it once, piece by piece as it grows. It is unmapped when no event or record refers
// to it any more.
type arena struct {
	*mapping

	// Of the exporter.
	mu    sync.Mutex
	free  []uint64 // blocks of events that are closed, the oldest first
	users int      // events that are not closed or not complete; guarded by the process's lock
}

// Words of an arena. Its first process has the token 1.
const (
	arenaMagic   = iota
	arenaVersion // of the layout
	arenaID0
	arenaID1
	arenaTokens // the newest token
	arenaSize   // how much of the file may be used
	arenaBreak  // and is used
	arenaWords  = 8

	arenaMark   = 0x616e657241764567
	arenaLayout = 2

	exporterToken = 1
	extendByte    = 0 // the lock for extending the file
)

// mapping is the open file of an arena. There is one for each file, so that a process has only one
// descriptor of it.
type mapping struct {
	id     arenaID
	place  place
	path   string
	file   *os.File
	token  uint32
	header []atomic.Uint64

	refs  int                 // arenas; guarded by the process's lock
	arena weak.Pointer[arena] // guarded by the process's lock

	mu     sync.Mutex
	chunks atomic.Pointer[[][]byte] // written under mu

	lives sync.Map // token: when its process was last found alive
}

// createMapping creates the file of a new arena.
func createMapping(p place, path string, id arenaID) (*mapping, error) {
	fail := func(err error) error { return fmt.Errorf("host: create file of shared events: %w", err) }
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fail(err)
	}
	m := &mapping{id: id, place: p, path: path, file: f, token: exporterToken}
	err = lockByte(f, exporterToken)
	if err == nil {
		_, size := chunkRange(0)
		err = fill(f, 0, size)
	}
	if err == nil {
		err = m.mapHeader()
	}
	if err != nil {
		_ = os.Remove(path)
		m.close()
		return nil, fail(err)
	}
	_, size := chunkRange(0)
	m.header[arenaVersion].Store(arenaLayout)
	m.header[arenaID0].Store(binary.LittleEndian.Uint64(id[:8]))
	m.header[arenaID1].Store(binary.LittleEndian.Uint64(id[8:]))
	m.header[arenaTokens].Store(exporterToken)
	m.header[arenaSize].Store(size)
	m.header[arenaBreak].Store(arenaWords * 8)
	m.header[arenaMagic].Store(arenaMark) // last: before, the file is not ready
	return m, nil
}

// openMapping opens the file of another process's arena.
func openMapping(p place, path string, id arenaID) (*mapping, error) {
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("%w: %s", ErrIPCGone, path)
	}
	if err != nil {
		return nil, fmt.Errorf("host: open shared event: %w", err)
	}
	m := &mapping{id: id, place: p, path: path, file: f}
	if err := m.attach(); err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// attach makes sure that the file is what it should be and its exporter alive, and takes a token.
func (m *mapping) attach() error {
	wrong := fmt.Errorf("%w: %w", ErrIPCDescriptor, ErrIPCSegment)
	st, err := m.file.Stat()
	if err != nil {
		return fmt.Errorf("host: open shared event: %w", err)
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if !ok || !st.Mode().IsRegular() || st.Size() < minChunk || int(sys.Uid) != os.Geteuid() {
		return wrong
	}
	if err := m.mapHeader(); err != nil {
		return fmt.Errorf("host: open shared event: %w", err)
	}
	h := m.header
	if h[arenaMagic].Load() != arenaMark || h[arenaVersion].Load() != arenaLayout ||
		h[arenaID0].Load() != binary.LittleEndian.Uint64(m.id[:8]) ||
		h[arenaID1].Load() != binary.LittleEndian.Uint64(m.id[8:]) {
		return wrong
	}
	if !byteLocked(m.file, exporterToken) {
		return fmt.Errorf("%w: %s", ErrIPCGone, m.path)
	}
	token := h[arenaTokens].Add(1)
	if token > maxToken {
		h[arenaTokens].Store(maxToken)
		return ErrIPCPeers
	}
	m.token = uint32(token)
	if err := lockByte(m.file, int64(token)); err != nil {
		return fmt.Errorf("host: open shared event: %w", err)
	}
	return nil
}

func (m *mapping) mapHeader() error {
	chunk, err := m.mapChunk(0)
	if err == nil {
		m.header = words(chunk[:arenaWords*8])
	}
	return err
}

// close releases the memory, the locks and the file.
func (m *mapping) close() {
	if p := m.chunks.Load(); p != nil {
		for _, chunk := range *p {
			if chunk != nil {
				_ = syscall.Munmap(chunk)
			}
		}
	}
	_ = m.file.Close()
}

// mapChunk maps the k-th piece of the file, if it is not.
func (m *mapping) mapChunk(k int) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var old [][]byte
	if p := m.chunks.Load(); p != nil {
		old = *p
	}
	if k < len(old) && old[k] != nil {
		return old[k], nil
	}
	base, size := chunkRange(k)
	mem, err := syscall.Mmap(int(m.file.Fd()), int64(base), int(size),
		syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("host: map shared events: %w", err)
	}
	grown := make([][]byte, max(len(old), k+1))
	copy(grown, old)
	grown[k] = mem
	m.chunks.Store(&grown)
	return mem, nil
}

func words(b []byte) []atomic.Uint64 {
	return unsafe.Slice((*atomic.Uint64)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/8)
}

// words implements memory.
func (a *arena) words(offset uint64, n int) ([]atomic.Uint64, error) {
	limit := a.header[arenaSize].Load()
	if offset%8 != 0 || offset < arenaWords*8 || offset >= limit {
		return nil, ErrIPCSegment
	}
	k := chunkAt(offset)
	base, size := chunkRange(k)
	at, end := offset-base, offset-base+uint64(n)*8
	if end > size || base+size > limit {
		return nil, ErrIPCSegment
	}
	var chunk []byte
	if p := a.chunks.Load(); p != nil && k < len(*p) {
		chunk = (*p)[k]
	}
	if chunk == nil {
		var err error
		if chunk, err = a.mapChunk(k); err != nil {
			return nil, err
		}
	}
	return words(chunk[at:end:end]), nil
}

// alloc implements memory.
func (a *arena) alloc(n int) (uint64, error) {
	defer runtime.KeepAlive(a)
	size := (uint64(n)*8 + 63) &^ 63
	for {
		used := a.header[arenaBreak].Load()
		offset := used
		k := chunkAt(offset)
		base, length := chunkRange(k)
		for offset+size > base+length { // what is left of the chunk stays unused
			k++
			base, length = chunkRange(k)
			offset = base
		}
		if k >= maxChunks {
			return 0, ErrIPCFull
		}
		if base+length > a.header[arenaSize].Load() {
			if err := a.extend(base + length); err != nil {
				return 0, err
			}
			continue
		}
		if a.header[arenaBreak].CompareAndSwap(used, offset+size) {
			return offset, nil
		}
	}
}

const (
	extendPause = 100 * time.Microsecond
	extendTries = 10_000
)

// extend makes the file longer. A process that dies meanwhile blocks no other.
func (a *arena) extend(size uint64) error {
	m := a.mapping
	m.mu.Lock()
	defer m.mu.Unlock()
	for try := 0; ; try++ {
		err := lockByte(m.file, extendByte)
		if err == nil {
			break
		}
		if try == extendTries {
			return fmt.Errorf("host: extend file of shared events: %w", err)
		}
		time.Sleep(extendPause)
	}
	defer func() { _ = unlockByte(m.file, extendByte) }()
	old := m.header[arenaSize].Load()
	if old >= size {
		return nil
	}
	if err := fill(m.file, old, size); err != nil {
		return fmt.Errorf("host: extend file of shared events: %w", err)
	}
	m.header[arenaSize].Store(size)
	return nil
}

// fill writes zeros. If the file were only made longer, a full file system would raise a signal at
// the first access instead of an error here.
func fill(f *os.File, from, to uint64) error {
	zeros := make([]byte, minChunk)
	for ; from < to; from += minChunk {
		if _, err := f.WriteAt(zeros, int64(from)); err != nil {
			return err
		}
	}
	return nil
}

// aliveFor is how long a process found alive is not checked again.
const aliveFor = 200 * time.Microsecond

// alive implements memory.
func (a *arena) alive(token uint32) bool {
	if token == a.token {
		return true
	}
	now := time.Now()
	if last, ok := a.lives.Load(token); ok && now.Sub(last.(time.Time)) < aliveFor {
		return true
	}
	if byteLocked(a.file, int64(token)) {
		a.lives.Store(token, now)
		return true
	}
	a.lives.Delete(token)
	runtime.KeepAlive(a)
	return false
}
