package image_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/image"
)

// hostELF is a header of a file for a machine.
func hostELF(machine byte) string {
	return "\x7fELF\x02\x01\x01\x00" + string(make([]byte, 8)) + "\x03\x00" +
		string([]byte{machine, 0}) + string(make([]byte, 44))
}

func TestWhatIsNoImageIsNamed(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		"":                                  "no bytes at all, not a GPU image: the image is empty",
		hostELF(62):                         "an x86-64 ELF file, not a GPU image: code for a GPU",
		hostELF(183):                        "an AArch64 ELF file",
		hostELF(99):                         "an ELF file for machine 99",
		"\x7fELF\x02":                       "the first bytes of an ELF file",
		"MZ\x90\x00":                        "a Windows program or library",
		"\xcf\xfa\xed\xfe\x07":              "a Mach-O file",
		"!<arch>\nx":                        "an archive of object files",
		"\x1f\x8b\x08":                      "gzip data",
		"\x28\xb5\x2f\xfd\x04":              "zstd data",
		"PK\x03\x04":                        "a ZIP archive",
		"\xb1\x43\x62\x46\x01":              "a CUDA fat binary wrapper, not a GPU image: it has",
		"FPIH\x01\x00":                      "a HIP fat binary wrapper",
		"__global__ void k() {}":            "C++ source text, not a GPU image: compile it first",
		"#include <x.h>\n":                  "C++ source text",
		"__kernel void k() {}":              "OpenCL source text",
		"; ModuleID\nsource_filename = \"x": "LLVM IR text",
		"\t.text\n\t.amdgcn_target \"x\"":   "AMD GPU assembly text",
		"// a comment\n.target sm_90\n":     "PTX text without its .version line",
		"<!DOCTYPE html>":                   "an HTML page",
		"version https://git-lfs.github":    "a Git LFS pointer",
		"hello":                             "text, not a GPU image",
		"grüß dich":                         "text",
		"\x00\x01\x02\x03":                  "bytes that begin with 00 01 02 03",
		"\xff\xfe.\x00v\x00":                "bytes that begin with ff fe 2e 00 76 00",
	} {
		assert.Equal(t, image.Unknown == image.KindOf([]byte(data)), data != "FPIH\x01\x00" &&
			data != "\xb1\x43\x62\x46\x01", "%q", data)
		im, err := image.Read([]byte(data))
		assert.Nil(t, im)
		require.ErrorIs(t, err, image.ErrNotImage, "%q", data)
		assert.ErrorContains(t, err, want)
		var e *image.Error
		require.ErrorAs(t, err, &e)
		assert.NotEmpty(t, e.What)
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	names := map[image.Kind]string{image.PTX: "PTX text", image.Cubin: "a cubin",
		image.Fatbin: "a CUDA fatbin", image.CodeObject: "an AMD GPU code object",
		image.Bundle:           "a clang offload bundle",
		image.CompressedBundle: "a compressed clang offload bundle"}
	for name, data := range samples() {
		kind := image.KindOf(data)
		assert.Equal(t, names[kind], image.Describe(data), name)
		assert.NotEqual(t, kind.CUDA(), kind.HIP(), "%s is for one vendor", name)
	}
	assert.Equal(t, "an x86-64 ELF file", image.Describe([]byte(hostELF(62))))
	assert.Equal(t, "unknown", image.Kind(99).String())
	assert.Equal(t, "any", image.ParamKind(99).String())
	assert.Equal(t, "pointer", image.Pointer.String())
	assert.False(t, image.LTOIR.CUDA() || image.LTOIR.HIP() || image.Unknown.CUDA())
}
