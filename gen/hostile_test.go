package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/clib"
)

// fragment is a piece of a header as vendors might write it.
type fragment struct {
	name, c string
	// lines of mini.toml; without a table at first they are names
	toml string
	// what the generator says when it refuses the fragment; "" if it is bound and proved
	refused string
	lock    string // a line of the lock of one that is bound
}

const hostileHead = `
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <time.h>
#define MINI_VERSION 100
typedef enum { MINI_OK = 0, MINI_ERROR_A = 1 } miniResult;
miniResult miniVersion(int *version);
miniResult miniProbe(void);
`

// hostile are fragments that generators get wrong: each is bound and proved, or refused with a line
// that says why, or left out by a rule.
var hostile = []fragment{
	{name: "a packed member with a Go keyword", c: `
typedef struct __attribute__((packed)) { char a; unsigned int type; short func; } miniKeyword;
miniResult miniKeywordUse(const miniKeyword *k);`},
	{name: "a packed record of aligned members", c: `
typedef struct __attribute__((packed)) { unsigned int a, b; uint64_t c; } miniFlat;
miniResult miniFlatUse(const miniFlat *f);`},
	{name: "a packed record in another", c: `
typedef struct __attribute__((packed)) { unsigned int a, b; uint64_t c; } miniFlat2;
typedef struct { char lead; miniFlat2 flat; } miniAfter;
miniResult miniAfterUse(const miniAfter *a);`, refused: "mini.h:12: miniAfter.flat holds a packed"},
	{name: "a record aligned to 8", c: `
typedef struct { unsigned int kind; int n; } __attribute__((aligned(8))) miniKind8;
typedef struct { char lead; miniKind8 k; } miniHolds8;
miniResult miniKind8Use(const miniKind8 *k, const miniHolds8 *h);`},
	{name: "packed and aligned to 8", c: `
typedef struct __attribute__((packed, aligned(8))) { unsigned int kind; uint64_t at; char c; } miniBoth;
miniResult miniBothUse(const miniBoth *k);`},
	{name: "a member aligned to 8", c: `
typedef struct { int a; int b __attribute__((aligned(8))); } miniMember8;
miniResult miniMember8Use(const miniMember8 *k);`},
	{name: "aligned to 64", c: `
typedef struct __attribute__((aligned(64))) { int a[16]; } miniLine;
miniResult miniLineUse(const miniLine *k);`},
	{name: "__pragma(pack)", c: `
__pragma(pack(push, 1))
typedef struct { char a; int b; } miniMs;
__pragma(pack(pop))
miniResult miniMsUse(const miniMs *k);`},
	{name: "__pragma(pack) in macros, as in profilers' headers", c: `
#if defined(_WIN32)
#define MINI_START __pragma(pack(push, 1)) // no padding
#define MINI_PACKED __declspec(align(8))
#define MINI_END __pragma(pack(pop))
#else
#define MINI_START
#define MINI_PACKED __attribute__((packed)) __attribute__((aligned(8)))
#define MINI_END
#endif
MINI_START
typedef struct MINI_PACKED { unsigned int kind; uint64_t at; unsigned char flag; } miniActivity;
MINI_END
miniResult miniActivityUse(const miniActivity *a);`},
	{name: "pack(4)", c: `
#pragma pack(push, 4)
typedef struct { int a; uint64_t b; double c; } miniPack4;
#pragma pack(pop)
miniResult miniPack4Use(const miniPack4 *k);`},
	{name: "pack(2) with an array", c: `
#pragma pack(push, 2)
typedef struct { char a; int b[3]; void *p; } miniPack2;
#pragma pack(pop)
miniResult miniPack2Use(const miniPack2 *k);`},
	{name: "a zero bit-field", c: `
typedef struct { unsigned a : 3; unsigned : 0; unsigned b : 5; } miniZero;
miniResult miniZeroUse(const miniZero *k);`},
	{name: "an unnamed bit-field", c: `
typedef struct { unsigned a : 3; unsigned : 7; unsigned b : 5; } miniUnnamed;
miniResult miniUnnamedUse(const miniUnnamed *k);`},
	{name: "long in a signature only", c: `
miniResult miniLongs(long n, unsigned long m);`, lock: "Longs func miniLongs func(Long, ULong) error"},
	{name: "long beside a function of its name", c: `
miniResult miniLong(long n);`, refused: "the Go name Long of type long is taken by func miniLong"},
	{name: "long as a result only", c: `
miniResult miniLongOut(unsigned long *n);`},
	{name: "struct timespec in a signature only", c: `
miniResult miniWait(const struct timespec *until);`},
	{name: "a bool result", c: `
bool miniIs(int n);`},
	{name: "a bool written", c: `
miniResult miniIsSet(int n, bool *set);`},
	{name: "arrays of floats in two dimensions", c: `
typedef struct { float m[3][4]; double d[2][2]; } miniMatrix;
miniResult miniMatrixUse(const miniMatrix *m);`},
	{name: "a struct with inline function pointers", c: `
typedef struct { int n; void (*notify)(void *data, int n); int (*ask)(int); void *data; } miniHooks;
miniResult miniHooksUse(const miniHooks *h);`},
	{name: "a function that returns a struct", c: `
typedef struct { int err; int code; } miniStatus;
miniStatus miniStatusGet(int n);`},
	{name: "a function that returns a large struct", c: `
typedef struct { uint64_t a, b, c; } miniLarge;
miniLarge miniLargeGet(int n);`},
	{name: "a function that returns a float", c: `
float miniRatio(int n);`, refused: "specs/mini.json:14: the function miniRatio: a " +
		"floating-point result is not supported by the call path; if that will do, say why in " +
		"specs/mini.toml: [skip] miniRatio = …"},
	{name: "a function that returns a float, skipped", c: `
float miniRatio2(int n);`, toml: "[skip]\nminiRatio2 = \"floats come back in another register\"\n"},
	{name: "a variadic function", c: `
miniResult miniPrint(const char *format, ...);`, refused: "the function miniPrint: a variadic function"},
	{name: "a variadic function, skipped", c: `
miniResult miniPrint2(const char *format, ...);`, toml: "[skip]\nminiPrint2 = \"variadic\"\n"},
	{name: "a float struct by value", c: `
typedef struct { float x, y; } miniPoint;
miniResult miniPointSet(miniPoint p);`, refused: "the function miniPointSet: a struct with " +
		"floating-point members by value"},
	{name: "a float struct by value, skipped", c: `
typedef struct { float x, y; } miniPoint2;
miniResult miniPoint2Set(miniPoint2 p);`, toml: "[skip]\nminiPoint2Set = \"floats\"\n"},
	{name: "a variadic callback", c: `
typedef void (*miniLog)(const char *format, ...);
miniResult miniLogSet(miniLog log);`, refused: "specs/mini.json:23: the type miniLog: a variadic " +
		"callback can't be written in Go; miniLogSet takes it"},
	{name: "a type that nothing defines", c: `
miniResult miniMissing(miniNowhere_t *x);`, refused: "if miniNowhere_t is a type, nothing defines it"},
	{name: "skip of a function that is bound", c: `
miniResult miniFine(int n);`, toml: "[skip]\nminiNone = \"x\"\n", refused: `no function and no type is named "miniNone"`},
	{name: "skip without a reason", c: `
miniResult miniFine2(int n);`, toml: "[skip]\nminiFine2 = \"\"\n", refused: "miniFine2 needs a reason"},
	{name: "skip of a type that Go can express", c: `
typedef struct { int a; } miniEasy;
miniResult miniEasyUse(const miniEasy *e);`, toml: "[skip]\nminiEasy = \"x\"\n",
		refused: "[skip] miniEasy: Go can express the type"},
	{name: "a variadic callback, skipped", c: `
typedef void (*miniLog2)(const char *format, ...);
miniResult miniLog2Set(miniLog2 log);`, toml: "[skip]\nminiLog2 = \"variadic\"\n", lock: "Log2 type miniLog2 uintptr"},
	{name: "a callback that takes a float, skipped", c: `
typedef void (*miniTick)(double at);
miniResult miniTickSet(miniTick tick);`, toml: "[skip]\nminiTick = \"floats\"\n", lock: "Tick type miniTick uintptr"},
	{name: "a callback that takes a float", c: `
typedef void (*miniTock)(double at);
miniResult miniTockSet(miniTock tock);`, refused: "the type miniTock: a callback that takes double by value"},
	{name: "a function pointer that no typedef names", c: `
miniResult miniEach(int (*visit)(int n, void *user), void *user);`},
	{name: "an array of structs in place", c: `
typedef struct { int n; struct { short a; char b; } items[3]; } miniItems;
miniResult miniItemsUse(const miniItems *i);`},
	{name: "a pointer to a pointer to a struct", c: `
typedef struct { int n; } miniLeaf;
miniResult miniLeaves(miniLeaf **leaves, const miniLeaf *const *more);`},
	{name: "a const result", c: `
const char *miniText(int n);`},
	{name: "a result of 64 bits", c: `
uint64_t miniBig(int n);`},
	{name: "more than sixteen parameters", c: `
miniResult miniMany(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k,
	int l, int m, int n, double o, float p, int q, int r);`},
	{name: "a bit-field of 64 bits", c: `
typedef struct { uint64_t a : 1; uint64_t b : 62; uint64_t c : 1; } miniBits64;
miniResult miniBits64Use(const miniBits64 *b);`},
	{name: "a negative bit-field", c: `
typedef struct { int a : 3; int b : 29; } miniBitsSigned;
miniResult miniBitsSignedUse(const miniBitsSigned *b);`},
	{name: "a packed bit-field", c: `
#pragma pack(push, 1)
typedef struct { char lead; unsigned a : 3; } miniPackedBits;
#pragma pack(pop)
miniResult miniPackedBitsUse(const miniPackedBits *b);`, refused: "mini.h:12: bit-fields of a packed struct"},
	{name: "pack of a number that is none", c: `
#pragma pack(push, 3)
typedef struct { int a; } miniPack3;
#pragma pack(pop)`, refused: "mini.h:11: #pragma pack(push,3) is not supported"},
	{name: "a vector", c: `
typedef float miniVec __attribute__((vector_size(16)));
miniResult miniVecUse(const miniVec *v);`, refused: "mini.h:11: the attribute vector_size is not supported"},
	{name: "a long double", c: `
typedef struct { long double d; } miniExtended;
miniResult miniExtendedUse(const miniExtended *e);`, refused: "long double"},
	{name: "an enum that is negative and large", c: `
typedef enum { MINI_MIXED_A = -1, MINI_MIXED_B = 0x7fffffff } miniMixed;
miniResult miniMixedUse(miniMixed m);`},
	{name: "a macro with a cast and a shift", c: `
#define MINI_BIT ((uint32_t)1 << 31)
#define MINI_ALL (~0ULL)`},
	{name: "an inline function", c: `
miniResult miniOuter(int n);
static inline miniResult miniInner(int n) { return miniOuter(n + 1); }`},
	{name: "two typedefs of one struct", c: `
typedef struct miniOne_st { int a; } miniOne, miniTwo;
miniResult miniOneUse(const miniOne *a, const miniTwo *b);`},
	{name: "an incomplete array of an unknown struct", c: `
typedef struct miniHid_st miniHid;
struct miniElse_st;
miniResult miniHidUse(miniHid *a, miniHid **b, struct miniElse_st *c);`},
	{name: "an unfinished struct", c: `
typedef struct { int a;`, refused: "unexpected EOF"},
	{name: "versions in symbols", c: `
typedef struct miniLink_st *miniLink;
miniResult __miniLinkCreate_1_0(miniLink *link, int n);
#define miniLinkCreate __miniLinkCreate_1_0`},
	{name: "parameters named after types and packages", c: `
miniResult miniNames(int string, int type, int unsafe, int ccall, int rc, int err, int len);`},
	{name: "a flexible array", c: `
typedef struct { int n; int items[]; } miniFlexible;
miniResult miniFlexibleUse(const miniFlexible *f);`},
	{name: "a union of floats", c: `
typedef union { float f; double d; uint64_t u; } miniAny;
typedef struct { int kind; miniAny v; } miniTagged;
miniResult miniTaggedUse(const miniTagged *f);`},
	{name: "an enum of 64 bits", c: `
typedef enum { MINI_WIDE_A = 1, MINI_WIDE_B = 0x100000000LL } miniWide;
miniResult miniWideUse(miniWide w);`},
	{name: "a struct in a struct in a union", c: `
typedef struct { union { struct { int a, b; } in; struct { struct { char c; double d; } deep; }; }; } miniNested;
miniResult miniNestedUse(const miniNested *n);`},
	{name: "a function pointer that returns a pointer", c: `
typedef void *(*miniAlloc)(size_t n, void *user);
miniResult miniAllocSet(miniAlloc alloc, void *user);`},
	{name: "members that collide in Go", c: `
typedef struct { int a_b; int aB; int A_b; } miniCollide;
miniResult miniCollideUse(const miniCollide *c);`},
	{name: "a struct that names itself", c: `
typedef struct miniNode_st { struct miniNode_st *next; int v; } miniNode;
miniResult miniNodeUse(const miniNode *n);`},
	{name: "char of all three kinds", c: `
typedef struct { char a; signed char b; unsigned char c; } miniChars;
miniResult miniCharsUse(char a, signed char b, unsigned char c, const miniChars *s);`},
}

