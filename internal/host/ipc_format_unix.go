//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"encoding/binary"
	"fmt"
)

// format makes fresh memory a segment.
func (s *segment) format(creator uint64) {
	copy(s.mem[offID:], s.id[:])
	s.word(offCreator).Store(creator)
	s.word(offVersion).Store(segVersion)
	s.word(offMagic).Store(segMagic)
}

// check makes sure that the memory is the segment with our id.
func (s *segment) check() error {
	if len(s.mem) != segSize || s.word(offMagic).Load() != segMagic || s.word(offVersion).Load() != segVersion || segmentID(s.mem[offID:offID+16]) != s.id {
		return fmt.Errorf("%w: %w", ErrIPCDescriptor, ErrIPCSegment)
	}
	return nil
}

// creatorOf reads who made a segment from the beginning of its file.
func creatorOf(head []byte) (uint64, bool) {
	if len(head) < offSeq || binary.NativeEndian.Uint64(head[offMagic:]) != segMagic {
		return 0, false
	}
	return binary.NativeEndian.Uint64(head[offCreator:]), true
}
