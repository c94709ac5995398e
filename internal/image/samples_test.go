package image_test

import (
	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// kernels have parameters of every shape.
var kernels = []images.Kernel{
	{Name: "saxpy", Registers: 10, Params: []images.Param{images.Int32, images.Float32, images.Pointer,
		images.Pointer}},
	{Name: "shapes", Params: []images.Param{images.Int8, images.Int16, images.Struct(24, 8),
		images.Int8, images.Int64, images.Struct(16, 16), images.Float64, images.Struct(12, 4)},
		Registers: 40, Shared: 1024, Local: 256, MaxThreads: 256},
	{Name: "none", Registers: 4},
	{Name: "_Z4tileILi16EEvPf", Params: []images.Param{images.Pointer}, MaxThreads: 128,
		Block: [3]uint32{64, 2, 1}},
}

// large has more parameters than the older records of a cubin can say.
var large = images.Kernel{Name: "large", Params: []images.Param{images.Struct(20000, 4),
	images.Int32, images.Pointer}}

// clustered is for NVIDIA's GPUs only.
var clustered = images.Kernel{Name: "clustered", Cluster: [3]uint32{2, 1, 1}}

// samples are images of every kind that have these kernels.
func samples() map[string][]byte {
	m := images.Module{Kernels: kernels, Globals: []images.Global{{Name: "count", Size: 4}}}
	old, newer := m.Cubin("sm_80"), m.Cubin("sm_100")
	ptx := m.PTX("8.7", "sm_90")
	amd := m.CodeObject("gfx942:sramecc+:xnack-")
	other := images.CodeObject("gfx1100", kernels...)
	parts := []images.Part{{Target: "sm_80", Data: old}, {Target: "sm_100f", Data: newer},
		{Target: "compute_90", Data: ptx}}
	bundle := images.Bundle(images.Part{Target: "gfx942:sramecc+:xnack-", Data: amd},
		images.Part{Target: "gfx1100", Data: other})
	return map[string][]byte{"cubin": old, "new cubin": newer, "PTX": ptx, "code object": amd,
		"fatbin": images.Fatbin(parts...), "LZ4 fatbin": images.FatbinLZ4(parts...),
		"zstd fatbin": images.FatbinZstd(parts...), "bundle": bundle,
		"compressed 1":       images.CompressedBundle(1, bundle),
		"compressed 2":       images.CompressedBundle(2, bundle),
		"compressed 3":       images.CompressedBundle(3, bundle),
		"compressed by zstd": images.ZstdBundle(3, 100_000, []byte("\x28\xb5\x2f\xfd data"))}
}

// untold is a layout as kinds of images tell it that drop types: structs show by their size, and
// pointers if the image marks them.
func untold(list []image.Param, pointers bool) []image.Param {
	out := append([]image.Param(nil), list...)
	for i, p := range out {
		scalar := p.Size == 1 || p.Size == 2 || p.Size == 4 || p.Size == 8
		switch {
		case !scalar:
			out[i].Kind = image.Bytes
		case p.Kind != image.Pointer || !pointers:
			out[i].Kind = image.Any
		}
	}
	return out
}

// words is a layout as PTX tells it, where a long may be a pointer.
func words(list []image.Param) []image.Param {
	out := append([]image.Param(nil), list...)
	for i, p := range out {
		if p.Kind == image.Integer && p.Size == 8 {
			out[i].Kind = image.Word
		}
	}
	return out
}