// bind reads a header and emits its bindings.
func bind(t *testing.T, dir, header, toml string) (specs string, code int, said string) {
	t.Helper()
	text, err := os.ReadFile("emit/testdata/small/mini.toml")
	require.NoError(t, err)
	specs = filepath.Join(dir, "specs")
	write := func(path, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	write(filepath.Join(specs, "mini.toml"),
		strings.Replace(string(text), "format = [10, 1]", "format = [100, 1]", 1)+toml)
	write(filepath.Join(specs, "mini.facts.toml"), "")
	write(filepath.Join(dir, "headers", "1.0", "include", "mini.h"), header)
	code, said = runGen("merge", "-api", "mini", "-specs", specs, "-dir",
		filepath.Join(dir, "headers"), "-o", filepath.Join(specs, "mini.json"))
	if code == 0 {
		code, said = runGen("emit", "-specs", specs, "-out", dir, "-api", "mini")
	}
	return specs, code, said
}

// TestHostileFragments binds each fragment alone.
func TestHostileFragments(t *testing.T) {
	t.Parallel()
	for _, f := range hostile {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			specs, code, said := bind(t, t.TempDir(), hostileHead+f.c, f.toml)
			if f.refused != "" {
				require.Equal(t, 1, code, said)
				assert.Contains(t, said, f.refused)
				return
			}
			require.Zero(t, code, said)
			assert.NotContains(t, said, "is not bound")
			assert.NotContains(t, said, "size and alignment only")
			lock, err := os.ReadFile(filepath.Join(specs, "mini.lock"))
			require.NoError(t, err)
			assert.Contains(t, string(lock), f.lock)
		})
	}
}

