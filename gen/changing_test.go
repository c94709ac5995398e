package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The headers of three releases, in the manner of vendors: in the second a union is an alias, a
// struct has another tag, and a struct holds an array whose length is a macro that grew; in the
// third, inline functions forward the plain names and the old struct's name is an empty one.
var changing = map[string]string{
	"1.0": `
#define MINI_VERSION 100
typedef enum { MINI_OK = 0, MINI_ERROR_A = 1 } miniResult;
typedef union miniAttr_un { int policy; size_t bytes[2]; } miniAttr;
typedef enum miniOption_en { MINI_OPTION_A = 1 } miniOption;
typedef struct miniProp_st { char name[784]; size_t memory; } miniProp;
typedef struct miniConfig_v1 { size_t size; int blocking; } miniConfig;
#define MINI_METRICS 2
typedef struct { unsigned int version; struct { int id; double value; } metrics[MINI_METRICS]; } miniMetrics;
miniResult miniVersion(int *version);
miniResult miniProbe(void);
miniResult miniGetAttr(miniOption option, miniAttr *pAttr);
miniResult miniGetProp(miniProp *prop, int device);
miniResult miniInit(const miniConfig *config);
miniResult miniGetMetrics(miniMetrics *metrics);
miniResult miniOld(const miniAttr *attr);
`,
	"2.0": `
#define MINI_VERSION 200
typedef enum { MINI_OK = 0, MINI_ERROR_A = 1 } miniResult;
typedef union miniLaunchAttr_un { int policy; size_t bytes[8]; } miniLaunchAttr;
typedef miniLaunchAttr miniAttr;
typedef enum miniChoice_en { MINI_OPTION_A = 1, MINI_OPTION_B } miniChoice;
typedef miniChoice miniOption;
typedef struct miniProp_st { char name[784]; size_t memory; } miniProp;
typedef struct miniConfig_v2 { size_t size; int blocking; int channels; void *name; } miniConfig;
#define MINI_METRICS 5
typedef struct { unsigned int version; struct { int id; double value; } metrics[MINI_METRICS]; } miniMetrics;
miniResult miniVersion(int *version);
miniResult miniProbe(void);
miniResult miniGetAttr(miniOption option, miniAttr *pAttr);
miniResult miniGetProp(miniProp *prop, int device);
miniResult miniInit(const miniConfig *config);
miniResult miniGetMetrics(miniMetrics *metrics);
`,
}

// third is the header of the release that follows; the struct behind the plain name is another.
const third = `
#define MINI_VERSION 300
typedef enum { MINI_OK = 0, MINI_ERROR_A = 1 } miniResult;
typedef union miniLaunchAttr_un { int policy; size_t bytes[8]; } miniLaunchAttr;
typedef miniLaunchAttr miniAttr;
typedef enum miniChoice_en { MINI_OPTION_A = 1, MINI_OPTION_B } miniChoice;
typedef miniChoice miniOption;
typedef struct miniProp_st { char name[1456]; size_t memory; size_t more; } miniProp;
typedef struct miniConfig_v2 { size_t size; int blocking; int channels; void *name; } miniConfig;
#define MINI_METRICS 5
typedef struct { unsigned int version; struct { int id; double value; } metrics[MINI_METRICS]; } miniMetrics;
miniResult miniVersion(int *version);
miniResult miniProbe(void);
miniResult miniGetAttr(miniOption option, miniAttr *pAttr);
miniResult miniGetPropR2(miniProp *prop, int device);
static inline miniResult miniGetProp(miniProp *prop, int device) { return miniGetPropR2(prop, device); }
miniResult miniInit(const miniConfig *config);
miniResult miniGetMetrics(miniMetrics *metrics);
`

