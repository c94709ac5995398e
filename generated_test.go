package gpuevent_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/testing/bindings"
	"github.com/gpuevent/gpuevent/internal/testing/clib"
	"github.com/gpuevent/gpuevent/internal/testing/proof"
)

// Libraries that were built elsewhere, for a machine that has no C compiler, and where to write
// what was proved.
var (
	oracleProved = flag.String("oracle.proved", "", "check every release, and write the names of all "+
		"that was proved in each to this JSON `file`")
	oracleUnion = flag.Bool("oracle.union", false,
		"check only the newest forms of all releases, against the spec's own declarations")
	oracleAll = flag.Bool("oracle.all", false, "check every release, not only the newest of each "+
		"major version")
)

// api is one API under test.
type api struct {
	*proof.API
	lib      *dl.Library
	result   func(int32) error
	prebuilt *string
}

// apis are all of the specs; -oracle.NAME has a prebuilt oracle.
var apis = func() []api {
	var list []api
	for _, b := range bindings.All {
		list = append(list, api{b.API, b.Library, b.Result,
			flag.String("oracle."+b.Name, "", "prebuilt `library`, the oracle of "+b.Name)})
	}
	return list
}()

// named are APIs by their names in the specs.
func named(t *testing.T, names ...string) []api {
	t.Helper()
	var list []api
	for _, name := range names {
		i := slices.IndexFunc(apis, func(a api) bool { return a.Name == name })
		require.GreaterOrEqual(t, i, 0, "no API %s", name)
		list = append(list, apis[i])
	}
	return list
}

// compared are the releases that are compared with their headers, where those are: the newest of
// each major version, and the oldest of the last.
func compared(s *proof.Spec) []string {
	major := func(name string) string { m, _, _ := strings.Cut(name, "."); return m }
	var list []string
	newest := s.Versions[len(s.Versions)-1].Name
	for i, v := range s.Versions {
		last := i+1 == len(s.Versions) || major(s.Versions[i+1].Name) != major(v.Name)
		first := i == 0 || major(s.Versions[i-1].Name) != major(v.Name)
		if last || first && major(v.Name) == major(newest) {
			list = append(list, v.Name)
		}
	}
	return list
}

func (a api) spec(t *testing.T) *proof.Spec {
	t.Helper()
	s, err := proof.LoadSpec(filepath.Join("specs", a.Name+".json"))
	require.NoError(t, err)
	return s
}

// newest is the version of the newest header, as the library would tell it.
func (a api) newest(s *proof.Spec) string {
	if v := &a.lib.Version; len(v.Format) > 0 {
		return v.Text(s.Number(s.Newest()))
	}
	return s.Newest()
}

func (a api) source() string {
	return filepath.Join("internal", "testing", "proof", "testdata", "oracle_"+a.Name+".c")
}

