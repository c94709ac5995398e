package native

import "sync/atomic"

// uses counts the uses of a native stream or event. A call begins a use with Retain and ends it
// with drop. The owner forbids new uses with shut. The object is destroyed once, by the goroutine
// to which shut or drop returned true, if claim returns true as well. A use takes no lock, so a
// call that blocks delays no other.
type uses struct{ state atomic.Uint32 }

const (
	usesClosed    = 1 << iota // no new uses
	usesDisposing             // one goroutine is about to destroy the object
	usesClaimed               // it is being destroyed
	oneUse
	flagsOfUses = oneUse - 1
)

// Retain begins a use. It returns false if the object is closed.
func (u *uses) Retain() bool { return u.retainUnless(usesClosed) }

// Pin is Retain for callers that got the object while it was open. It returns false only if the
// object is being destroyed.
func (u *uses) Pin() bool { return u.retainUnless(usesClaimed) }

func (u *uses) retainUnless(flag uint32) bool {
	for {
		s := u.state.Load()
		if s&flag != 0 {
			return false
		}
		if u.state.CompareAndSwap(s, s+oneUse) {
			return true
		}
	}
}

// drop ends a use. It returns true if the object is closed and that was the last use: then the
// caller disposes of the object.
func (u *uses) drop() (last bool) {
	return u.state.Add(^uint32(oneUse-1)) == usesClosed &&
		u.state.CompareAndSwap(usesClosed, usesClosed|usesDisposing)
}

// shut forbids new uses. It returns true to the first caller, which disposes of the object.
func (u *uses) shut() (first bool) {
	for {
		s := u.state.Load()
		if s&usesClosed != 0 {
			return false
		}
		if u.state.CompareAndSwap(s, s|usesClosed|usesDisposing) {
			return true
		}
	}
}

// claim makes the caller, which disposes of the object, the one to destroy it. If the object is in
// use, claim returns false, and the last user disposes of it.
func (u *uses) claim() bool {
	for {
		s := u.state.Load()
		if s > flagsOfUses {
			if u.state.CompareAndSwap(s, s&^usesDisposing) {
				return false
			}
		} else if u.state.CompareAndSwap(s, s|usesClaimed) {
			return true
		}
	}
}

// Closed reports whether the object is closed.
func (u *uses) Closed() bool { return u.state.Load()&usesClosed != 0 }

// count returns the number of uses.
func (u *uses) count() int32 { return int32(u.state.Load() / oneUse) }

// InUse reports whether a call uses the object or it is pinned.
func (u *uses) InUse() bool { return u.count() != 0 }
