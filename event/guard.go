package event

import (
	"fmt"
	"sync/atomic"
)

// guard keeps a native handle alive while calls use it, and has it destroyed exactly once: by close if nothing uses it, else by
// the last user. A use is two atomic additions and no lock, so that a call that blocks keeps no other out.
type guard struct {
	state atomic.Int64 // the number of users, and the two bits below
	owner guarded      // set before the first use
}

// guarded is what a guard guards: a native object with its handle.
type guarded interface {
	fmt.Stringer
	destroy() error
	relax() (restore func())
}

const (
	guardClosed  = 1 << 62 // no new users
	guardClaimed = 1 << 61 // somebody destroys the handle
)

// enter begins a use; false means closed, and there is nothing to leave.
func (g *guard) enter() bool {
	if g.state.Add(1)&guardClosed == 0 {
		return true
	}
	g.leave()
	return false
}

// leave ends a use. The last one after close destroys the handle; nobody is there any more to return an error to.
func (g *guard) leave() {
	if g.state.Add(-1) == guardClosed {
		g.report(g.dispose())
	}
}

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
	if !g.state.CompareAndSwap(guardClosed, guardClosed|guardClaimed) {
		return nil
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

func (g *guard) report(err error) {
	if err != nil {
		reportLate(fmt.Errorf("destroy %v: %w", g.owner, err))
	}
}

// closed tells whether it was shut.
func (g *guard) closed() bool { return g.state.Load()&guardClosed != 0 }
