package image_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// same compares kernels that were read with those that the image was made of.
func same(t *testing.T, want []images.Kernel, got []image.Kernel,
	layout func([]image.Param) []image.Param, code bool) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, w := range want {
		g := got[i]
		params, size := images.Layout(w.Params...)
		assert.Equal(t, w.Name, g.Name)
		assert.True(t, g.ParamsKnown, w.Name)
		assert.Equal(t, layout(params), g.Params, w.Name)
		assert.Equal(t, size, g.ParamSize, w.Name)
		assert.Equal(t, w.MaxThreads, g.MaxThreads, w.Name)
		assert.Equal(t, w.Block, g.Block, w.Name)
		assert.Equal(t, w.Cluster, g.Cluster, w.Name)
		if !code {
			assert.Nil(t, g.Resources, w.Name)
			continue
		}
		require.NotNil(t, g.Resources, w.Name)
		assert.Equal(t, [3]uint32{w.Registers, w.Shared, w.Local},
			[3]uint32{g.Resources.Registers, g.Resources.Shared, g.Resources.Local}, w.Name)
	}
}

func TestKernelsAndParameters(t *testing.T) {
	t.Parallel()
	nvidia := append([]images.Kernel{large, clustered}, kernels...)
	all := words
	sizes := func(p []image.Param) []image.Param { return untold(p, false) }
	pointers := func(p []image.Param) []image.Param { return untold(p, true) }
	for name, c := range map[string]struct {
		data   []byte
		kind   image.Kind
		target string
		want   []images.Kernel
		layout func([]image.Param) []image.Param
		code   bool
	}{
		"sm_80":   {images.Cubin("sm_80", nvidia...), image.Cubin, "sm_80", nvidia, sizes, true},
		"sm_90a":  {images.Cubin("sm_90a", nvidia...), image.Cubin, "sm_90a", nvidia, sizes, true},
		"sm_100":  {images.Cubin("sm_100", nvidia...), image.Cubin, "sm_100", nvidia, pointers, true},
		"sm_120a": {images.Cubin("sm_120a", nvidia...), image.Cubin, "sm_120a", nvidia, pointers, true},
		"PTX": {images.PTX("8.7", "sm_90", nvidia...), image.PTX, "compute_90", nvidia, all,
			false},
		"PTX for one GPU": {images.PTX("9.0", "compute_100a", nvidia...), image.PTX, "compute_100a",
			nvidia, all, false},
		"gfx90a": {images.CodeObject("gfx90a", kernels...), image.CodeObject, "gfx90a", kernels,
			pointers, true},
		"gfx942": {images.CodeObject("gfx942:sramecc+:xnack-", kernels...), image.CodeObject,
			"gfx942:sramecc+:xnack-", kernels, pointers, true},
		"a processor that only the metadata names": {images.CodeObject("gfx1999:xnack+", kernels...),
			image.CodeObject, "gfx1999:xnack+", kernels, pointers, true},
		"no kernels": {images.Cubin("sm_80"), image.Cubin, "sm_80", nil, sizes, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			im, err := image.Read(c.data)
			require.NoError(t, err)
			assert.Equal(t, c.kind, im.Kind)
			assert.Equal(t, []string{c.target}, im.Targets)
			assert.Empty(t, im.Unread)
			same(t, c.want, im.Kernels, c.layout, c.code)
			for _, k := range c.want {
				got, ok := im.Kernel(k.Name)
				assert.True(t, ok)
				assert.Equal(t, k.Name, got.Name)
			}
			_, ok := im.Kernel("absent")
			assert.False(t, ok)
		})
	}
}

func TestGlobals(t *testing.T) {
	t.Parallel()
	m := images.Module{Kernels: kernels, Globals: []images.Global{{Name: "count", Size: 4},
		{Name: "_ZN1q5tableE", Size: 4096}}}
	want := []image.Global{{Name: "count", Size: 4}, {Name: "_ZN1q5tableE", Size: 4096}}
	cubin, ptx, amd := m.Cubin("sm_90"), m.PTX("8.0", "sm_90"), m.CodeObject("gfx1100")
	for name, data := range map[string][]byte{"cubin": cubin, "PTX": ptx, "code object": amd,
		"fatbin": images.Fatbin(images.Part{Target: "sm_90", Data: cubin},
			images.Part{Target: "compute_90", Data: ptx}),
		"bundle": images.Bundle(images.Part{Target: "gfx1100", Data: amd},
			images.Part{Target: "gfx1101", Data: amd})} {
		im, err := image.Read(data)
		require.NoError(t, err, name)
		assert.Equal(t, want, im.Globals, name)
		assert.Len(t, im.Kernels, len(kernels), name)
		g, ok := im.Global("_ZN1q5tableE")
		assert.True(t, ok, name)
		assert.EqualValues(t, 4096, g.Size)
		_, ok = im.Global("saxpy")
		assert.False(t, ok, "%s: a kernel", name)
	}
}

