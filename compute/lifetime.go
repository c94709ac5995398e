package compute

import "sync/atomic"

// lifetime decides when an object of the driver may end: once it is closed, and no call and no
// graph uses it. Each of these retains the object. Whichever comes last, the close or a release,
// ends it, after the work of the streams that it was used on. So no caller waits for a call that
// hangs in the driver.
type lifetime struct {
	state atomic.Int64 // 2 for each use, and 1 once closed
	users users        // the streams that it was used on
}

// retain begins a use, which release ends. It returns false if the object is closed.
func (l *lifetime) retain() bool {
	for {
		old := l.state.Load()
		if old&1 != 0 {
			return false
		}
		if l.state.CompareAndSwap(old, old+2) {
			return true
		}
	}
}

// retainAgain begins a further use during another one, even if the object was closed meanwhile.
func (l *lifetime) retainAgain() { l.state.Add(2) }

// release ends a use. If it returns true, the object is closed and the caller must end it.
func (l *lifetime) release() (last bool) { return l.state.Add(-2) == 1 }

// close refuses uses from now on. If it returns true, there is no use and the caller must end the
// object. Later calls return false.
func (l *lifetime) close() (last bool) { return l.state.Or(1) == 0 }

func (l *lifetime) isClosed() bool { return l.state.Load()&1 != 0 }

// life implements [keptObject] for the objects that embed a lifetime.
func (l *lifetime) life() *lifetime { return l }
