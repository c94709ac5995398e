package host

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// segment is the memory that the users of one shared event have in common.
//
// Records are numbered from 1. Record n owns slot n mod slots, one word that holds the number, the user that made the record and its state, so
// that a record becomes visible together with its maker. A slot is taken over only from a complete record. The word seq is
// the newest number; it is raised after the slot is taken, by whoever finds it too low, so that a process may end at any instruction.
type segment struct {
	mem []byte
	id  segmentID
	dir string
}

const (
	segMagic   = 0x676d656e74457667
	segVersion = 1
	segSize    = 8192
	segOwners  = 48

	offMagic     = 0
	offVersion   = 8
	offID        = 16
	offCreator   = 32 // who made the segment
	offSeq       = 40
	offFirstFail = 48 // the oldest record that failed, 0 if none
	offOwners    = 64 // one word for each user: its owner's number, 0 if free
	offSlots     = 512
	segSlots     = (segSize - offSlots) / 8
)

// States in a slot.
const (
	slotPending = 1 + iota
	slotDone
	slotFailed
	slotDied
)

func slotWord(seq uint64, user, state int) uint64 {
	return seq<<16 | uint64(user)<<8 | uint64(state)
}

func slotParts(w uint64) (seq uint64, user, state int) {
	return w >> 16, int(w >> 8 & 0xff), int(w & 0xff)
}

func (s *segment) word(off int) *atomic.Uint64 { return (*atomic.Uint64)(unsafe.Pointer(&s.mem[off])) }

func (s *segment) slot(seq uint64) *atomic.Uint64 {
	return s.word(offSlots + 8*int(seq%uint64(segSlots)))
}

func (s *segment) user(i int) *atomic.Uint64 { return s.word(offOwners + 8*i) }

// enter makes owner a user of the segment.
func (s *segment) enter(owner uint64) (user int, err error) {
	defer runtime.KeepAlive(s)
	for range 2 {
		for i := range segOwners {
			if s.user(i).CompareAndSwap(0, owner) {
				return i, nil
			}
		}
		for i := range segOwners { // make room: the dead complete nothing any more
			if id := s.user(i).Load(); id != 0 && !ownerAlive(s.dir, id) {
				for j := range segSlots {
					slot := s.word(offSlots + 8*j)
					if w := slot.Load(); w != 0 {
						if seq, user, state := slotParts(w); user == i && state == slotPending {
							s.finish(seq, i, slotDied)
						}
					}
				}
				s.user(i).CompareAndSwap(id, 0)
			}
		}
	}
	return 0, ErrIPCPeers
}

// leave frees the user's place. The user has no pending record.
func (s *segment) leave(user int, owner uint64) {
	s.user(user).CompareAndSwap(owner, 0)
	runtime.KeepAlive(s)
}

// seq is the number of the newest record.
func (s *segment) seq() uint64 {
	defer runtime.KeepAlive(s)
	return s.word(offSeq).Load()
}

// begin makes the next record, pending or done.
func (s *segment) begin(user, as int) (uint64, error) {
	defer runtime.KeepAlive(s)
	newest := s.word(offSeq)
	for {
		old := newest.Load()
		seq := old + 1
		slot := s.slot(seq)
		w := slot.Load()
		before, who, state := slotParts(w)
		switch {
		case before >= seq: // taken by another, who has not raised seq yet
			newest.CompareAndSwap(old, seq)
		case state == slotPending && !ownerAlive(s.dir, s.user(who).Load()):
			s.finish(before, who, slotDied)
		case state == slotPending:
			return 0, ErrIPCBusy
		case slot.CompareAndSwap(w, slotWord(seq, user, as)):
			newest.CompareAndSwap(old, seq)
			return seq, nil
		}
	}
}

// finish completes a pending record. The first completion wins.
func (s *segment) finish(seq uint64, user, state int) {
	defer runtime.KeepAlive(s)
	if state != slotDone {
		for first := s.word(offFirstFail); ; {
			f := first.Load()
			if f != 0 && f <= seq || first.CompareAndSwap(f, seq) {
				break
			}
		}
	}
	s.slot(seq).CompareAndSwap(slotWord(seq, user, slotPending), slotWord(seq, user, state))
}

// status is the state of a record made by anybody.
func (s *segment) status(seq uint64) (done bool, err error) {
	defer runtime.KeepAlive(s)
	for {
		now, user, state := slotParts(s.slot(seq).Load())
		switch {
		case now > seq: // complete, and so long ago that its slot has another record
			if f := s.word(offFirstFail).Load(); f != 0 && f <= seq {
				return true, ErrPeerFailed
			}
			return true, nil
		case state == slotDone:
			return true, nil
		case state == slotFailed:
			return true, ErrPeerFailed
		case state == slotDied:
			return true, ErrPeerDied
		case ownerAlive(s.dir, s.user(user).Load()):
			return false, nil
		}
		s.finish(seq, user, slotDied)
	}
}
