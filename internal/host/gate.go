package host

// Gate is a point that the program completes itself: it holds queues back until it is opened. It
// can be a host value that a queue waits for, and stand for something that completes elsewhere.
type Gate struct{ rec *record }

// NewGate returns a closed gate.
func NewGate() *Gate { return &Gate{newRecord()} }

// Open opens the gate. When it returns, everything that waited has gone on, except functions, which
// run on goroutines of their own. Opening again does nothing. It reports whether this call was the
// first.
func (g *Gate) Open() bool { return g.complete(nil) }

// Fail ends the waits with an error: queues that wait at the gate fail.
func (g *Gate) Fail(err error) bool {
	if err == nil {
		err = ErrDeviceFailed
	}
	return g.complete(err)
}

func (g *Gate) complete(err error) bool {
	var w wake
	ok := g.rec.complete(0, err, &w)
	w.flush()
	return ok
}

// Point returns the opening of the gate.
func (g *Gate) Point() Point { return Point{g.rec} }
