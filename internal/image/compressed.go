package image

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
)

// expansion is how many times larger than its bytes a compressed image may be and still be read.
const expansion = 64

// Ways of compression in a compressed bundle.
const (
	byZlib = 0
	byZstd = 1
)

const newer = "which is newer than this package"

// readCompressed reads the header of a compressed bundle and, if zlib compressed it, the bundle.
// Version 1 has no size of the file; version 3 has sizes of 64 bits.
func (im *Image) readCompressed(b []byte) error {
	le := binary.LittleEndian
	if len(b) < 8 {
		return truncated("%d bytes are no header", len(b))
	}
	version, method := le.Uint16(b[4:]), le.Uint16(b[6:])
	headers := map[uint16]int{1: 20, 2: 24, 3: 32}
	header, ok := headers[version]
	if !ok {
		im.Unread = fmt.Sprintf("it is a compressed bundle of version %d, %s", version, newer)
		return nil
	}
	if len(b) < header {
		return truncated("%d bytes are no header", len(b))
	}
	file, whole := uint64(len(b)), uint64(0)
	switch version {
	case 1:
		whole = uint64(le.Uint32(b[8:]))
	case 2:
		file, whole = uint64(le.Uint32(b[8:])), uint64(le.Uint32(b[12:]))
	case 3:
		file, whole = le.Uint64(b[8:]), le.Uint64(b[16:])
	}
	switch {
	case file > uint64(len(b)) || file < uint64(header):
		return truncated("it has %d bytes, and its header says %d", len(b), file)
	case method == byZstd:
		im.Unread = "it is compressed with zstd"
	case method != byZlib:
		im.Unread = fmt.Sprintf("it is compressed in way %d, %s", method, newer)
	case whole > expansion*uint64(len(b)):
		im.Unread = fmt.Sprintf("it is compressed more than %d times", expansion)
	default:
		return im.inflate(b[header:file], whole)
	}
	return nil
}

// inflate reads a bundle that zlib compressed. Offsets of its entries are those in the bundle.
func (im *Image) inflate(b []byte, size uint64) error {
	r, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return malformed("%v", err)
	}
	whole := make([]byte, size)
	if _, err := io.ReadFull(r, whole); err != nil {
		return truncated("it has fewer bytes than its header says: %v", err)
	}
	if KindOf(whole) != Bundle {
		return malformed("what is compressed is %s", Describe(whole))
	}
	return im.readBundle(whole)
}
