package image_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/image"
)

// begin begins a text, and tail is a kernel with a pointer.
const (
	begin = ".version 8.0 .target sm_90 .address_size 64 "
	tail  = ".entry k(.param .u64 .ptr a) {}"
)

const head = ".version 8.0\n.target sm_90\n.address_size 64\n"

func TestPTXTexts(t *testing.T) {
	t.Parallel()
	p := func(list ...image.Param) []image.Param { return list }
	one := func(size uint32, k image.ParamKind) []image.Param {
		return p(image.Param{Size: size, Kind: k})
	}
	pointer := image.Param{Size: 8, Kind: image.Pointer}
	for name, c := range map[string]struct {
		text string
		want []image.Param
	}{
		"no list":          {head + ".entry k { ret; }", nil},
		"an empty list":    {head + ".visible .entry k ( ) { ret; }", nil},
		"a zero byte":      {head + ".entry k(.param .u64 .ptr a) {}\x00", p(pointer)},
		"several":          {head + ".entry k(.param .u64 .ptr a) {}\x00\x00\n", p(pointer)},
		"Windows' lines":   {".version 8.0\r\n.target sm_90\r\n.address_size 64\r\n" + tail, p(pointer)},
		"blank lines":      {"\n\n \t" + head + ".entry k(.param .u64 .ptr a) {}", p(pointer)},
		"leading comments": {"//\n/* .version 1.0 */ // .entry x {\n" + head + tail, p(pointer)},
		"on one line":      {begin + ".weak .entry k(.param.u64.ptr a){}", p(pointer)},
		"more targets": {strings.Replace(head, "sm_90", "sm_90, texmode_independent, debug", 1) + tail,
			p(pointer)},
		"a comment inside":  {head + ".entry k( // )\n.param /* ) */ .u64 .ptr a\n){}", p(pointer)},
		"where it points":   {head + ".entry k(.param .u64 .ptr .global .align 16 a){}", p(pointer)},
		"a word":            {head + ".entry k(.param .u64 a){}", one(8, image.Word)},
		"a signed one":      {head + ".entry k(.param .s64 a){}", one(8, image.Integer)},
		"bits":              {head + ".entry k(.param .b64 a){}", one(8, image.Any)},
		"32 bits":           {".version 8.0 .target sm_90 .entry k(.param .u32 a){}", one(4, image.Word)},
		"a half":            {head + ".entry k(.param .f16 a){}", one(2, image.Bytes)},
		"an array":          {head + ".entry k(.param .b32 a[3]){}", one(12, image.Bytes)},
		"of two dimensions": {head + ".entry k(.param .b16 a[3][0x2]){}", one(12, image.Bytes)},
		"alignment": {head + ".entry k(.param .u8 a, .param .align 16 .b8 b[20], .param .u16 c){}",
			p(image.Param{Size: 1, Kind: image.Integer},
				image.Param{Offset: 16, Size: 20, Kind: image.Bytes},
				image.Param{Offset: 36, Size: 2, Kind: image.Integer})},
		"other names": {head + ".entry _$k(.param .f64 %a){}", nil},
		"a pragma": {head + ".entry k(.param .u64 .ptr a) .pragma \"no { unroll\", \"x\"; {}",
			p(pointer)},
		"more directives": {head + ".entry k(.param .u64 .ptr a) .minnctapersm 2 .maxnreg 32 {}",
			p(pointer)},
		"others before": {head + ".extern .func (.param .b32 r) vprintf (.param .b64 a);\n" +
			".global .align 4 .b8 t[4] = {1, 2, 3, 4};\n.file 1 \"a{b.cu\"\n.func f() { { } }\n" +
			".section .debug_info { .b8 1 }\n.entry k(.param .u64 .ptr a){ \n// }\n }", p(pointer)},
		"declared before": {head + ".entry k(.param .u64 .ptr a);\n" + tail, p(pointer)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, image.PTX, image.KindOf([]byte(c.text)))
			im, err := image.Read([]byte(c.text))
			require.NoError(t, err)
			require.Len(t, im.Kernels, 1)
			assert.True(t, im.Kernels[0].ParamsKnown)
			if name == "other names" {
				assert.Equal(t, "_$k", im.Kernels[0].Name)
				return
			}
			assert.Equal(t, "k", im.Kernels[0].Name)
			assert.Equal(t, c.want, im.Kernels[0].Params)
			assert.Equal(t, image.PTXVersion{Major: 8}, im.PTXVersion)
			assert.Equal(t, []string{"compute_90"}, im.Targets)
		})
	}
}