// TestHeadersThatChange reads headers as vendors change them, merges and binds them.
func TestHeadersThatChange(t *testing.T) {
	t.Parallel()
	specs, headers, out := t.TempDir(), t.TempDir(), t.TempDir()
	rules, err := os.ReadFile("emit/testdata/small/mini.toml")
	require.NoError(t, err)
	text := strings.Replace(string(rules), "format = [10, 1]", "format = [100, 1]", 1)
	facts := "[direction]\n\"miniGetAttr.pAttr\" = \"out\"\n\"miniGetProp.prop\" = \"out\"\n"
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(specs, name), []byte(text), 0o600))
	}
	write("mini.toml", text+"[layouts.grown]\nminiConfig = \"C is told its size\"\n"+
		"miniAttr = \"one value is passed\"\n")
	write("mini.facts.toml", facts)
	read := func(version, header string) {
		dir := filepath.Join(headers, version, "include")
		require.NoError(t, os.MkdirAll(dir, 0o700))
		header = "#include <stddef.h>\n" + header
		require.NoError(t, os.WriteFile(filepath.Join(dir, "mini.h"), []byte(header), 0o600))
	}
	merge := func() {
		code, said := runGen("merge", "-api", "mini", "-specs", specs, "-dir", headers, "-o",
			filepath.Join(specs, "mini.json"))
		require.Zero(t, code, said)
	}
	emit := func() (int, string) {
		return runGen("emit", "-specs", specs, "-out", out, "-api", "mini")
	}
	lock := func() string {
		data, err := os.ReadFile(filepath.Join(specs, "mini.lock"))
		require.NoError(t, err)
		return string(data)
	}
	for version, header := range changing {
		read(version, header)
	}
	merge()
	code, said := emit()
	require.Zero(t, code, said)
	for _, line := range []string{
		"GetAttr func miniGetAttr func(Choice) (LaunchAttr, error)",
		"Attr type miniAttr = LaunchAttr",
		"LaunchAttr type miniLaunchAttr union 64/8",
		"AttrUntil10 type miniAttr@1.0 union 16/8",
		"Old func miniOld func(*AttrUntil10) error",
		"Option type miniOption = Choice",
		"GetProp func miniGetProp func(int32) (Prop, error)",
		"Prop type miniProp struct 792/8",
		"Config type miniConfig struct 24/8",
		"Metrics type miniMetrics struct 88/8",
		"MetricsMetrics type miniMetrics.metrics struct 16/8",
	} {
		assert.Contains(t, lock(), line+"\n")
	}
	structs, err := os.ReadFile(filepath.Join(out, "mini", "zstructs.go"))
	require.NoError(t, err)
	assert.Contains(t, string(structs), "Metrics [5]MetricsMetrics")
	layouts, err := os.ReadFile(filepath.Join(out, "mini", "zlayouts.go"))
	require.NoError(t, err)
	assert.Contains(t, string(layouts), `dl.Layout{Struct: "miniMetrics", From: "2.0"}`)
	assert.NotContains(t, string(layouts), "miniConfig")
	before := lock()

	read("3.0", third)
	merge()
	code, said = emit()
	require.Equal(t, 1, code, "the struct of a locked name is another one")
	assert.Contains(t, said, `the type Prop (miniProp) would change from "struct 792/8" to `+
		`"struct 1472/8"`)
	assert.Equal(t, before, lock())

	write("mini.toml", text+"\"miniProp@3.0\" = { go = \"PropR2\", why = \"the layout of 3.0\" }\n"+
		"[layouts.grown]\nminiConfig = \"C is told its size\"\nminiAttr = \"one value is passed\"\n")
	write("mini.facts.toml", facts+"\"miniGetPropR2.prop\" = \"out\"\n")
	code, said = emit()
	require.Zero(t, code, said)
	for line := range strings.Lines(before) {
		assert.Contains(t, lock(), line, "no line changes")
	}
	for _, line := range []string{"PropR2 type miniProp@3.0 struct 1472/8",
		"GetPropR2 func miniGetPropR2 func(int32) (PropR2, error)"} {
		assert.Contains(t, lock(), line+"\n", fmt.Sprint(said))
	}
}

// settled is a header whose next release must not change what callers mean.
const settled = `
#include <stddef.h>
#define MINI_VERSION 100
#define MINI_FLAG_FAST 4
typedef enum { MINI_OK = 0, MINI_ERROR_A = 1 } miniResult;
typedef enum miniKind_en { MINI_KIND_A = 0, MINI_KIND_B = 1, MINI_KIND_MAX = 2 } miniKind;
typedef struct miniCopy_st { int from; int to; int bits : 3; int more : 5; int reserved[4]; } miniCopy;
typedef struct miniShape_st { union { int width; float ratio; }; struct { int x, y; } at; } miniShape;
typedef void (*miniFn)(int device, int status, void *data);
miniResult miniVersion(int *version);
miniResult miniProbe(void);
miniResult miniCopyAll(const miniCopy *copy, miniShape *shape, miniKind kind);
miniResult miniMove(size_t dst, size_t src, size_t bytes);
miniResult miniList(int device, int *ids);
miniResult miniWatch(miniFn fn, void *data);
`

