package event

import (
	"fmt"
	"sync/atomic"
)

// guard keeps a native handle alive while calls use it, and has it destroyed exactly once: by close if nothing uses it, else by
// the last user. A use is two atomic additions and no lock, so that a call that blocks keeps no other out.
type guard struct {
	state atomic.Uint64 // two bits, the number of users, and how often it was entered
	owner guarded       // set before the first use
}

// guarded is what a guard guards: a native object with its handle.
type guarded interface {
	fmt.Stringer
	destroy() error
	relax() (restore func())
}

const (
	guardClosed  = 1 << 0 // no new users
	guardClaimed = 1 << 1 // somebody destroys the handle
	guardUser    = 1 << 2
	guardUsers   = 1<<guardCount - guardUser
	guardCount   = 26 // the number of entries is above; it may overflow
)

// enter begins a use; false means closed, and there is nothing to leave.
func (g *guard) enter() bool {
	_, ok := g.enterCounted()
	return ok
}

// enterCounted is enter; it tells how many uses began before, too: what two calls get is in their order.
func (g *guard) enterCounted() (uint64, bool) {
	s := g.state.Add(guardUser + 1<<guardCount)
	if s&guardClosed != 0 {
		g.leave()
		return 0, false
	}
	return s >> guardCount, true
}

// leave ends a use. The last one after close destroys the handle.
func (g *guard) leave() {
	if disposable(g.state.Add(^uint64(guardUser - 1))) {
		g.last()
	}
}

// last destroys the handle after the last use; nobody is there any more to return an error to.
func (g *guard) last() { g.report(g.dispose()) }

// disposable tells whether it is shut, nothing uses it, and nobody destroys it.
func disposable(s uint64) bool { return s&(guardClosed|guardClaimed|guardUsers) == guardClosed }

// shut forbids new uses. Only the first call is true; it must be followed by dispose.
func (g *guard) shut() (first bool) {
	for {
		s := g.state.Load()
		if s&guardClosed != 0 {
			return false
		}
		if g.state.CompareAndSwap(s, s|guardClosed) {
			return true
		}
	}
}

// dispose destroys the handle if it is shut, nothing uses it, and nobody did so before.
func (g *guard) dispose() error {
	for {
		s := g.state.Load()
		if !disposable(s) {
			return nil
		}
		if g.state.CompareAndSwap(s, s|guardClaimed) {
			break
		}
	}
	return g.owner.destroy()
}

// close is shut and dispose.
func (g *guard) close() error {
	if !g.shut() {
		return nil
	}
	return g.dispose()
}

// drop is close where no error can be returned.
func (g *guard) drop() { g.report(g.close()) }

// dropAside is drop on a goroutine of its own: for handles that may be in use on the device, for which AMD's driver waits.
func (g *guard) dropAside() {
	aside.Add(1)
	go func() {
		defer aside.Add(-1)
		g.drop()
	}()
}

// aside counts the goroutines of dropAside.
var aside atomic.Int64

func (g *guard) report(err error) {
	if err != nil {
		reportLate(fmt.Errorf("destroy %v: %w", g.owner, err))
	}
}

// closed tells whether it was shut.
func (g *guard) closed() bool { return g.state.Load()&guardClosed != 0 }
