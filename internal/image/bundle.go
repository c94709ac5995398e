package image

import (
	"encoding/binary"
	"fmt"
	"strings"
)

const bundleEntry = 24 // bytes of an entry without its name

// readBundle reads a clang offload bundle: after the magic the number of entries; of each the
// offset, the size, the length of its name and the name.
func (im *Image) readBundle(b []byte) error {
	le := binary.LittleEndian
	at := uint64(len(bundleMagic))
	size := uint64(len(b))
	if size < at+8 {
		return truncated("%d bytes are no header", len(b))
	}
	n := le.Uint64(b[at:])
	at += 8
	if n > (size-at)/bundleEntry {
		return truncated("%d entries do not fit in %d bytes", n, len(b))
	}
	read := uint64(0)
	for i := range n {
		if size-at < bundleEntry {
			return truncated("it ends before entry %d", i)
		}
		begin, length, name := le.Uint64(b[at:]), le.Uint64(b[at+8:]), le.Uint64(b[at+16:])
		at += bundleEntry
		if name > min(size-at, longestName) {
			return truncated("the name of entry %d has %d bytes", i, name)
		}
		id := string(b[at : at+name])
		at += name
		if begin > size || length > size-begin {
			return truncated("entry %d (%.80s) lies at %d, %d bytes long, and the bundle has %d", i,
				id, begin, length, len(b))
		}
		if read += length; read > size {
			return malformed("its entries lie over each other")
		}
		im.addBundled(id, b[begin:begin+length], int(begin))
	}
	return nil
}

// addBundled adds an entry of a bundle; of host code only that it is there.
func (im *Image) addBundled(id string, b []byte, at int) {
	e := Entry{Kind: KindOf(b), Target: deviceOf(id), Offset: at, Size: len(b)}
	if strings.HasPrefix(id, "host") {
		e.Kind = Unknown
		im.Entries = append(im.Entries, e)
		return
	}
	if e.Kind == CodeObject {
		part := Image{Kind: CodeObject}
		if err := part.readCodeObject(b); err != nil {
			e.Unread = inKind(CodeObject, err).Error()
		} else {
			e.Kernels, e.Unread = part.Kernels, part.Unread
			im.Globals = append(im.Globals, part.Globals...)
		}
	} else {
		e.Unread = "it is " + Describe(b)
	}
	im.add(e)
}

// add adds an entry with code for a GPU.
func (im *Image) add(e Entry) {
	if e.Unread != "" && im.Unread == "" {
		im.Unread = fmt.Sprintf("entry %d (%s): %s", len(im.Entries), e.Target, e.Unread)
	}
	if im.PTXVersion.Less(e.PTXVersion) {
		im.PTXVersion = e.PTXVersion
	}
	im.Entries = append(im.Entries, e)
	im.Targets = append(im.Targets, e.Target)
	im.Kernels = append(im.Kernels, e.Kernels...)
}

// deviceOf returns the GPU in the name of an entry, "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-"; the
// name itself if there is none.
func deviceOf(id string) string {
	for _, mark := range []string{"-gfx", "-amdgcnspirv", "-sm_"} {
		if i := strings.Index(id, mark); i >= 0 {
			return id[i+1:]
		}
	}
	return id
}
