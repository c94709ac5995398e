package image

// Kind is a format of images.
type Kind uint8

// The kinds. Of LTO-IR, bitcode and SPIR-V [Read] tells the kind only; a wrapper is an error.
const (
	Unknown          Kind = iota // no GPU image
	PTX                          // NVIDIA's assembly text, compiled by the driver
	Cubin                        // machine code for an NVIDIA GPU
	Fatbin                       // several PTX texts and cubins
	CodeObject                   // machine code for an AMD GPU, also called HSACO
	Bundle                       // several code objects, by clang's offload bundler
	CompressedBundle             // a bundle, compressed
	LTOIR                        // NVIDIA's code for linking, which nvJitLink takes
	Bitcode                      // LLVM's, which AMD's linker takes
	SPIRV
	Wrapper // what a program registers: it has an image's address, not the image
)

var kinds = [...]struct{ name, article string }{
	Unknown: {"unknown", "no GPU image"}, PTX: {"PTX", "PTX text"}, Cubin: {"cubin", "a cubin"},
	Fatbin: {"fatbin", "a CUDA fatbin"}, CodeObject: {"code object", "an AMD GPU code object"},
	Bundle:           {"bundle", "a clang offload bundle"},
	CompressedBundle: {"compressed bundle", "a compressed clang offload bundle"},
	LTOIR:            {"LTO-IR", "NVIDIA LTO-IR"}, Bitcode: {"LLVM bitcode", "LLVM bitcode"},
	SPIRV: {"SPIR-V", "SPIR-V"}, Wrapper: {"fat binary wrapper", "a fat binary wrapper"},
}

// String returns the kind's name, such as "PTX", "cubin" or "code object".
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return kinds[Unknown].name
	}
	return kinds[k].name
}

// CUDA reports whether NVIDIA's driver loads images of the kind as modules.
func (k Kind) CUDA() bool { return k == PTX || k == Cubin || k == Fatbin }

// HIP reports whether AMD's runtime loads images of the kind as modules.
func (k Kind) HIP() bool { return k == CodeObject || k == Bundle || k == CompressedBundle }

// Machines in the headers of ELF files, and how the other kinds begin.
const (
	machineCUDA   = 190
	machineAMDGPU = 224

	elfMagic        = "\x7fELF"
	fatbinMagic     = "\x50\xed\x55\xba"
	bundleMagic     = "__CLANG_OFFLOAD_BUNDLE__"
	compressedMagic = "CCOB"
	ltoirMagic      = "\xed\x43\x4e\x7f"
	bitcodeMagic    = "BC\xc0\xde"
	bitcodeWrapped  = "\xde\xc0\x17\x0b"
	spirvMagic      = "\x03\x02\x23\x07"
	spirvSwapped    = "\x07\x23\x02\x03"
	wrapperCUDA     = "\xb1\x43\x62\x46"
	wrapperHIP      = "FPIH" // HIPF as a number in memory
)

// KindOf returns the kind of an image by how it begins. It parses nothing; of a text it skips the
// comments before the first word.
func KindOf(b []byte) Kind {
	for _, m := range [...]struct {
		magic string
		kind  Kind
	}{{fatbinMagic, Fatbin}, {bundleMagic, Bundle}, {compressedMagic, CompressedBundle},
		{ltoirMagic, LTOIR}, {bitcodeMagic, Bitcode}, {bitcodeWrapped, Bitcode}, {spirvMagic, SPIRV},
		{spirvSwapped, SPIRV}, {wrapperCUDA, Wrapper}, {wrapperHIP, Wrapper}} {
		if hasPrefix(b, m.magic) {
			return m.kind
		}
	}
	if hasPrefix(b, elfMagic) {
		switch elfMachine(b) {
		case machineCUDA:
			return Cubin
		case machineAMDGPU:
			return CodeObject
		}
		return Unknown
	}
	if isPTX(b) {
		return PTX
	}
	return Unknown
}

func hasPrefix(b []byte, magic string) bool {
	return len(b) >= len(magic) && string(b[:len(magic)]) == magic
}
