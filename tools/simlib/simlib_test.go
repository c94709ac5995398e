package main

import (
	"debug/elf"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/clib"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// folder is where the libraries are.
var folder string

// build fills the folder, when the first test needs it.
var build = sync.OnceValue(func() (err error) {
	if folder, err = os.MkdirTemp("", "simlib"); err == nil {
		_, err = Build(folder, runtime.GOARCH, some())
	}
	return err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if folder != "" {
		_ = os.RemoveAll(folder)
	}
	os.Exit(code)
}

// libraries returns the folder with the libraries.
func libraries(t *testing.T) string {
	t.Helper()
	err := build()
	if errors.Is(err, clib.ErrNoCompiler) || errors.Is(err, ErrUnsupported) {
		t.Skip("nothing can be built here: ", err)
	}
	require.NoError(t, err)
	return folder
}

// some are the profiles to test: in the short form the newest of each vendor.
func some() []Profile {
	if !testing.Short() {
		return Profiles()
	}
	return slices.DeleteFunc(Profiles(), func(p Profile) bool {
		return p.Name() != "cuda-13.5" && p.Name() != "hip-7.2"
	})
}

// execute runs a program that loads a profile's library, and returns what it says and its report.
func execute(t *testing.T, p Profile, program string, args ...string) (string, report) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.%p.json")
	c := exec.Command(program, args...)
	c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(libraries(t), p.Name()),
		"GPUEVENT_SIM_REPORT="+path, "CUDA_PYTHON_DISABLE_MAJOR_VERSION_WARNING=1")
	var problems strings.Builder
	c.Stderr = &problems
	out, err := c.Output()
	require.NoError(t, err, "%s\n%s", out, problems.String())
	assert.Empty(t, problems.String())
	return string(out), readReports(t, strings.ReplaceAll(path, "%p", "*"))
}

// report is what processes wrote at their ends.
type report struct {
	Calls, Lacking  map[string]int
	Crashes, Misuse []sim.Crash
	Kernels         []string
}

// readReports puts the reports of a program and of its children together.
func readReports(t *testing.T, pattern string) (all report) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	all.Calls, all.Lacking = map[string]int{}, map[string]int{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		var r report
		require.NoError(t, json.Unmarshal(data, &r))
		for name, n := range r.Calls {
			all.Calls[name] += n
		}
		for name, n := range r.Lacking {
			all.Lacking[name] += n
		}
		all.Crashes = append(all.Crashes, r.Crashes...)
		all.Misuse = append(all.Misuse, r.Misuse...)
		all.Kernels = append(all.Kernels, r.Kernels...)
	}
	return all
}

// A C program finds devices, times kernels, copies memory, captures a graph and shares an event
// with another process.
func TestClientInC(t *testing.T) {
	t.Parallel()
	libraries(t)
	program := compileClient(t, runtime.GOARCH)
	for _, p := range some() {
		if p.api != cuda.api {
			continue
		}
		t.Run(p.Name(), func(t *testing.T) {
			t.Parallel()
			out, r := execute(t, p, program)
			p.checkClient(t, out)
			assert.Equal(t, map[string]int{"cuArrayCreate_v2": 1}, r.Lacking)
			assert.Empty(t, r.Crashes)
			assert.Empty(t, r.Misuse)
			assert.Empty(t, r.Kernels)
			assert.Equal(t, 105, r.Calls["cuEventRecord"])
		})
	}
}

// compileClient compiles the C program.
func compileClient(t *testing.T, arch string) (path string) {
	t.Helper()
	cc, err := compiler(arch)
	require.NoError(t, err)
	path = filepath.Join(t.TempDir(), "client")
	require.NoError(t, command(exec.Command(cc, "-Wall", "-Werror", "-O1", "-pthread", "-o", path,
		"testdata/client.c", "-ldl")))
	return path
}

// checkClient checks what the C program has printed.
func (p Profile) checkClient(t *testing.T, out string) {
	t.Helper()
	addresses := "addresses: 2 1 1 2 0 0 0, the same"
	if strings.HasPrefix(p.version, "11.") { // without the search's status
		addresses = "addresses: 500 500 500 500 0 0 0, the same"
	}
	device := "devices: " + p.version + ", 2 of 9.0, Simulated CUDA driver GPU 0"
	assert.Equal(t, []string{
		addresses,
		device,
		"modules: loaded",
		"events: 600, then 0, 200 ms or more",
		"memory: copied, filled",
		"capture: 6 host functions",
		"threads: 100 without a context",
		"importer: " + device,
		"importer: pending",
		"importer: done",
		"ipc: the importer ended with 0",
		"lacking: 801",
		"fork: 3",
	}, strings.Split(strings.TrimSpace(out), "\n"))
}

