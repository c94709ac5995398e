package dl

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// Table is what symbols are looked up in: an open library, or functions that a test made. It
// returns 0 for a symbol it lacks.
type Table func(symbol string) uintptr

// Library is one vendor library: where to look for it, and once found, its symbols. Use the
// package's [CUDA] and [HIP]. All methods are safe for concurrent use.
type Library struct {
	// Name is what messages call the library: "CUDA driver library".
	Name string
	// API is the prefix of versions in messages: "CUDA", "ROCm".
	API string
	// Env is the environment variable that overrides the search with paths of its own.
	Env string
	// Remedy is what brings the library to a machine that lacks it.
	Remedy string
	// Update is what brings functions that the library is too old for.
	Update string
	// Candidates lists what to try, in order, on this platform.
	Candidates func() []string
	// Variables are the environment variables that Candidates reads.
	Variables []string
	// VersionSymbol is the C function int(int*) that tells the version of the open library, and
	// FormatVersion its spelling. A library without it is not the vendor's.
	VersionSymbol string
	FormatVersion func(int) string

	mu     sync.Mutex
	state  state
	table  Table
	path   string
	failed error   // why the search failed, while state is missing
	procs  []*Proc // those that hold an address or a miss

	generation atomic.Uint64
}

type state int

const (
	unopened state = iota
	missing
	open
)

// ErrLibraryNotFound is what every error of a missing library is: see [errors.Is].
var ErrLibraryNotFound = errors.New("library not found")

// ErrAlreadyLoaded is returned by [Library.Load] when another library serves calls already.
var ErrAlreadyLoaded = errors.New("a library is loaded already")

// Load opens the library if it isn't open yet. With paths, only those are tried, in order. Without,
// the environment variable's paths, and only if it is unset the candidates of this platform: first
// those that the process has loaded already, for two copies of a driver's library don't know each
// other's objects. After a failure Load tries anew.
//
// In a process that runs with rights of its file's owner, environment variables are ignored, for
// they are the user's.
//
// A loaded library stays: asking for another path then is [ErrAlreadyLoaded].
func (l *Library) Load(paths ...string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == open {
		for _, p := range paths {
			if p == l.path {
				return nil
			}
		}
		if len(paths) > 0 {
			return fmt.Errorf(
				"load %s from %q: %w: %s serves this process and can't be replaced; load it before the first call",
				l.Name,
				paths,
				ErrAlreadyLoaded,
				l.path,
			)
		}
		return nil
	}
	l.reset()
	return l.open(paths)
}

// reset forgets every resolved address and every miss. The caller holds l.mu.
func (l *Library) reset() {
	for _, p := range l.procs {
		atomic.StoreUintptr(&p.addr, 0)
		p.missing = nil
	}
	l.procs = nil
	l.state, l.table, l.path, l.failed = unopened, nil, "", nil
}

// Path returns the path or name that the open library was opened by, or "" while none is open.
func (l *Library) Path() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.path
}

// Generation is another number whenever another library or table serves than before: then handles
// of the one before mean nothing any more. It costs one atomic load.
func (l *Library) Generation() uint64 { return l.generation.Load() }

// Has tells whether the library has the symbol. It opens the library if need be.
func (l *Library) Has(symbol string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ready() == nil && l.table(symbol) != 0
}

// ready opens the library at the first use. The caller holds l.mu.
func (l *Library) ready() error {
	switch l.state {
	case open:
		return nil
	case missing:
		return l.failed
	}
	return l.open(nil)
}

// Install replaces the library by a symbol table until the returned function is called; with a nil
// table it is as if the library had not been used yet, and the next use searches. It is for tests:
// calls that are under way keep the addresses they have.
func (l *Library) Install(path string, t Table) (restore func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := struct {
		state  state
		table  Table
		path   string
		failed error
	}{l.state, l.table, l.path, l.failed}
	l.reset()
	l.generation.Add(1)
	if t != nil && ccall.Supported { // what can't be called is not there
		l.state, l.table, l.path = open, t, path
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.reset()
		l.generation.Add(1)
		l.state, l.table, l.path, l.failed = was.state, was.table, was.path, was.failed
	}
}
