package dl

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gpuevent/gpuevent/internal/ccall"
)

// Table looks up symbols, in an open library or in a test's functions. It returns 0 for a symbol it
// lacks.
type Table func(symbol string) uintptr

// Library is one vendor library: where to search for it and, once open, its symbols. Package libs
// has those of all APIs. All methods are safe for concurrent use.
type Library struct {
	// Name is the library's name in messages: "Toy driver library".
	Name string
	// API is the prefix of versions in messages: "Toy".
	API string
	// Env is the environment variable whose paths replace the search.
	Env string
	// Remedy says how to install the library.
	Remedy string
	// Update says how to update a library that is too old.
	Update string
	// Search says where the library may be.
	Search Search
	// Probe is a symbol that the vendor's library has; "" stands for the version's.
	Probe   string
	Version Version

	mu     sync.Mutex
	state  state
	table  Table
	path   string
	failed error   // why the search failed, while state is missing
	told   string  // the version, where that is not asked for
	procs  []*Proc // those that hold an address or a miss

	generation atomic.Uint64
}

type state int

const (
	unopened state = iota
	missing
	open
)

// ErrAlreadyLoaded is returned by [Library.Load] if another library is in use.
var ErrAlreadyLoaded = errors.New("a library is loaded already")

// Load opens the library if it isn't open yet. If paths are given, it tries only those, in order.
// Otherwise it tries the paths of the environment variable. If that is not set, it tries the
// platform's candidates, and among those first the ones that the process has already loaded: two
// copies of a driver's library don't know each other's objects. After a failure Load searches
// again.
//
// A process that runs with more rights than the user who started it ignores the environment
// variables, which that user controls.
//
// An open library is never closed; asking for another path then returns [ErrAlreadyLoaded].
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
				"load %s from %q: %w: %s is in use and can't be replaced; load it before the first call",
				l.Name, paths, ErrAlreadyLoaded, l.path)
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
	l.state, l.table, l.path, l.failed, l.told = unopened, nil, "", nil, ""
}

// Path returns the path or name that the open library was opened by, or "" while none is open.
func (l *Library) Path() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.path
}

// Generation changes whenever another library or table comes into use: handles of the previous one
// are then invalid. It costs one atomic load.
func (l *Library) Generation() uint64 { return l.generation.Load() }

// Has reports whether the library has the symbol. It opens the library if needed.
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

// Install replaces the library by a symbol table until the returned function is called. With a nil
// table the library is not open, and the next use searches. It is for tests; calls that are running
// keep the addresses they have.
func (l *Library) Install(path string, t Table) (restore func()) {
	return l.InstallAs(path, "", t)
}

// InstallAs is Install with the version of the library, which is then not asked for; "" asks.
func (l *Library) InstallAs(path, version string, t Table) (restore func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := struct {
		state  state
		table  Table
		path   string
		failed error
		told   string
	}{l.state, l.table, l.path, l.failed, l.told}
	l.reset()
	l.generation.Add(1)
	if t != nil && ccall.Supported { // without a way to call C, no symbol is found
		l.state, l.table, l.path, l.told = open, t, path, version
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.reset()
		l.generation.Add(1)
		l.state, l.table, l.path, l.failed = was.state, was.table, was.path, was.failed
		l.told = was.told
	}
}
