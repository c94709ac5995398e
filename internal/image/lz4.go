package image

import "encoding/binary"

// unLZ4 decompresses a block of LZ4 to as many bytes as it is known to have, and reports whether it
// has them. Format: "LZ4 Block Format Description" of the LZ4 project. A block is a row of
// sequences: literal bytes, then a copy of bytes that came before.
func unLZ4(b []byte, size int) ([]byte, bool) {
	out := make([]byte, 0, size)
	for len(b) > 0 {
		token := b[0]
		b = b[1:]
		n, rest, ok := lz4Length(b, int(token>>4))
		if !ok || n > len(rest) || n > size-len(out) {
			return nil, false
		}
		out, b = append(out, rest[:n]...), rest[n:]
		if len(b) == 0 { // the last sequence has literals only
			break
		}
		if len(b) < 2 {
			return nil, false
		}
		distance := int(binary.LittleEndian.Uint16(b))
		n, b, ok = lz4Length(b[2:], int(token&15))
		n += 4
		if !ok || distance == 0 || distance > len(out) || n > size-len(out) {
			return nil, false
		}
		for n > 0 { // the copy may run into what it writes
			part := out[len(out)-distance:]
			part = part[:min(n, len(part))]
			out = append(out, part...)
			n -= len(part)
		}
	}
	return out, len(out) == size
}

// lz4Length completes a length of four bits: 15 goes on in the bytes that follow, while they are
// 255.
func lz4Length(b []byte, n int) (int, []byte, bool) {
	if n < 15 {
		return n, b, true
	}
	for i, c := range b {
		n += int(c)
		if c != 255 {
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}
