package image

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Describe names what bytes are, for a message: "a cubin", "an x86-64 ELF file", "C++ source text".
func Describe(b []byte) string {
	if k := KindOf(b); k != Unknown {
		return kinds[k].article
	}
	what, _ := describe(b)
	return what
}

// head is how much of a text is looked at to tell what it is.
const head = 4096

// describe names bytes that are no image, and says what to do about them.
func describe(b []byte) (what, why string) {
	for _, m := range [...]struct{ magic, what, why string }{
		{wrapperCUDA, "a CUDA fat binary wrapper",
			"it has the address of a fatbin; pass the bytes of the fatbin"},
		{wrapperHIP, "a HIP fat binary wrapper",
			"it has the address of a bundle; pass the bytes of the bundle"},
		{"MZ", "a Windows program or library", extract},
		{"!<arch>\n", "an archive of object files", extract},
		{"\xcf\xfa\xed\xfe", "a Mach-O file", extract},
		{"\x1f\x8b", "gzip data", "decompress it"},
		{"\x28\xb5\x2f\xfd", "zstd data", "decompress it"},
		{"\x04\x22\x4d\x18", "LZ4 data", "decompress it"},
		{"PK\x03\x04", "a ZIP archive", "unpack it"},
		{"version https://git-lfs", "a Git LFS pointer", "fetch the file with git lfs pull"},
	} {
		if hasPrefix(b, m.magic) {
			return m.what, m.why
		}
	}
	switch {
	case len(b) == 0:
		return "no bytes at all", "the image is empty"
	case hasPrefix(b, elfMagic):
		return describeELF(b)
	case isText(b):
		return describeText(b)
	}
	return fmt.Sprintf("bytes that begin with % x", b[:min(len(b), 8)]), ""
}

const extract = "code for a GPU may lie inside; extract it, or have the compiler write it alone"

func describeELF(b []byte) (what, why string) {
	names := map[uint16]string{3: "an x86", 40: "an ARM", 62: "an x86-64", 183: "an AArch64",
		243: "a RISC-V", 21: "a ppc64", 258: "a LoongArch"}
	machine := elfMachine(b)
	name, known := names[machine]
	switch {
	case len(b) < 20:
		return "the first bytes of an ELF file", "the file is truncated"
	case !known:
		return fmt.Sprintf("an ELF file for machine %d", machine), ""
	}
	return name + " ELF file", extract
}

// elfMachine returns the machine in an ELF header of either byte order; 0 if there is none.
func elfMachine(b []byte) uint16 {
	if len(b) < 20 {
		return 0
	}
	if b[5] == 2 {
		return binary.BigEndian.Uint16(b[18:])
	}
	return binary.LittleEndian.Uint16(b[18:])
}

// isText reports whether the beginning of b is text.
func isText(b []byte) bool {
	b = bytes.TrimRight(b[:min(len(b), head)], "\x00")
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 && len(b)-i >= utf8.UTFMax ||
			r < ' ' && !strings.ContainsRune("\t\n\v\f\r", r) {
			return false
		}
		i += n
	}
	return len(b) > 0
}

func describeText(b []byte) (what, why string) {
	text := string(b[:min(len(b), head)])
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has(".amdgcn_target", ".amdhsa_"):
		return "AMD GPU assembly text", "assemble it into a code object"
	case has("source_filename =", "target triple =", "target datalayout ="):
		return "LLVM IR text", "compile it to PTX or a code object"
	case has("__global__", "__device__", "#include", "blockIdx", "extern \"C\""):
		return "C++ source text", "compile it first"
	case has("__kernel", "get_global_id"):
		return "OpenCL source text", "compile it first"
	case has(".entry", ".visible", ".address_size", ".target sm_"):
		return "PTX text without its .version line", "PTX begins with .version, then .target"
	case has("<html", "<!DOCTYPE"):
		return "an HTML page", "a download may have failed"
	}
	return "text", ""
}
