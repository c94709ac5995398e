package images

import "github.com/gpuevent/gpuevent/internal/image"

// Kernel is a kernel to put in an image. What it leaves out is not told by the image, or 0.
type Kernel struct {
	Name   string
	Params []Param

	Registers, Shared, Local uint32 // not in PTX
	MaxThreads               uint32
	Block, Cluster           [3]uint32 // Cluster is not in code objects
}

// Param is a parameter as a C compiler lays it out.
type Param struct {
	Size, Align uint32
	Kind        image.ParamKind
}

// Parameters of C's types.
var (
	Pointer = Param{8, 8, image.Pointer}
	Int8    = Param{1, 1, image.Integer}
	Int16   = Param{2, 2, image.Integer}
	Int32   = Param{4, 4, image.Integer}
	Int64   = Param{8, 8, image.Integer}
	Float32 = Param{4, 4, image.Float}
	Float64 = Param{8, 8, image.Float}
)

// Struct is a parameter that is a struct by value.
func Struct(size, align uint32) Param { return Param{size, align, image.Bytes} }

// Layout returns where parameters lie, and how many bytes they take in all.
func Layout(params ...Param) (list []image.Param, size uint32) {
	for _, p := range params {
		at := (size + p.Align - 1) / p.Align * p.Align
		list = append(list, image.Param{Offset: at, Size: p.Size, Kind: p.Kind})
		size = at + p.Size
	}
	return list, size
}

// Global is a variable to put in an image.
type Global struct {
	Name string
	Size uint32
}

// Module is what an image for one target has.
type Module struct {
	Kernels []Kernel
	Globals []Global
}

// Part is an image inside of another.
type Part struct {
	Target string // "sm_90", "compute_90a", "gfx942:xnack-"
	Data   []byte
}
