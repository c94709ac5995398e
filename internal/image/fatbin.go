package image

import (
	"encoding/binary"
	"fmt"
)

const (
	fatbinHeader = 16
	fatbinEntry  = 64 // bytes of an entry's header at least

	fatbinPTX = 1
	fatbinELF = 2

	fatbinLZ4    = 0x2000
	fatbinZstd   = 0x8000
	fatbinExact  = 0x100000 // for sm_100a
	fatbinFamily = 0x200000 // for sm_100f
)

// readFatbin reads a header with its own size and that of all entries. An entry is a header and the
// bytes after it.
func (im *Image) readFatbin(b []byte) error {
	le := binary.LittleEndian
	if len(b) < fatbinHeader {
		return truncated("%d bytes are no header", len(b))
	}
	header, size := uint64(le.Uint16(b[6:])), le.Uint64(b[8:])
	if header < fatbinHeader {
		return malformed("a header of %d bytes", header)
	}
	if header > uint64(len(b)) || size > uint64(len(b))-header {
		return truncated("it has %d bytes, and its header says %d and %d", len(b), header, size)
	}
	budget := expansion * len(b)
	for at, end := header, header+size; at < end; {
		if end-at < fatbinEntry {
			return truncated("it ends in the header of entry %d", len(im.Entries))
		}
		e := fatEntry(b[at:end])
		if e.header < fatbinEntry {
			return malformed("entry %d has a header of %d bytes", len(im.Entries), e.header)
		}
		if uint64(e.header) > end-at || e.size > end-at-uint64(e.header) || e.stored > e.size {
			return truncated("entry %d (%s) is longer than the fatbin", len(im.Entries), e.Target)
		}
		at += uint64(e.header)
		e.Offset, e.Size = int(at), int(e.size)
		e.read(b[at:at+e.size], &budget)
		im.add(e.Entry)
		im.Globals = append(im.Globals, e.globals...)
		at += e.size
	}
	return nil
}

// fat is an entry of a fatbin.
type fat struct {
	Entry
	header  uint32
	size    uint64 // with what fills it up to a multiple of 8
	stored  uint64 // compressed bytes; 0 if it is not compressed
	whole   uint64 // bytes when decompressed
	globals []Global
}

// fatEntry reads the header of an entry.
func fatEntry(b []byte) fat {
	le := binary.LittleEndian
	flags := le.Uint64(b[40:])
	e := fat{header: le.Uint32(b[4:]), size: le.Uint64(b[8:]), stored: uint64(le.Uint32(b[16:])),
		whole: le.Uint64(b[56:])}
	minor, major := int(le.Uint16(b[24:])), int(le.Uint16(b[26:]))
	prefix, suffix := "sm_", ""
	switch le.Uint16(b) {
	case fatbinPTX:
		e.Kind, prefix = PTX, "compute_"
		e.PTXVersion = PTXVersion{major, minor}
	case fatbinELF:
		e.Kind = Cubin
	}
	switch {
	case flags&fatbinExact != 0:
		suffix = "a"
	case flags&fatbinFamily != 0:
		suffix = "f"
	}
	e.Target = fmt.Sprintf("%s%d%s", prefix, le.Uint32(b[28:]), suffix)
	switch {
	case flags&fatbinLZ4 != 0:
		e.Compression = "LZ4"
	case flags&fatbinZstd != 0:
		e.Compression = "zstd"
	case e.stored != 0:
		e.Compression = "an unknown way"
	}
	return e
}

// read reads the kernels of an entry.
func (e *fat) read(b []byte, budget *int) {
	if e.Compression != "" {
		b = b[:e.stored]
	}
	switch {
	case e.Compression == "":
	case e.Compression != "LZ4":
		e.Unread = "it is compressed with " + e.Compression
		return
	case e.whole > uint64(max(*budget, 0)):
		e.Unread = fmt.Sprintf("it is compressed more than %d times", expansion)
		return
	default:
		*budget -= int(e.whole)
		var ok bool
		if b, ok = unLZ4(b, int(e.whole)); !ok {
			e.Unread = "its LZ4 data is malformed"
			return
		}
	}
	kind := KindOf(b)
	part := Image{Kind: kind}
	var err error
	switch {
	case e.Kind == PTX && kind == PTX:
		err = part.readPTX(b)
	case e.Kind == Cubin && kind == Cubin:
		err = part.readCubin(b)
	default:
		e.Unread = "it is " + Describe(b)
		return
	}
	if err != nil {
		e.Unread = inKind(kind, err).Error()
		return
	}
	e.Kernels, e.globals = part.Kernels, part.Globals
}