// TestHostileProof compiles the fragments that are bound together, and proves them against C.
func TestHostileProof(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	t.Parallel()
	header, skip, tmp := hostileHead, "[skip]\n", t.TempDir()
	for _, f := range hostile {
		if f.refused == "" {
			header += f.c
			skip += strings.TrimPrefix(f.toml, "[skip]\n")
		}
	}
	specs, code, said := bind(t, tmp, header, skip)
	require.Zero(t, code, said)
	copyModule(t, tmp)
	for _, dir := range []string{"proof", "bindings"} {
		files, err := filepath.Glob(filepath.Join("..", "internal", "testing", dir, "*.go"))
		require.NoError(t, err)
		for _, file := range files {
			if name := filepath.Base(file); name[0] != 'z' && !strings.HasSuffix(name, "_test.go") {
				data, err := os.ReadFile(file)
				require.NoError(t, err)
				to := filepath.Join(tmp, "internal", "testing", dir, name)
				require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
				require.NoError(t, os.WriteFile(to, data, 0o644))
			}
		}
	}
	test, err := os.ReadFile("testdata/hostile/proof_test.go.txt")
	require.NoError(t, err)
	hostileDir := filepath.Join(tmp, "internal", "testing", "hostile")
	require.NoError(t, os.MkdirAll(hostileDir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(hostileDir, "proof_test.go"), test, 0o644))
	testing := filepath.Join(tmp, "internal", "testing")
	gen(t, 0, "oracle", "-specs", specs, "-out", filepath.Join(tmp, "oracles"),
		"-bindings", filepath.Join(testing, "bindings", "zbindings.go"),
		"-refs", filepath.Join(testing, "proof", "zrefs.go"))
	runGo(t, tmp, nil, "vet", "./mini", "./internal/testing/...", "./internal/libs")

	cc, err := clib.Compiler()
	if errors.Is(err, clib.ErrNoCompiler) {
		t.Skipf("nothing is called: %v", err)
	}
	require.NoError(t, err)
	source := filepath.Join(tmp, "oracles", "oracle_mini.c")
	env := []string{"SPEC=" + filepath.Join(specs, "mini.json"),
		"PACKAGE=" + filepath.Join(tmp, "mini")}
	for _, b := range []struct {
		name   string
		number int
		flags  []string
	}{{"SPEC", 0, nil}, {"HEADER", 100, []string{"-I", filepath.Join(tmp, "headers", "1.0", "include"),
		"-DORACLE_HEADER=<mini.h>", "-D__pragma(x)=_Pragma(#x)"}}} {
		library := filepath.Join(tmp, clib.SharedLibrary(strings.ToLower(b.name)))
		require.NoError(t, clib.Build{Compiler: cc, Source: source, Out: library, Number: b.number,
			Flags: b.flags}.Run(), b.name)
		env = append(env, "ORACLE_"+b.name+"="+library)
	}
	runGo(t, tmp, env, "test", "./internal/testing/hostile")
}