// The same on arm64, in qemu.
func TestOtherArchitecture(t *testing.T) {
	t.Parallel()
	const arch = "arm64"
	if testing.Short() {
		t.Skip("not in the short form: to build for another architecture takes minutes at first")
	}
	if runtime.GOARCH == arch {
		t.Skip("this machine is of that architecture")
	}
	_, err := compiler(arch)
	qemu, missing := exec.LookPath("qemu-aarch64")
	if err = errors.Join(err, missing); err != nil {
		t.Skip("the cross compiler or qemu is missing: ", err)
	}
	chosen, err := choose("cuda-13.5")
	require.NoError(t, err)
	dir := t.TempDir()
	_, err = Build(dir, arch, chosen)
	require.NoError(t, err)
	emulator := []string{qemu, "-L", "/usr/aarch64-linux-gnu"}
	c := exec.Command(qemu, append(emulator[1:], compileClient(t, arch))...)
	c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(dir, chosen[0].Name()),
		"CLIENT_RUNNER="+strings.Join(emulator, " "))
	out, err := c.Output()
	require.NoError(t, err)
	chosen[0].checkClient(t, string(out))
}

// Each library exports what the headers of its version declare.
func TestExports(t *testing.T) {
	t.Parallel()
	dir := libraries(t)
	root, err := moduleFolder("github.com/gpuevent/gpuevent")
	require.NoError(t, err)
	for _, p := range some() {
		symbols, err := p.symbols(root)
		require.NoError(t, err)
		var want, got []string
		for _, s := range symbols {
			want = append(want, s.Name)
		}
		file, err := elf.Open(filepath.Join(dir, p.Name(), p.soft(p.release)))
		require.NoError(t, err)
		exported, err := file.DynamicSymbols()
		require.NoError(t, err)
		for _, s := range exported {
			if s.Section != elf.SHN_UNDEF {
				got = append(got, s.Name)
			}
		}
		soname, err := file.DynString(elf.DT_SONAME)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		assert.ElementsMatch(t, want, got, "%s", p)
		assert.Equal(t, []string{p.soft(p.release)}, soname)
	}
}

// The conformance suite of package event passes, in a program without cgo that has a Go runtime of
// its own.
func TestConformance(t *testing.T) {
	t.Parallel()
	dir := libraries(t)
	suite := filepath.Join(t.TempDir(), "eventtest")
	compile := exec.Command("go", "test", "-c", "-vet=off", "-o", suite,
		"github.com/gpuevent/gpuevent/event/eventtest")
	compile.Env = append(os.Environ(), "CGO_ENABLED=0")
	require.NoError(t, command(compile))
	for _, p := range some() {
		t.Run(p.Name(), func(t *testing.T) {
			t.Parallel()
			c := exec.Command(suite, "-eventtest.device="+p.api+":0", "-test.timeout=2m")
			c.Env = append(os.Environ(), "GPUEVENT_"+strings.ToUpper(p.api)+"_LIBRARY="+
				filepath.Join(dir, p.Name(), p.soft(p.release)))
			require.NoError(t, command(c))
		})
	}
}

// Threads of a Go program that have called the library end while signals arrive.
func TestThreadsEnd(t *testing.T) {
	t.Parallel()
	dir := libraries(t)
	for _, cgo := range []string{"0", "1"} {
		if cgo == "1" && testing.Short() {
			continue
		}
		t.Run("cgo "+cgo, func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "threads")
			compile := exec.Command("go", "build", "-o", program, "./testdata/threads")
			compile.Env = append(os.Environ(), "CGO_ENABLED="+cgo)
			require.NoError(t, command(compile))
			c := exec.Command(program)
			c.Env = append(os.Environ(),
				"GPUEVENT_CUDA_LIBRARY="+filepath.Join(dir, "cuda-13.5", "libcuda.so.1"))
			out, err := c.CombinedOutput()
			require.NoError(t, err, "%s", out)
			assert.Equal(t, "ok\n", string(out))
		})
	}
}

