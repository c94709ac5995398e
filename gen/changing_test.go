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