// TestReleaseChangesMeaning edits a release once each as a vendor might, so that C programs still
// compile. Each edit is refused or allowed, and the difference between the releases is listed.
func TestReleaseChangesMeaning(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("emit/testdata/small/mini.toml")
	require.NoError(t, err)
	text := strings.Replace(string(rules), "format = [10, 1]", "format = [100, 1]", 1)
	for name, tc := range map[string]struct{ from, to, refused, listed, ack string }{
		"members swapped": {"int from; int to;", "int to; int from;",
			`(miniCopy) would change from "from 0 int32; to 4 int32" to "to 0 int32; from 4 int32"`,
			"field `to` at 0, was 4",
			`miniCopy = { to = "| from 4 int32; to 0 int32", why = "a test" }`},
		"a member renamed": {"int from; int to;", "int source; int to;",
			`would change from "from 0 int32" to "source 0 int32"`, "field `from` is called `source`",
			`miniCopy = { to = "| -from", why = "a test" }`},
		"a member of another kind": {"int from;", "float from;", `"from 0 int32" to "from 0 float32"`,
			"field `from` is `float`, was `int`",
			`miniCopy = { to = "| from 0 float32", why = "a test" }`},
		"bit-fields swapped": {"bits : 3; int more : 5", "more : 5; int bits : 3",
			"bits 8.5:3 int32", "field `more` is bits 0+5, was 3+5",
			`miniCopy = { to = "| bits 8.5:3 int32; more 8.0:5 int32", why = "a test" }`},
		"a member of a union gone": {"float ratio; ", "",
			`(miniShape) would change from "ratio 0 float32"`, "ratio` is gone",
			`miniShape = { to = "| -ratio", why = "a test" }`},
		"members in place swapped": {"int x, y;", "int y, x;", "(miniShape.at) would change",
			"field `at.y` at 0, was 4",
			`"miniShape.at" = { to = "| x 4 int32; y 0 int32", why = "a test" }`},
		"reserved bytes used": {"int reserved[4];", "int flags; int reserved[3];", "",
			"new field `int flags`", ""},
		"an enumerator renumbered": {"MINI_KIND_B = 1", "MINI_KIND_B = 3",
			"the value of KindB (MINI_KIND_B) would change from 1 to 3", "`MINI_KIND_B` is 3, was 1",
			`MINI_KIND_B = { to = "3", why = "a test" }`},
		"an enumerator renamed": {"MINI_KIND_B = 1", "MINI_KIND_C = 1", "",
			"`MINI_KIND_B` is called `MINI_KIND_C`", ""},
		"a count that grows": {"MINI_KIND_MAX = 2", "MINI_KIND_C = 2, MINI_KIND_MAX = 3", "",
			"`MINI_KIND_MAX` is 3, was 2", ""},
		"a count that shrinks": {"MINI_KIND_MAX = 2", "MINI_KIND_MAX = 1",
			"the value of KindMax (MINI_KIND_MAX) would change from 2 to 1", "is 1, was 2", ""},
		"a macro renumbered": {"FAST 4", "FAST 8", "FlagFast (MINI_FLAG_FAST) would change from 4 to 8",
			"`8`, was `4`", `MINI_FLAG_FAST = { to = "8", why = "a test" }`},
		"a macro spelled otherwise": {"FAST 4", "FAST 0x04", "", "", ""},
		"parameters swapped": {"size_t dst, size_t src", "size_t src, size_t dst",
			"the parameters of Move (miniMove) would change from (dst, src, bytes) to (src, dst, bytes)",
			"parameters in another order: `(size_t src, size_t dst, size_t bytes)`",
			`miniMove = { to = "| (src, dst, bytes)", why = "a test" }`},
		"a parameter renamed": {"size_t bytes);", "size_t words);", "to (dst, src, words)",
			"parameter `bytes` is called `words`",
			`miniMove = { to = "| (dst, src, words)", why = "a test" }`},
		"an output that gains a count": {"int device, int *ids", "int count, int *ids",
			"the parameters of List (miniList) would change from (device, ids) to (count, ids)",
			"parameter `device` is called `count`",
			`miniList = { to = "| (count, ids)", why = "a test" }`},
		"parameters of a callback swapped": {"int device, int status", "int status, int device",
			"the type Fn (miniFn) would change", "parameters in another order",
			`miniFn = { to = "| (status, device, data)", why = "a test" }`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			specs, headers, out := t.TempDir(), t.TempDir(), t.TempDir()
			write := func(path, text string) {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
				require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			}
			rules := func(ack string) {
				write(filepath.Join(specs, "mini.toml"), text+"[grows]\nMINI_KIND_MAX = \"counts\"\n"+
					"[changed]\n"+ack+"\n")
				write(filepath.Join(specs, "mini.facts.toml"), "[direction]\n\"miniList.ids\" = \"out\"\n")
			}
			release := func(version, header string) (int, string) {
				write(filepath.Join(headers, version, "include", "mini.h"), header)
				gen(t, 0, "merge", "-api", "mini", "-specs", specs, "-dir", headers, "-o",
					filepath.Join(specs, "mini.json"))
				return runGen("emit", "-specs", specs, "-out", out, "-api", "mini")
			}
			rules("")
			code, said := release("1.0", settled)
			require.Zero(t, code, said)
			require.Contains(t, settled, tc.from)
			code, said = release("2.0", strings.NewReplacer(tc.from, tc.to, "VERSION 100", "VERSION 200").
				Replace(settled))
			listed, _ := gen(t, 0, "diff", "-api", "mini", "-specs", specs, "1.0", "2.0")
			assert.Contains(t, listed, tc.listed)
			if tc.refused == "" {
				require.Zero(t, code, said)
				return
			}
			require.Equal(t, 1, code, said)
			assert.Contains(t, said, tc.refused)
			if tc.ack != "" {
				rules(tc.ack)
				code, said = runGen("emit", "-specs", specs, "-out", out, "-api", "mini")
				require.Zero(t, code, said)
				moved := name == "members swapped" || name == "bit-fields swapped"
				assert.Equal(t, moved, strings.Contains(said, "new guard: "+
					"miniCopyAll returns ErrLayout in libraries that lay miniCopy out as before 2.0"), said)
				code, said = runGen("emit", "-specs", specs, "-out", out, "-api", "mini")
				require.Zero(t, code, "the acknowledgement stays: %s", said)
				assert.NotContains(t, said, "new guard")
			}
		})
	}
}
