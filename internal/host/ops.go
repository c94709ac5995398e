package host

import "time"

type opKind uint8

const (
	opDo     opKind = iota // run fn
	opRecord               // complete rec
	opWait                 // wait for rec; fail if it failed
	opOrder                // wait for rec, even if it fails
	opDelay                // wait for d
)

// op is one operation of a queue.
type op struct {
	kind       opKind
	subscribed bool // wait: rec will wake the queue
	gate       bool // wait: rec is a gate's, which a capture may wait for
	fn         func() error
	rec        *record
	d          time.Duration
}

func (o *op) waits() bool { return o.kind == opWait || o.kind == opOrder }

// opRing is a first-in-first-out list that keeps its memory, unless it was exceptionally long.
type opRing struct {
	buf  []op // a power of two long
	head int
	n    int
}

const keepOps = 1024

func (r *opRing) push(o op) {
	if r.n == len(r.buf) {
		grown := make([]op, max(8, 2*len(r.buf)))
		for i := range r.n {
			grown[i] = *r.at(i)
		}
		r.buf, r.head = grown, 0
	}
	r.n++
	*r.at(r.n - 1) = o
}

func (r *opRing) at(i int) *op { return &r.buf[(r.head+i)&(len(r.buf)-1)] }

func (r *opRing) front() *op {
	if r.n == 0 {
		return nil
	}
	return r.at(0)
}

func (r *opRing) back() *op {
	if r.n == 0 {
		return nil
	}
	return r.at(r.n - 1)
}

func (r *opRing) pop() op {
	p := r.at(0)
	o := *p
	*p = op{}
	r.head = (r.head + 1) & (len(r.buf) - 1)
	r.n--
	if r.n == 0 && len(r.buf) > keepOps {
		*r = opRing{}
	}
	return o
}
