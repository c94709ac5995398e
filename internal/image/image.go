package image

import "slices"

// Image is what an image tells about itself.
type Image struct {
	Kind Kind
	// Targets are the GPUs that the image has code for, in its order: "sm_90" machine code,
	// "compute_90" PTX, "gfx942:sramecc+:xnack-".
	Targets []string
	// PTXVersion is that of a PTX text, or the newest in a fatbin; zero if there is no PTX.
	PTXVersion PTXVersion
	// Kernels are all kernels, each once. Where an image has code for several targets, what is said
	// of a kernel is that of the first target; Entries has the others.
	Kernels []Kernel
	// Globals are the variables in the GPU's memory, each once.
	Globals []Global
	// Entries are the parts of a fatbin or a bundle.
	Entries []Entry
	// Unread says why Kernels may lack some, such as "entry 2 (sm_90): it is compressed with zstd";
	// "" if it has all.
	Unread string

	names map[string]int // places in Kernels
}

// Kernel returns the kernel of a name, which in C++ is the mangled one. If there is none and
// [Image.Unread] is not empty, the image may have it all the same.
func (im *Image) Kernel(name string) (Kernel, bool) {
	i, ok := im.names[name]
	if !ok {
		return Kernel{}, false
	}
	return im.Kernels[i], true
}

// Kernel is a function that can be launched.
type Kernel struct {
	Name string
	// Params are the parameters in order. They count only if ParamsKnown: an image can have a
	// kernel and not tell its parameters.
	Params      []Param
	ParamsKnown bool
	ParamSize   uint32 // of all, in bytes, with the padding between them
	// MaxThreads is how many threads a block may have as the source bounds it; 0 if it does not, or
	// if the image does not tell.
	MaxThreads uint32
	// Block is the one block size that the kernel can be launched with; zero if any.
	Block [3]uint32
	// Cluster is the kernel's cluster size in blocks; zero if the launch says it.
	Cluster [3]uint32
	// Resources is what the machine code takes; nil in PTX, which the driver has yet to compile.
	Resources *Resources
}

// Resources is what a kernel's machine code takes.
type Resources struct {
	Registers       uint32 // a thread's; on AMD the vector registers, with the accumulation ones
	ScalarRegisters uint32 // AMD: a wave's
	Shared          uint32 // bytes of static shared memory a block takes, on AMD called LDS
	Local           uint32 // bytes of a thread's own memory
	WaveSize        uint32 // threads that run as one: 32 or 64
}

// ParamKind says what a parameter is, as far as the image tells.
type ParamKind uint8

// The kinds of parameters. Compilers drop the types, so that most images say less than the source.
const (
	Any     ParamKind = iota // the image tells the size only
	Pointer                  // an address in the GPU's memory
	Word                     // an integer or an address
	Integer
	Float
	Bytes // a struct, an array or a vector by value; in PTX also a half
)

// String returns the kind as messages name it.
func (k ParamKind) String() string {
	names := [...]string{"any", "pointer", "integer or pointer", "integer", "float", "struct"}
	if int(k) >= len(names) {
		return names[Any]
	}
	return names[k]
}

// Param is a parameter of a kernel.
type Param struct {
	Offset, Size uint32
	Kind         ParamKind
}

// Entry is a part of a fatbin or a bundle.
type Entry struct {
	Kind         Kind   // [PTX], [Cubin], [CodeObject]; [Unknown] for host code, or if not known
	Target       string // as in [Image.Targets]; for host code its triple
	Offset, Size int    // where it lies in the image
	Compression  string // "", "LZ4", "zstd"
	PTXVersion   PTXVersion
	Kernels      []Kernel
	Unread       string // why Kernels is empty; "" if it is complete
}

// Read parses an image. The error is an [*Error] and matches [ErrNotImage], [ErrTruncated] or
// [ErrMalformed]. What is returned does not share memory with
// b.
func Read(b []byte) (*Image, error) {
	im := &Image{Kind: KindOf(b)}
	var err error
	switch im.Kind {
	case PTX:
		err = im.readPTX(b)
	case Cubin:
		err = im.readCubin(b)
	case CodeObject:
		err = im.readCodeObject(b)
	case Fatbin:
		err = im.readFatbin(b)
	case Bundle:
		err = im.readBundle(b)
	case CompressedBundle:
		err = im.readCompressed(b)
	case LTOIR, Bitcode, SPIRV:
		im.Unread = im.Kind.String() + " is not machine code yet, and is not read"
	default:
		return nil, notImage(b, im.Kind)
	}
	if err != nil {
		return nil, inKind(im.Kind, err)
	}
	im.index()
	return im, nil
}

// index drops kernels and variables of the same name and makes the kernels findable.
func (im *Image) index() {
	im.names = make(map[string]int, len(im.Kernels))
	kept := im.Kernels[:0]
	for _, k := range im.Kernels {
		if _, twice := im.names[k.Name]; !twice {
			im.names[k.Name] = len(kept)
			kept = append(kept, k)
		}
	}
	im.Kernels = kept
	seen := make(map[string]bool, len(im.Globals))
	im.Globals = slices.DeleteFunc(im.Globals, func(g Global) bool {
		twice := seen[g.Name]
		seen[g.Name] = true
		return twice
	})
}
