package fake

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gpuevent/gpuevent/internal/dl"
)

// Library is a vendor library made of Go functions. Symbols without a function of their own share
// one, which returns the code set by [Library.Answer].
type Library struct {
	name string
	code atomic.Int32

	mu     sync.Mutex
	plain  *slot
	addr   map[string]uintptr
	own    map[string]*slot
	calls  []Call
	hits   int
	closed bool
}

// Call is one call of a symbol that has a function of its own.
type Call struct {
	Symbol string
	Args   Args
}

// New returns a library that messages call name, with symbols that all return success.
func New(name string, symbols ...string) *Library {
	l := &Library{name: name, addr: map[string]uintptr{}, own: map[string]*slot{}}
	l.plain = takeSlot(&bound{lib: l})
	for _, s := range symbols {
		l.addr[s] = l.plain.addr
	}
	return l
}

// Answer sets what the symbols without a function of their own return.
func (l *Library) Answer(code int32) { l.code.Store(code) }

// Handle gives a symbol a function of its own, which may run on any thread and at the same time as
// others.
func (l *Library) Handle(symbol string, f func(Args) int32) {
	s := takeSlot(&bound{l, symbol, f})
	l.mu.Lock()
	defer l.mu.Unlock()
	if old := l.own[symbol]; old != nil {
		giveSlot(old)
	}
	l.own[symbol], l.addr[symbol] = s, s.addr
}

// Address gives a symbol the address of a C function from elsewhere.
func (l *Library) Address(symbol string, addr uintptr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.addr[symbol] = addr
}

// Drop takes symbols away. Once the library is installed, addresses that were looked up stay.
func (l *Library) Drop(symbols ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range symbols {
		delete(l.addr, s)
	}
}

// Symbols are the names that the library has, sorted.
func (l *Library) Symbols() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	names := make([]string, 0, len(l.addr))
	for s := range l.addr {
		names = append(names, s)
	}
	slices.Sort(names)
	return names
}

// Table looks a symbol up, for [dl.Library.Install].
func (l *Library) Table() dl.Table {
	return func(symbol string) uintptr {
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.addr[symbol]
	}
}

// called runs a call from C.
func (l *Library) called(b *bound, a Args) int32 {
	l.mu.Lock()
	if b.f == nil {
		l.hits++
	} else {
		l.calls = append(l.calls, Call{b.symbol, a})
	}
	l.mu.Unlock()
	if b.f == nil {
		return l.code.Load()
	}
	return b.f(a)
}

// Calls are the calls so far of symbols that have functions of their own.
func (l *Library) Calls() []Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.calls)
}

// Hits counts the calls so far of symbols without functions of their own.
func (l *Library) Hits() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.hits
}

// Close gives the C functions back, for other libraries to use. C must not call them any more.
func (l *Library) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	giveSlot(l.plain)
	for _, s := range l.own {
		giveSlot(s)
	}
}

// Install makes the library serve an API until the test ends, and closes it then. Other tests that
// want the API wait.
func (l *Library) Install(t testing.TB, api *dl.Library) *Library {
	release := hold(api)
	restore := api.Install(l.name, l.Table())
	t.Cleanup(func() {
		restore()
		l.Close()
		release()
	})
	return l
}