func TestWaves(t *testing.T) {
	t.Parallel()
	for want, data := range map[uint32][]byte{32: images.CodeObject("gfx1100", kernels...),
		64: images.CodeObject("gfx942", kernels...)} {
		im, err := image.Read(data)
		require.NoError(t, err)
		assert.Equal(t, want, im.Kernels[0].Resources.WaveSize)
		assert.EqualValues(t, 8, im.Kernels[0].Resources.ScalarRegisters)
	}
}

func TestSeveralTargets(t *testing.T) {
	t.Parallel()
	extra := images.Kernel{Name: "only_new", Params: []images.Param{images.Pointer}}
	old := images.Cubin("sm_80", kernels...)
	newer := images.Cubin("sm_100", append([]images.Kernel{extra}, kernels...)...)
	ptx := images.PTX("8.7", "sm_90", kernels...)
	parts := []images.Part{{Target: "sm_80", Data: old}, {Target: "sm_100a", Data: newer},
		{Target: "compute_90", Data: ptx}}
	for name, data := range map[string][]byte{"": images.Fatbin(parts...),
		"LZ4": images.FatbinLZ4(parts...)} {
		im, err := image.Read(data)
		require.NoError(t, err)
		assert.Equal(t, []string{"sm_80", "sm_100a", "compute_90"}, im.Targets)
		assert.Equal(t, image.PTXVersion{Major: 8, Minor: 7}, im.PTXVersion)
		assert.Empty(t, im.Unread)
		assert.Len(t, im.Kernels, len(kernels)+1, "each once")
		k, ok := im.Kernel("only_new")
		assert.True(t, ok)
		assert.Equal(t, image.Pointer, k.Params[0].Kind)
		k, _ = im.Kernel("saxpy")
		assert.Equal(t, image.Any, k.Params[3].Kind, "as the first target says")
		require.Len(t, im.Entries, 3)
		for i, e := range im.Entries {
			assert.Equal(t, []image.Kind{image.Cubin, image.Cubin, image.PTX}[i], e.Kind)
			assert.Equal(t, name, e.Compression)
			assert.Len(t, e.Kernels, len(kernels)+i%2)
			if name == "" {
				assert.Equal(t, parts[i].Data, data[e.Offset:e.Offset+len(parts[i].Data)])
			}
		}
	}
}

func TestBundles(t *testing.T) {
	t.Parallel()
	amd := images.CodeObject("gfx942:sramecc+:xnack-", kernels...)
	bundle := images.Bundle(images.Part{Target: "gfx942:sramecc+:xnack-", Data: amd},
		images.Part{Target: "gfx9-4-generic", Data: images.CodeObject("gfx9-4-generic", kernels...)})
	for name, data := range map[string][]byte{"bundle": bundle,
		"version 1": images.CompressedBundle(1, bundle),
		"version 2": images.CompressedBundle(2, bundle),
		"version 3": images.CompressedBundle(3, bundle)} {
		im, err := image.Read(data)
		require.NoError(t, err, name)
		assert.Equal(t, []string{"gfx942:sramecc+:xnack-", "gfx9-4-generic"}, im.Targets)
		assert.Len(t, im.Kernels, len(kernels))
		assert.Empty(t, im.Unread)
		require.Len(t, im.Entries, 3)
		host, device := im.Entries[0], im.Entries[1]
		assert.Equal(t, "host-x86_64-unknown-linux-gnu-", host.Target)
		assert.Zero(t, host.Size)
		assert.Equal(t, image.CodeObject, device.Kind)
		assert.Equal(t, amd, bundle[device.Offset:device.Offset+device.Size])
		assert.Len(t, device.Kernels, len(kernels))
	}
}

