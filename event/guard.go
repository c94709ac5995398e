package event

import "sync/atomic"

// guard keeps a native handle alive while calls use it, and has it destroyed exactly once: by close if nothing uses it, else by
// the last user. A use is two atomic additions and no lock, so that a call that blocks keeps no other out.
type guard struct {
	state   atomic.Int64 // the number of users, and the two bits below
	destroy func() error // destroys the handle; set before the first use
	late    func(error)  // takes destroy's error where no Close is there to return it
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

// leave ends a use. The last one after close destroys the handle.
func (g *guard) leave() {
	if g.state.Add(-1) == guardClosed && g.claim() {
		if err := g.destroy(); err != nil {
			g.late(err)
		}
	}
}

// close forbids new uses and destroys the handle, now if nothing uses it. Only the first call does anything.
func (g *guard) close() (first bool, err error) {
	for {
		s := g.state.Load()
		if s&guardClosed != 0 {
			return false, nil
		}
		if g.state.CompareAndSwap(s, s|guardClosed) {
			if s == 0 && g.claim() {
				err = g.destroy()
			}
			return true, err
		}
	}
}

// claim is true for one caller only, and only while nothing uses the handle.
func (g *guard) claim() bool {
	return g.state.CompareAndSwap(guardClosed, guardClosed|guardClaimed)
}

// closed tells whether close was called.
func (g *guard) closed() bool { return g.state.Load()&guardClosed != 0 }
