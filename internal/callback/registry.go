package callback

import (
	"sync"
	"sync/atomic"
)

// Life is how long a registration lives.
type Life int

const (
	// Once ends a registration as its callback begins to run, or by [Release].
	Once Life = iota
	// Held keeps a registration until [Release].
	Held
)

type entry struct {
	fn   any
	life Life
}

var (
	registry sync.Map // uintptr -> entry
	last     atomic.Uintptr
)

// Add registers fn and returns the word that C passes as user data, which is never 0.
func Add(fn any, life Life) uintptr {
	key := last.Add(1)
	registry.Store(key, entry{fn, life})
	return key
}

// Release ends a registration. It does nothing if the registration has ended already, or for 0.
func Release(key uintptr) { registry.Delete(key) }

// take finds the closure of a word and ends a registration of life [Once].
func take(key uintptr) (any, bool) {
	v, ok := registry.Load(key)
	if !ok {
		return nil, false
	}
	if e := v.(entry); e.life == Held {
		return e.fn, true
	}
	if v, ok = registry.LoadAndDelete(key); !ok {
		return nil, false // another thread took it first
	}
	return v.(entry).fn, true
}