func TestPTXGlobals(t *testing.T) {
	t.Parallel()
	im, err := image.Read([]byte(head + `.extern .global .align 4 .u32 elsewhere;
.visible .global .align 4 .u32 count;
.visible .const .align 4 .b8 table[16] = {1, 0, 0, 0, 2};
.visible .global .attribute(.managed) .align 8 .f64 managed;
.weak .global .v4 .f32 vector[2][3];
.visible .func (.param .b32 r) f(.param .b64 .ptr .global .align 8 x) { ret; }
.global .u32 static;
.global .align 1 .b8 $str[3] = {37, 100};
.global .attribute(.managed) .u32 a;
.extern .shared .align 16 .b8 s[];
.visible .entry k() { .shared .align 4 .b8 t[1024]; ret; }
.global .u8 last;`))
	require.NoError(t, err)
	assert.Equal(t, []image.Global{{Name: "count", Size: 4}, {Name: "table", Size: 16},
		{Name: "managed", Size: 8}, {Name: "vector", Size: 96}, {Name: "static", Size: 4},
		{Name: "a", Size: 4}, {Name: "last", Size: 1}}, im.Globals)
	for text, want := range map[string]string{".visible .global .u32": "ends in a variable",
		".visible .global .u32 ;":                         "a variable without a name",
		".visible .global .b8 a[4":                        "the array a has no size",
		".visible .global .b8 a[4294967295][4294967295];": "variable a is too large"} {
		_, err := image.Read([]byte(head + text))
		assert.ErrorContains(t, err, want)
	}
}

// A driver takes no bytes for a texture, so that the layout is not what the text looks like.
func TestPTXTextures(t *testing.T) {
	t.Parallel()
	im, err := image.Read([]byte(head + ".entry k(.param .u64 a, .param .texref t){}"))
	require.NoError(t, err)
	assert.False(t, im.Kernels[0].ParamsKnown)
	assert.Nil(t, im.Kernels[0].Params)
}

func TestPTXBlocks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]image.Kernel{
		".maxntid 128":               {MaxThreads: 128},
		".maxntid 16, 16, 2":         {MaxThreads: 512},
		".reqntid 32, 4":             {MaxThreads: 128, Block: [3]uint32{32, 4, 1}},
		".reqnctapercluster 2":       {Cluster: [3]uint32{2, 1, 1}},
		".maxntid 4294967295, 65535": {},
	} {
		im, err := image.Read([]byte(head + ".entry k() " + text + " {}"))
		require.NoError(t, err)
		want.Name, want.ParamsKnown = "k", true
		assert.Equal(t, want, im.Kernels[0], text)
	}
}

func TestPTXErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\ufeff" + head:                               "a byte order mark",
		".version 8":                                  ".version \"8\" is no version",
		".version x.y":                                ".version \"x.y\" is no version",
		".version 8.0\n":                              "no .target line",
		head + ".entry k(.param .u64":                 "ends in the parameters of kernel k",
		head + ".entry k(.param .u64 a":               "ends in the parameters of kernel k",
		head + ".entry k(.param .u64 a) {":            "ends in kernel k",
		head + ".entry k(.param .u64 a)":              "ends in kernel k",
		head + ".entry k(.param .u64 a .x){":          "parameter 0 of kernel k does not end",
		head + ".entry (":                             "an .entry without a name",
		head + ".entry k(.param a){}":                 "it has no type",
		head + ".entry k(.param .u64 ){}":             "it has no name",
		head + ".entry k(.param .align 3 .b8 a[4]){}": "its alignment is no power of two",
		head + ".entry k(.param .b8 a[]){}":           "its array has no size",
		head + ".entry k(.param .b8 a[4294967295]){}": "is too large",
		head + ".entry k(.param .b8 a[2000000000], .param .b8 b[2000000000]){}": "more than 2 GiB",
		head + ".func f() { ":                     "ends inside braces",
		head + "/* no end":                        "ends inside a comment",
		head + ".file 1 \"no end":                 "ends inside a string",
		head + ".func f(\x00 x":                   "a zero byte at 52, and more text after it",
		head + ".entry k() .pragma \x00;":         "ends in kernel k",
		head + ".visible .global .attribute(\x00": "ends in a variable",
		head + "\x00 .entry k() {}":               "a zero byte at 44, and more text after it",
	} {
		_, err := image.Read([]byte(text))
		var e *image.Error
		require.ErrorAs(t, err, &e, "%q", text)
		assert.Equal(t, image.PTX, e.Kind)
		assert.ErrorContains(t, err, "image: PTX text: the image is ")
		assert.ErrorContains(t, err, want, "%q", text)
	}
}

func TestPTXVersions(t *testing.T) {
	t.Parallel()
	for v, want := range map[image.PTXVersion]string{{8, 0}: "12.0", {8, 4}: "12.4", {8, 5}: "12.5",
		{8, 6}: "12.7", {8, 7}: "12.8", {8, 8}: "12.9", {9, 0}: "13.0", {9, 5}: "13.5", {7, 8}: "11.8",
		{7, 0}: "11.0", {6, 5}: "10.2", {6, 0}: "9.0", {4, 3}: "7.5", {8, 9}: "",
		{7, 9}: "", {10, 0}: "", {1, 0}: ""} {
		assert.Equal(t, want, v.CUDA(), v.String())
	}
	assert.True(t, image.PTXVersion{Major: 8, Minor: 7}.Less(image.PTXVersion{Major: 8, Minor: 8}))
	assert.True(t, image.PTXVersion{Major: 8, Minor: 7}.Less(image.PTXVersion{Major: 9}))
	assert.False(t, image.PTXVersion{Major: 9}.Less(image.PTXVersion{Major: 8, Minor: 7}))
	assert.True(t, image.PTXVersion{}.IsZero())
}
