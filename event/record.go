package event

import "sync/atomic"

// record is the identity of one record of an event: its generation number, which counts from 1, and what kind it was.
type record uint64

type recordKind uint64

const (
	plain     recordKind = iota
	inCapture            // an edge of a graph: the driver must not be asked about it
	inGraph              // an external record: runs with every launch of a graph, which this package does not see
	foreign              // not ours: an imported or wrapped event; whether it was recorded is not known
	kindBits  = 2
	// generationShift leaves room for the bits of a recordLock.
	generationShift = kindBits + 2
)

func newRecord(generation uint64, k recordKind) record {
	return record(generation<<generationShift | uint64(k))
}

func (r record) generation() uint64 { return uint64(r) >> generationShift }
func (r record) kind() recordKind   { return recordKind(r & (1<<kindBits - 1)) }
func (r record) unrecorded() bool   { return r == 0 }
func (r record) captured() bool     { return r != 0 && r.kind() == inCapture }

// settles tells whether a record, once done, stays done: what other processes or graphs record can become pending again.
func (r record) settles() bool { return r.kind() == plain }

type atomicRecord struct{ v atomic.Uint64 }

func (a *atomicRecord) Load() record   { return record(a.v.Load()) }
func (a *atomicRecord) Store(r record) { a.v.Store(uint64(r)) }
