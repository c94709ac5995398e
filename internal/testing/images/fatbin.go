package images

import (
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/internal/image"
)

// Fatbin makes a CUDA fatbin of PTX texts and cubins, as fatbinary does without compression.
func Fatbin(parts ...Part) []byte { return fatbin(0, parts) }

// FatbinLZ4 makes a fatbin with its parts in LZ4's format. They are no smaller: there are no
// copies.
func FatbinLZ4(parts ...Part) []byte { return fatbin(0x2000, parts) }

// FatbinZstd makes a fatbin whose parts say that zstd compressed them.
func FatbinZstd(parts ...Part) []byte { return fatbin(0x8000, parts) }

func fatbin(compression uint64, parts []Part) []byte {
	var body []byte
	for _, p := range parts {
		data, whole := p.Data, len(p.Data)
		switch compression {
		case 0x2000:
			data = literals(data)
		case 0x8000:
			data = append([]byte("\x28\xb5\x2f\xfd"), data...)
		}
		body = append(body, fatHeader(p, compression, len(data), whole)...)
		body = append(body, data...)
		body = append(body, make([]byte, -len(data)&7)...)
	}
	b := le.AppendUint32(nil, 0xba55ed50)
	b = le.AppendUint16(b, 1)
	b = le.AppendUint16(b, 16)
	b = le.AppendUint64(b, uint64(len(body)))
	return append(b, body...)
}

func fatHeader(p Part, compression uint64, stored, whole int) []byte {
	number := strings.TrimPrefix(strings.TrimPrefix(p.Target, "compute_"), "sm_")
	arch, err := strconv.Atoi(strings.TrimRight(number, "af"))
	if err != nil {
		panic("images: no such target: " + p.Target)
	}
	flags := 0x11 | compression // 64 bits, Linux
	switch number[len(number)-1] {
	case 'a':
		flags |= 0x100000
	case 'f':
		flags |= 0x200000
	}
	h := make([]byte, 64)
	kind, major, minor := uint16(2), uint16(1), uint16(7)
	if im, err := image.Read(p.Data); err == nil && im.Kind == image.PTX {
		kind, major, minor = 1, uint16(im.PTXVersion.Major), uint16(im.PTXVersion.Minor)
	}
	le.PutUint16(h, kind)
	le.PutUint16(h[2:], 0x101)
	le.PutUint32(h[4:], 64)
	le.PutUint64(h[8:], uint64((stored+7)&^7))
	le.PutUint16(h[24:], minor)
	le.PutUint16(h[26:], major)
	le.PutUint32(h[28:], uint32(arch))
	le.PutUint64(h[40:], flags)
	if compression != 0 {
		le.PutUint32(h[16:], uint32(stored))
		le.PutUint64(h[56:], uint64(whole))
	}
	return h
}

// literals is a block of LZ4 with one sequence of literal bytes.
func literals(b []byte) []byte {
	n := len(b)
	if n < 15 {
		return append([]byte{byte(n << 4)}, b...)
	}
	out := []byte{0xf0}
	for n -= 15; n >= 255; n -= 255 {
		out = append(out, 255)
	}
	return append(append(out, byte(n)), b...)
}