// codes are the API's result codes but success.
func (a api) codes() []int32 {
	result := reflect.TypeOf(a.result(1))
	var out []int32
	for _, k := range a.Consts {
		if v := reflect.ValueOf(k.Value); v.Type() == result && !v.IsZero() {
			out = append(out, int32(v.Convert(reflect.TypeFor[int32]()).Int()))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (a api) checker(t *testing.T, o *proof.Oracle, version string) *proof.Checker {
	return &proof.Checker{API: a.API, Spec: a.spec(t), Oracle: o, Version: version, Result: a.result,
		Codes: a.codes()}
}

// oracleLibrary is an oracle to build: of one release against its header or the spec, or of all
// releases.
type oracleLibrary struct {
	name    string // of the subtest
	version string // "" for all
	include string // "" for the spec's own declarations
}

// releaseProofs are the names of what was proved, by release and kind.
type releaseProofs map[string]map[string][]string

// oracles lists what to build: from the spec, the union and the oldest release; against headers,
// those that this checkout has.
func (a api) oracles(s *proof.Spec) []oracleLibrary {
	list := []oracleLibrary{{name: "spec"}}
	releases := compared(s)
	if *oracleUnion {
		return list
	}
	if *oracleAll || *oracleProved != "" {
		releases = nil
		for _, v := range s.Versions {
			releases = append(releases, v.Name)
			list = append(list, oracleLibrary{name: "spec of " + v.Name, version: v.Name})
		}
	} else {
		list = append(list, oracleLibrary{name: "spec of " + s.Versions[0].Name,
			version: s.Versions[0].Name})
	}
	for _, v := range releases {
		dir := filepath.Join(".headers", a.Name, v, "include")
		if _, err := os.Stat(dir); err == nil {
			list = append(list, oracleLibrary{"header of " + v, v, dir})
		}
	}
	return list
}

// builder builds libraries, as many at a time as there are processors.
type builder struct {
	dir, cc string
	slots   chan struct{}
}

func newBuilder(t *testing.T) *builder {
	if slices.ContainsFunc(apis, func(a api) bool { return *a.prebuilt != "" }) {
		t.Skip("the oracles were built elsewhere: there is no compiler for this target")
	}
	cc, err := clib.Compiler()
	if errors.Is(err, clib.ErrNoCompiler) {
		t.Skip(err)
	}
	return &builder{oracleDir(t), cc, make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// oracleDir is a folder for libraries. A library that was loaded stays loaded, so Windows can't
// remove it.
func oracleDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "gpuevent-oracle")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// start builds in the background; the function returned waits for it.
func (b *builder) start(name string, build clib.Build) func() (string, error) {
	build.Compiler, build.Out = b.cc, filepath.Join(b.dir, clib.SharedLibrary(name))
	return sync.OnceValues(func() func() (string, error) {
		done := make(chan error, 1)
		go func() {
			b.slots <- struct{}{}
			defer func() { <-b.slots }()
			done <- build.Run()
		}()
		return sync.OnceValues(func() (string, error) { return build.Out, <-done })
	}())
}

// needsC skips what is about C where C is never called: the layouts are those of 64-bit targets.
func needsC(t *testing.T) {
	t.Helper()
	if !ccall.Supported {
		t.Skipf("no vendor has a library for %s/%s, and nothing of C is used there",
			runtime.GOOS, runtime.GOARCH)
	}
}

// TestOracle calls every function with a library that a C compiler made of the API's prototypes,
// and compares every argument, result, type and constant with what C has.
func TestOracle(t *testing.T) {
	needsC(t)
	proved := map[string]releaseProofs{}
	for _, a := range apis {
		t.Run(a.Name, func(t *testing.T) {
			if path := *a.prebuilt; path != "" {
				o, err := proof.Open(path)
				require.NoError(t, err)
				defer a.lib.InstallAs(path, a.newest(a.spec(t)), o.Table())()
				a.check(t, a.checker(t, o, ""))
				return
			}
			b, s := newBuilder(t), a.spec(t)
			type pending struct {
				oracleLibrary
				built func() (string, error)
			}
			proved[a.Name] = releaseProofs{}
			var all []pending
			for i, l := range a.oracles(s) {
				all = append(all, pending{l, b.start(fmt.Sprint("oracle_", a.Name, i), clib.Build{
					Source: a.source(), Number: s.Number(l.version), Include: l.include, API: a.Name})})
			}
			for _, p := range all {
				t.Run(p.name, func(t *testing.T) {
					path, err := p.built()
					require.NoError(t, err, "the C text must compile: its assertions are part of the proof")
					o, err := proof.Open(path)
					require.NoError(t, err)
					defer a.lib.InstallAs(path, a.newest(s), o.Table())()
					got := a.check(t, a.checker(t, o, p.version))
					if p.version != "" && p.include == "" {
						proved[a.Name][p.version] = got
					}
				})
			}
		})
	}
	if *oracleProved != "" && len(proved) > 0 {
		data, err := json.MarshalIndent(proved, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(*oracleProved, append(data, '\n'), 0o644))
	}
}

// check runs all checks and returns the names of what they proved.
func (a api) check(t *testing.T, c *proof.Checker) map[string][]string {
	functions, layout, constants, lists := c.Functions(), c.Layout(), c.Constants(), new(proof.Report)
	total := new(proof.Report)
	for _, r := range []*proof.Report{functions, layout, constants} {
		total.Add(r)
	}
	t.Logf("%s: %s", a.Name, total)
	if c.Version == "" {
		lists = c.Lists()
		t.Logf("%s, several calls in one crossing: %s", a.Name, lists)
		assert.NotZero(t, lists.Words)
	}
	for _, s := range total.Skipped {
		t.Logf("not compared: %s", s)
	}
	if c.Version == "" {
		assert.Empty(t, total.Skipped, "the newest shapes are compared without exception")
	}
	for _, f := range append(total.Findings, lists.Findings...) {
		t.Error(f)
	}
	return map[string][]string{"functions": functions.Proved(), "types": layout.Proved(),
		"consts": constants.Proved()}
}

// A mistake in one prototype, one field, one number: the checks must find exactly that. The C text
// is the real one with the mistake planted in it, compiled without its assertions; with them it
// must not compile, if the mistake is one that they cover.
func TestOracleFindsPlantedErrors(t *testing.T) {
	needsC(t)
	apis := named(t, "cuda", "hip")
	tests := []struct {
		name     string
		api      int
		old, new string // in the C text
		compiles bool   // also with assertions
		want     []string
	}{
		{"swapped parameters", 0, "cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice,",
			"cuMemcpyDtoDAsync_v2(CUdeviceptr srcDevice, CUdeviceptr dstDevice,", true,
			[]string{"cuMemcpyDtoDAsync_v2.dstDevice", "cuMemcpyDtoDAsync_v2.srcDevice"}},
		{"narrower parameter", 0, "cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)",
			"cuMemAlloc_v2(CUdeviceptr *dptr, unsigned int bytesize)", true,
			[]string{"cuMemAlloc_v2.bytesize"}}, // but not against the header, see below
		{"missing parameter", 1, "hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned " +
			"int flags) {\n    o_enter(\"hipStreamWaitEvent\");\n    O_ARG(0, stream);\n" +
			"    O_ARG(1, event);\n    O_ARG(2, flags);",
			"hipStreamWaitEvent(hipStream_t stream, hipEvent_t event) {\n" +
				"    o_enter(\"hipStreamWaitEvent\");\n    O_ARG(0, stream);\n    O_ARG(1, event);", true,
			[]string{"hipStreamWaitEvent.flags"}},
		{"wrong result code", 1, "hipEventQuery(hipEvent_t event) {\n    o_enter(\"hipEventQuery\");\n" +
			"    O_ARG(0, event);\n    return (hipError_t)o_code;",
			"hipEventQuery(hipEvent_t event) {\n    o_enter(\"hipEventQuery\");\n    O_ARG(0, event);\n" +
				"    return (hipError_t)(o_code + 1);", true,
			[]string{"hipEventQuery"}},
		{"swapped fields", 0, "    size_t srcXInBytes;\n    size_t srcY;\n" +
			"    CUmemorytype srcMemoryType;\n    const void *srcHost;\n    CUdeviceptr srcDevice;\n" +
			"    CUarray srcArray;\n    size_t srcPitch;\n    size_t dstXInBytes;",
			"    size_t srcY;\n    size_t srcXInBytes;\n    CUmemorytype srcMemoryType;\n" +
				"    const void *srcHost;\n    CUdeviceptr srcDevice;\n    CUarray srcArray;\n" +
				"    size_t srcPitch;\n    size_t dstXInBytes;", false,
			[]string{"CUDA_MEMCPY2D_v2.srcXInBytes", "CUDA_MEMCPY2D_v2.srcY"}},
		{"shifted bit-field", 1, "    unsigned int hasGlobalInt32Atomics : 1;\n" +
			"    unsigned int hasGlobalFloatAtomicExch : 1;",
			"    unsigned int hasGlobalFloatAtomicExch : 1;\n    unsigned int hasGlobalInt32Atomics : 1;",
			true,
			[]string{"hipDeviceArch_t.hasGlobalFloatAtomicExch", "hipDeviceArch_t.hasGlobalInt32Atomics"}},
		{"wrong enumerator", 0, "    CU_EVENT_INTERPROCESS = 4,", "    CU_EVENT_INTERPROCESS = 8,", false,
			[]string{"CU_EVENT_INTERPROCESS"}},
		{"wrong macro", 1, "#define hipEventBlockingSync (0x1)", "#define hipEventBlockingSync (0x2)",
			false, []string{"hipEventBlockingSync"}},
	}
	wantInLists := []map[string]bool{ // but for what is passed whole and read in part
		{"cuMemcpyDtoDAsync_v2.dstDevice": true, "cuMemcpyDtoDAsync_v2.srcDevice": true},
		{"hipStreamWaitEvent.flags": true, "hipEventQuery": true},
	}
	for len(wantInLists) < len(apis) { // nothing is planted
		wantInLists = append(wantInLists, map[string]bool{})
	}
	b := newBuilder(t)
	texts := make([]string, len(apis))
	for i, a := range apis {
		data, err := os.ReadFile(a.source())
		require.NoError(t, err)
		texts[i] = string(data)
	}
	dir := t.TempDir()
	// all mistakes of an API in one library: each is found, and nothing else
	together := slices.Clone(texts)
	want := make([][]string, len(apis))
	type strict struct {
		name     string
		compiles bool
		built    func() (string, error)
	}
	var stricts []strict
	for i, tt := range tests {
		require.Equal(t, 1, strings.Count(texts[tt.api], tt.old), "%s: the place to plant it", tt.name)
		together[tt.api] = strings.Replace(together[tt.api], tt.old, tt.new, 1)
		want[tt.api] = append(want[tt.api], tt.want...)
		if !tt.compiles {
			file := filepath.Join(dir, fmt.Sprintf("strict%d.c", i))
			require.NoError(t, os.WriteFile(file, []byte(strings.Replace(texts[tt.api], tt.old, tt.new, 1)),
				0o644))
			stricts = append(stricts, strict{tt.name, tt.compiles,
				b.start(fmt.Sprint("strict", i), clib.Build{Source: file, Flags: []string{"-fsyntax-only"}})})
		}
	}
	for i, a := range apis[:len(wantInLists)] { // those that mistakes are planted in
		file := filepath.Join(dir, a.Name+".c")
		require.NoError(t, os.WriteFile(file, []byte(together[i]), 0o644))
		path, err := b.start("planted_"+a.Name,
			clib.Build{Source: file, Flags: []string{"-DORACLE_NO_ASSERT"}})()
		require.NoError(t, err)
		o, err := proof.Open(path)
		require.NoError(t, err)
		restore := a.lib.InstallAs(path, a.newest(a.spec(t)), o.Table())
		c := a.checker(t, o, "")
		found := map[string]bool{}
		for _, r := range []*proof.Report{c.Functions(), c.Layout(), c.Constants()} {
			for _, f := range r.Findings {
				found[f.Entity] = true
			}
		}
		inLists := map[string]bool{}
		for _, f := range c.Lists().Findings {
			inLists[f.Entity] = true
		}
		restore()
		assert.Equal(t, wantInLists[i], inLists, "%s: what lists of calls find of it", a.Name)
		assert.ElementsMatch(t, want[i], slices.Collect(maps.Keys(found)),
			"%s: what was planted and what was found", a.Name)
	}
	for _, s := range stricts {
		_, err := s.built()
		assert.ErrorContains(t, err, "assert", "%s: the C text asserts it at compile time", s.name)
	}
	t.Run("against the header", func(t *testing.T) {
		cuda := apis[0]
		s := cuda.spec(t)
		newest := s.Versions[len(s.Versions)-1].Name
		include := filepath.Join(".headers", cuda.Name, newest, "include")
		if _, err := os.Stat(include); err != nil {
			t.Skip("no vendor header here; make headers fetches it")
		}
		_, err := b.start("header", clib.Build{Source: filepath.Join(dir, cuda.Name+".c"),
			Number: s.Number(newest), Include: include, API: cuda.Name})()
		assert.ErrorContains(t, err, "conflicting types for",
			"the vendor's prototype of cuMemAlloc_v2 is another")
	})
}

// TestLayout compares every Go type with the layout that the spec records for this platform. It
// needs no C compiler.
func TestLayout(t *testing.T) {
	needsC(t)
	t.Parallel()
	for _, a := range apis {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			s := a.spec(t)
			r := proof.LayoutOfSpec(a.API, s)
			t.Log(r)
			assert.Equal(t, len(s.Structs) > 0, r.Sizes > 0, "an API may have no structs")
			for _, f := range r.Findings {
				t.Error(f)
			}
		})
	}
}

// TestSource finds memory that C uses and nothing keeps alive, and parameters with the names of
// others.
func TestSource(t *testing.T) {
	t.Parallel()
	for _, a := range apis {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			path := reflect.TypeOf(a.result(1)).PkgPath()
			r, err := proof.Source(a.API, a.spec(t), path[strings.LastIndexByte(path, '/')+1:])
			require.NoError(t, err)
			t.Log(r)
			assert.NotZero(t, r.Functions)
			for _, f := range r.Findings {
				t.Error(f)
			}
		})
	}
}

