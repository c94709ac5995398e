package backend

import (
	"slices"
	"sort"
	"sync"
	"unsafe"
)

// ranges is memory found by an address within it. The zero value has none.
type ranges struct {
	mu    sync.Mutex
	first []uintptr // of each, in order
	bytes [][]byte  // this keeps the memory alive
}

func (r *ranges) add(b []byte) uintptr {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	r.mu.Lock()
	defer r.mu.Unlock()
	i := sort.Search(len(r.first), func(i int) bool { return r.first[i] > at })
	r.first = slices.Insert(r.first, i, at)
	r.bytes = slices.Insert(r.bytes, i, b)
	return at
}

// remove forgets the memory that begins at an address, and reports whether there was some.
func (r *ranges) remove(at uintptr) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := sort.Search(len(r.first), func(i int) bool { return r.first[i] >= at })
	if i == len(r.first) || r.first[i] != at {
		return false
	}
	r.first = slices.Delete(r.first, i, i+1)
	r.bytes = slices.Delete(r.bytes, i, i+1)
	return true
}

// find returns memory; nil if it does not lie in one piece that was added.
func (r *ranges) find(at, bytes uintptr) []byte {
	b := r.rest(at)
	if b == nil || bytes > uintptr(len(b)) {
		return nil
	}
	return b[:bytes:bytes]
}

// rest returns the memory from an address to the end of its piece; nil if there is none.
func (r *ranges) rest(at uintptr) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := sort.Search(len(r.first), func(i int) bool { return r.first[i] > at }) - 1
	if i < 0 {
		return nil
	}
	skip, b := at-r.first[i], r.bytes[i]
	if skip > uintptr(len(b)) {
		return nil
	}
	return b[skip:]
}
