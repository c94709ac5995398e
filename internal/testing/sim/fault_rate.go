package sim

import (
	"hash/fnv"
	"slices"
)

// faultRate makes calls fail at random, the same calls for the same seed.
type faultRate struct {
	limit  uint64 // of the numbers below which a call fails
	code   code
	seed   uint64
	except []string
}

// FaultRate makes calls of both APIs fail with the code at a rate of 0 to 1, except for the
// functions in except. Which calls fail depends only on the seed, on the function, and on how often
// it was called. A destroying function still does its work if the code reports earlier work, as
// with [Machine.FaultAt]. A rate of 0 ends it.
func (m *Machine) FaultRate(rate float64, c int32, seed int64, except ...string) {
	for _, name := range except {
		m.function(name)
	}
	if rate <= 0 {
		m.rate.Store(nil)
		return
	}
	limit := ^uint64(0)
	if rate < 1 {
		limit = uint64(rate * (1 << 63) * 2)
	}
	m.rate.Store(&faultRate{limit, code(c), uint64(seed), slices.Clone(except)})
}

// FaultCount returns the number of calls that [Machine.FaultRate] made fail.
func (m *Machine) FaultCount() int { return int(m.faults.Load()) }

func (r *faultRate) apply(e *entry) {
	chosen := mix(r.seed^e.fn.hash+e.call) <= r.limit
	if !chosen || e.forced || e.fn.text || slices.Contains(r.except, e.fn.name) {
		return
	}
	e.face.m.faults.Add(1)
	e.fail(r.code)
}

// fail sets the call's result. As with real drivers, a failure of earlier work that a destroy
// reports does not keep the object alive.
func (e *entry) fail(c code) {
	e.forced, e.answer = true, c
	e.run = e.run && (c == success || e.fn.traits&destroys != 0 && c.asynchronous())
}

// mix spreads a number over all of 64 bits.
func mix(x uint64) uint64 {
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

func hashOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64()
}
