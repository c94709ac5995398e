package sim

import (
	"encoding/binary"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/image"
)

// sectionNoBits is the kind of a section that has no bytes in the file.
const sectionNoBits = 8

// longestImage bounds what a damaged image makes the simulator read.
const longestImage = 256 << 20

// readImage copies the image at an address. Nothing tells its length but itself.
func readImage(at *byte) []byte {
	const head = 64 // as long as the longest header
	switch start := readMemory(at, head); image.KindOf(start) {
	case image.Cubin, image.CodeObject:
		return readMemory(at, elfLength(at, start))
	case image.Fatbin:
		return readMemory(at, fatbinLength(start))
	case image.Bundle:
		return readMemory(at, bundleLength(at))
	case image.CompressedBundle:
		return readMemory(at, compressedLength(start))
	}
	// A text, or what it is can be told from its start. KindOf wants to see the first word of a text,
	// which can stand behind long comments.
	return readText(at, longestImage)
}

// elfLength is the end of the last section or of a table: NVRTC puts that of the segments last.
func elfLength(at *byte, head []byte) int {
	if len(head) < 64 {
		return len(head)
	}
	le := binary.LittleEndian
	table, each, n := le.Uint64(head[40:]), uint64(le.Uint16(head[58:])), uint64(le.Uint16(head[60:]))
	segments := uint64(le.Uint16(head[54:])) * uint64(le.Uint16(head[56:]))
	end := max(bounded(table, each*n), bounded(le.Uint64(head[32:]), segments))
	sections := readAt(at, table, each*n)
	for i := uint64(0); i+1 <= n && each >= 64 && (i+1)*each <= uint64(len(sections)); i++ {
		s := sections[i*each:]
		if le.Uint32(s[4:]) != sectionNoBits {
			end = max(end, bounded(le.Uint64(s[24:]), le.Uint64(s[32:])))
		}
	}
	return max(end, 64)
}

func fatbinLength(head []byte) int {
	if len(head) < 16 {
		return len(head)
	}
	le := binary.LittleEndian
	return bounded(uint64(le.Uint16(head[6:])), le.Uint64(head[8:]))
}

func bundleLength(at *byte) int {
	const magic = 24
	le := binary.LittleEndian
	place, end := uint64(magic+8), magic+8
	head := readAt(at, magic, 8)
	if len(head) < 8 {
		return end
	}
	for n := min(le.Uint64(head), 1<<10); n > 0; n-- {
		e := readAt(at, place, 24)
		if len(e) < 24 {
			break
		}
		name := min(le.Uint64(e[16:]), 1<<10)
		place += 24 + name
		end = max(end, bounded(le.Uint64(e), le.Uint64(e[8:])), int(place))
	}
	return end
}

// compressedLength is the size that the header has, of its second and third version.
func compressedLength(head []byte) int {
	if len(head) < 16 {
		return len(head)
	}
	le := binary.LittleEndian
	if le.Uint16(head[4:]) >= 3 {
		return bounded(0, le.Uint64(head[8:]))
	}
	return bounded(0, uint64(le.Uint32(head[8:])))
}

// bounded returns the sum of a place and a size; 0 if no image is that long.
func bounded(place, size uint64) int {
	if place > longestImage || size > longestImage-place {
		return 0
	}
	return int(place + size)
}

// readAt copies a part of an image.
//
//go:nocheckptr
func readAt(at *byte, place, size uint64) []byte {
	if place > longestImage || size > longestImage {
		return nil
	}
	return readMemory((*byte)(unsafe.Pointer(uintptr(unsafe.Pointer(at))+uintptr(place))), int(size))
}
