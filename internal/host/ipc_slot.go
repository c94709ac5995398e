package host

// A slot is one word that holds a record's number, the process that made it and its state, so that
// a record becomes visible together with its maker. Every ring has a multiple of eight slots, so
// the last three bits of a number follow from the place of its slot. Zero is a slot that was never
// used.

// States in a slot.
const (
	slotPending = iota
	slotDone
	slotFailed
	slotDied
)

const (
	stateBits = 2
	tokenBits = 22
	lowBits   = 3 // of a number, not in the word

	maxToken = 1<<tokenBits - 1
	maxSeq   = 1<<(64-stateBits-tokenBits+lowBits) - 1
)

func slotWord(seq uint64, token uint32, state int) uint64 {
	return seq>>lowBits<<(stateBits+tokenBits) | uint64(token)<<stateBits | uint64(state)
}

// slotParts splits a word into its parts; i is the place of its slot.
func slotParts(w uint64, i int) (seq uint64, token uint32, state int) {
	seq = w>>(stateBits+tokenBits)<<lowBits | uint64(i&(1<<lowBits-1))
	return seq, uint32(w >> stateBits & maxToken), int(w & (1<<stateBits - 1))
}

// head is the state of an event in one word: the number of its newest record, the ring where the
// next one goes, and whether the exporter has closed the event.
type head uint64

const (
	headRing   = 64 - stateBits - tokenBits + lowBits // first bit of the ring
	headClosed = head(1) << 63
)

func (h head) seq() uint64  { return uint64(h) & maxSeq }
func (h head) ring() int    { return int(h >> headRing & (rings - 1)) }
func (h head) closed() bool { return h&headClosed != 0 }
func (h head) next() head   { return h + 1 }
func (h head) grown() head  { return h + 1<<headRing }