// What cannot be read is said, and is no error: the driver can read it.
func TestUnread(t *testing.T) {
	t.Parallel()
	part := images.Part{Target: "sm_90", Data: images.Cubin("sm_90", kernels...)}
	broken := images.Part{Target: "sm_80", Data: part.Data[:200]}
	bitcode := images.Part{Target: "gfx942", Data: []byte("BC\xc0\xde and more")}
	v2 := images.CodeObject("gfx906")
	v2[8], v2[48], v2[49] = 0, 0x2f, 0
	v2[strings.Index(string(v2), "AMDGPU")] = 'X'
	for name, c := range map[string]struct {
		data []byte
		kind image.Kind
		want string
	}{
		"zstd": {images.FatbinZstd(part), image.Fatbin, "entry 0 (sm_90): it is compressed with zstd"},
		"a compressed bundle": {images.ZstdBundle(3, 1000, []byte("\x28\xb5\x2f\xfd")),
			image.CompressedBundle, "it is compressed with zstd"},
		"a newer bundle": {images.ZstdBundle(4, 1000, nil), image.CompressedBundle,
			"it is a compressed bundle of version 4, which is newer than this package"},
		"a bomb": {images.CompressedBundle(2, make([]byte, 1<<20)), image.CompressedBundle,
			"it is compressed more than 64 times"},
		"a damaged part": {images.Fatbin(part, broken), image.Fatbin,
			"entry 1 (sm_80): image: a cubin: the image is truncated"},
		"bitcode in a bundle": {images.Bundle(bitcode), image.Bundle,
			"entry 1 (gfx942): it is LLVM bitcode"},
		"LTO-IR":                {[]byte("\xed\x43\x4e\x7f"), image.LTOIR, "LTO-IR is not machine code"},
		"bitcode":               {[]byte("BC\xc0\xde"), image.Bitcode, "LLVM bitcode is not"},
		"SPIR-V":                {[]byte("\x03\x02\x23\x07"), image.SPIRV, "SPIR-V is not"},
		"code object version 2": {v2, image.CodeObject, "it has no metadata, or that of code object"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			im, err := image.Read(c.data)
			require.NoError(t, err)
			assert.Equal(t, c.kind, im.Kind)
			assert.Contains(t, im.Unread, c.want)
			_, ok := im.Kernel("absent")
			assert.False(t, ok)
		})
	}
}

// Records that contradict each other make parameters unknown, not wrong.
func TestParametersThatDoNotAddUp(t *testing.T) {
	t.Parallel()
	k := images.Kernel{Name: "k", Params: []images.Param{images.Pointer, images.Int32}}
	for name, change := range map[string]struct{ from, to string }{
		"a place twice": {
			"\x17\x0c\x00\x00\x00\x00\x00\x01\x00",
			"\x17\x0c\x00\x00\x00\x00\x00\x00\x00"},
		"one over another":    {"\x01\x00\x08\x00", "\x01\x00\x04\x00"},
		"another size of all": {"\x03\x19\x0c\x00", "\x03\x19\x10\x00"},
		"no size of all":      {"\x03\x19\x0c\x00", "\x03\x18\x0c\x00"},
	} {
		data := string(images.Cubin("sm_90", k))
		require.Contains(t, data, change.from, name)
		im, err := image.Read([]byte(strings.Replace(data, change.from, change.to, 1)))
		require.NoError(t, err, name)
		got, ok := im.Kernel("k")
		assert.True(t, ok, name)
		assert.False(t, got.ParamsKnown, name)
		assert.Nil(t, got.Params, name)
	}
}

// An image is kept no longer than it is read.
func TestImageMayChangeAfterwards(t *testing.T) {
	t.Parallel()
	for name, data := range samples() {
		before, err := image.Read(data)
		require.NoError(t, err, name)
		want, err := image.Read(append([]byte(nil), data...))
		require.NoError(t, err, name)
		clear(data)
		assert.Equal(t, want, before, name)
	}
}

// KindOf makes nothing, whatever the size.
func TestKindOfAllocatesLittle(t *testing.T) {
	for name, data := range samples() {
		n := testing.AllocsPerRun(10, func() { runtime.KeepAlive(image.KindOf(data)) })
		assert.LessOrEqual(t, n, 2.0, name)
	}
}