// TestSpecLayouts lays out every struct of every release by the rules of C, and compares that with
// what the spec records.
func TestSpecLayouts(t *testing.T) {
	t.Parallel()
	for _, a := range apis {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			s := a.spec(t)
			r := proof.LayoutsOfSpec(s)
			t.Log(r)
			assert.Equal(t, len(s.Structs) > 0, r.Sizes > 0)
			for _, f := range r.Findings {
				t.Error(f)
			}
		})
	}
}

// TestConstants compares every Go constant with the spec.
func TestConstants(t *testing.T) {
	t.Parallel()
	for _, a := range apis {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			r := proof.ConstantsOfSpec(a.API, a.spec(t))
			t.Log(r)
			assert.NotZero(t, r.Constants)
			for _, f := range r.Findings {
				t.Error(f)
			}
		})
	}
}

// TestCoverage finds every function, type, enumerator and macro of every release in the bindings.
func TestCoverage(t *testing.T) {
	t.Parallel()
	for _, a := range apis {
		s := a.spec(t)
		for _, v := range s.Versions {
			t.Run(a.Name+" "+v.Name, func(t *testing.T) {
				t.Parallel()
				missing, n := proof.Uncovered(a.API, s, v.Name)
				assert.NotZero(t, n)
				assert.Empty(t, missing, "%d entities, these have no Go form", n)
			})
		}
	}
}