// Threads of a C program that take away their stacks for signals after their first call go on
// using the library, which works at the end of the process too.
func TestThreadsWithoutSignalStack(t *testing.T) {
	t.Parallel()
	chosen, err := choose("cuda-13.5")
	require.NoError(t, err)
	library := filepath.Join(libraries(t), "cuda-13.5", "libcuda.so.1")
	cc, err := compiler(runtime.GOARCH)
	require.NoError(t, err)
	program := filepath.Join(t.TempDir(), "altstack")
	require.NoError(t, command(exec.Command(cc, "-Wall", "-Werror", "-O1", "-pthread", "-o", program,
		"testdata/altstack.c", library)))
	out, r := execute(t, chosen[0], program)
	assert.Equal(t, "ok\n", out)
	assert.Equal(t, 30, r.Calls["cuModuleLoadData"])
}

// A program is linked with the library of a profile by its name without a version, which also opens
// the same library later.
func TestClientLinksHIP(t *testing.T) {
	t.Parallel()
	dir := libraries(t)
	cc, err := compiler(runtime.GOARCH)
	require.NoError(t, err)
	for _, p := range some() {
		if p.api != hip.api {
			continue
		}
		t.Run(p.Name(), func(t *testing.T) {
			t.Parallel()
			program := filepath.Join(t.TempDir(), "hip")
			require.NoError(t, command(exec.Command(cc, "-Wall", "-Werror", "-O1", "-o", program,
				"testdata/hip.c", "-L"+filepath.Join(dir, p.Name()), "-lamdhip64", "-ldl")))
			out, r := execute(t, p, program)
			assert.Regexp(t, `^2 devices, version \d+\ncopy: right, time: right\nby name: the same\n$`,
				out)
			assert.Empty(t, r.Misuse)
			assert.Empty(t, r.Lacking)
		})
	}
}

// The libraries are found through links and relative paths, wherever the program goes.
func TestPaths(t *testing.T) {
	t.Parallel()
	dir := libraries(t)
	elsewhere := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(dir, "cuda-13.5", "libcuda.so.1"),
		filepath.Join(elsewhere, "libcuda.so.1")))
	c := exec.Command(compileClient(t, runtime.GOARCH))
	c.Dir = elsewhere
	c.Env = append(os.Environ(), "LD_LIBRARY_PATH=.", "CLIENT_FOLDER=/",
		"CLIENT_RUNNER=cd "+elsewhere+" &&")
	out, err := c.Output()
	require.NoError(t, err, "%s", out)
	chosen, err := choose("cuda-13.5")
	require.NoError(t, err)
	chosen[0].checkClient(t, string(out))
}

// A process has one simulated machine, whichever libraries it loads.
func TestBothVendors(t *testing.T) {
	t.Parallel()
	dir := libraries(t)
	c := exec.Command("go", "run", "github.com/gpuevent/gpuevent/examples/gpuinfo")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GPUEVENT_SIM_DEVICES=3",
		"GPUEVENT_CUDA_LIBRARY="+filepath.Join(dir, "cuda-13.5", "libcuda.so.1"),
		"GPUEVENT_HIP_LIBRARY="+filepath.Join(dir, "hip-7.2", "libamdhip64.so.7"))
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "6 GPUs are ready")
}

// NVIDIA's cuda.core works. GPUEVENT_SIM_PYTHON names a Python that has it; make simlib installs
// one.
func TestClientInPython(t *testing.T) {
	t.Parallel()
	python := os.Getenv("GPUEVENT_SIM_PYTHON")
	if python == "" {
		t.Skip("GPUEVENT_SIM_PYTHON names no Python with cuda-core: make simlib installs one")
	}
	libraries(t)
	for _, p := range some() {
		if p.api != cuda.api || strings.HasPrefix(p.version, "11.") { // cuda.core needs CUDA 12
			continue
		}
		t.Run(p.Name(), func(t *testing.T) {
			t.Parallel()
			out, r := execute(t, p, python, "testdata/client.py")
			t.Log(out)
			assert.Empty(t, r.Crashes)
			assert.Empty(t, r.Kernels)
			for _, m := range r.Misuse { // cuda.core destroys the graph of a capture that failed
				assert.Equal(t, "cuGraphDestroy", m.Call)
			}
			t.Log("not simulated: ", r.Lacking)
		})
	}
}