// qualified matches a type with its package.
var qualified = regexp.MustCompile(`\b[a-z]\w*\.[A-Z]\w*`)

// signature is the type of a Go function as the lock spells it: without the package's own name.
func signature(f any) string {
	return qualified.ReplaceAllStringFunc(reflect.TypeOf(f).String(), func(s string) string {
		if s == "unsafe.Pointer" {
			return s
		}
		return s[strings.IndexByte(s, '.')+1:]
	})
}

// withoutAliases is a signature of the lock as the compiler understands it: with the types that
// other names stand for. shapes are the lock's, by kind and Go name.
func withoutAliases(s string, shapes map[string]string) string {
	long := "int64" // C's, whose width depends on the target
	if runtime.GOOS == "windows" {
		long = "int32"
	}
	return regexp.MustCompile(`[A-Za-z]\w*`).ReplaceAllStringFunc(s, func(name string) string {
		if of, ok := strings.CutPrefix(shapes["type "+name], "= "); ok {
			return of
		}
		switch name {
		case "byte":
			return "uint8"
		case "Long":
			return long
		case "ULong":
			return "u" + long
		}
		return name
	})
}

// TestNames compares the bindings' Go names and signatures with the lock file: a name means one
// symbol, and has one signature, for ever.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, a := range apis {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("specs", a.Name+".lock"))
			require.NoError(t, err)
			locked := map[string]string{} // kind and Go name -> C name
			shapes := map[string]string{} // the same -> shape
			for line := range strings.Lines(string(data)) {
				if w := strings.Fields(line); len(w) >= 3 && w[0] != "#" && line[0] != '\t' {
					locked[w[1]+" "+w[0]] = w[2]
					shapes[w[1]+" "+w[0]] = strings.Join(w[3:], " ")
				}
			}
			for _, f := range a.Functions {
				full := runtime.FuncForPC(reflect.ValueOf(f.Go).Pointer()).Name()
				name := full[strings.LastIndex(full, ".")+1:]
				c, ok := locked["func "+name]
				assert.True(t, ok, "the lock has no function %s", name)
				assert.Equal(t, f.C, strings.TrimSuffix(c, ".ref"), "%s", name)
				assert.Equal(t, withoutAliases(shapes["func "+name], shapes), signature(f.Go), "%s", name)
			}
			for _, m := range versions(a.Functions) {
				t.Error(m)
			}
			types := map[string]string{} // C name -> Go name
			for key, c := range locked {
				if name, ok := strings.CutPrefix(key, "type "); ok {
					assert.NotContains(t, types, c, "two Go types for one C type")
					types[c] = name
				}
			}
			for _, x := range a.Types {
				if x.Go == nil { // an incomplete type
					continue
				}
				if name, own := types[x.C]; own && name == x.Go.Name() {
					continue
				}
				// another name for a type that the lock has, or for one of the language
				_, known := locked["type "+x.Go.Name()]
				assert.True(t, known || x.Go.PkgPath() == "" || x.Go.PkgPath() == "unsafe",
					"the lock has no type for %s, which is %s", x.C, x.Go)
			}
		})
	}
}

// numbered matches a symbol of a later version.
var numbered = regexp.MustCompile(`^(.+)_v([0-9]+)$`)

// versions finds Go functions whose names are those of other versions of their symbols: the oldest
// that is bound has the plain name, and the names of later ones end in V and the number. Where a
// rule gives a later one the plain name, the oldest one's ends in V1.
func versions(functions []proof.Function) (wrong []string) {
	names := map[string]string{} // by symbol
	for _, f := range functions {
		full := runtime.FuncForPC(reflect.ValueOf(f.Go).Pointer()).Name()
		if name := full[strings.LastIndex(full, ".")+1:]; !strings.HasSuffix(name, "Ref") {
			names[f.C] = name
		}
	}
	for symbol, name := range names {
		m := numbered.FindStringSubmatch(symbol)
		if m == nil || strings.HasSuffix(name, "V"+m[2]) {
			continue
		}
		if older, ok := names[m[1]]; ok && older != name+"V1" {
			wrong = append(wrong, fmt.Sprintf("%s is %s, and the older %s is %s", name, symbol, m[1],
				older))
		}
	}
	return wrong
}
