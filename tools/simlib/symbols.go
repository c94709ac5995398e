package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
	"github.com/gpuevent/gpuevent/internal/versions"
)

// symbol is a function that a library exports.
type symbol struct {
	Name  string
	Since string // the first release with it
	// Returns is the C type of what it returns.
	Returns string
}

// text reports whether the function returns an address, which is null if it is not simulated.
func (s symbol) text() bool { return strings.HasSuffix(s.Returns, "*") }

// symbols returns what the library of a profile exports, sorted: what the header of its release
// declares, but for functions that package sim knows this version to lack.
func (p Profile) symbols(root string) ([]symbol, error) {
	data, err := os.ReadFile(filepath.Join(root, "specs", p.api+".json"))
	if err != nil {
		return nil, fmt.Errorf("read what %s exports: %w", p, err)
	}
	var spec struct {
		Functions []struct{ Name, Since, Ret string }
	}
	if err := json.Unmarshal(data, &spec); err != nil {
		return nil, fmt.Errorf("read what %s exports: %w", p, err)
	}
	machine := sim.NewMachine(sim.Options{})
	library, install := &libs.CUDA, machine.InstallCUDA
	if p.api == hip.api {
		library, install = &libs.HIP, machine.InstallHIP
	}
	defer install(p.version)()
	var all []symbol
	for _, f := range spec.Functions {
		if versions.Compare(f.Since, p.release) > 0 ||
			machine.Simulates(f.Name, p.api == hip.api) && !library.Has(f.Name) {
			continue
		}
		all = append(all, symbol{f.Name, f.Since, f.Ret})
	}
	slices.SortFunc(all, func(a, b symbol) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// asked are the versions from which on cuGetProcAddress finds a function where that is not the
// version whose header declares it: programs ask with these. Those up to 11.7 were seen with
// libcuda 555, the other one is what cuda-bindings 13.5 asks with.
var asked = map[string]string{
	"cuLaunchKernelEx":                   "11.6",
	"cuOccupancyMaxActiveClusters":       "11.7",
	"cuOccupancyMaxPotentialClusterSize": "11.7",
	"cuMemBatchDecompressAsync":          "12.6",
}

// found is the version from which on cuGetProcAddress finds the function.
func (s symbol) found() int { return number(cmp.Or(asked[s.Name], s.Since)) }

// base is the name by which cuGetProcAddress finds a function: without the version of its ABI.
func (s symbol) base() string {
	at := strings.LastIndex(s.Name, "_v")
	if at < 0 || at+2 == len(s.Name) || strings.Trim(s.Name[at+2:], "0123456789") != "" {
		return s.Name
	}
	return s.Name[:at]
}

// inC are the functions that front.c implements.
var inC = map[string]bool{"cuGetProcAddress": true, "cuGetProcAddress_v2": true}

// table returns the header by which front.c knows what the library exports.
func table(p Profile, symbols []symbol) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "#define VENDOR %q\n#define VERSION %q\n#define CORE %q\n", p.api, p.version,
		coreName)
	fmt.Fprintf(&b, "#define COUNT %d\n", len(symbols))
	for _, s := range symbols {
		if inC[s.Name] {
			fmt.Fprintf(&b, "#define HAS_%s\n", s.Name)
		}
		fmt.Fprintf(&b, "extern char %s[];\n", s.Name)
	}
	b.WriteString("static const struct symbol symbols[COUNT] = {\n")
	for _, s := range symbols {
		fmt.Fprintf(&b, "\t{%q, %q, %d, %d, %s},\n", s.Name, s.base(), s.found(),
			map[bool]int{true: 1}[s.text()], s.Name)
	}
	b.WriteString("};\n")
	return b.Bytes()
}

// number is a release as C programs write it: 12080.
func number(release string) int {
	var major, minor int
	_, _ = fmt.Sscanf(release, "%d.%d", &major, &minor) // of the specs, which are checked elsewhere
	return 1000*major + 10*minor
}

// vendor is an API whose library is built.
type vendor struct {
	api  string                      // as in specs/ and in names of profiles
	soft func(release string) string // the name of the library of a release
}

var (
	cuda = vendor{"cuda", func(string) string { return "libcuda.so.1" }}
	hip  = vendor{"hip", func(release string) string {
		major, _, _ := strings.Cut(release, ".")
		return "libamdhip64.so." + major
	}}
)

// Profile is a version of a vendor's library.
type Profile struct {
	vendor
	version string // as package sim names it
	release string // whose header declares what it exports
}

// Name is the name of the profile's folder: cuda-13.5.
func (p Profile) Name() string { return p.api + "-" + p.version }

func (p Profile) String() string { return p.Name() }

// hipReleases are the releases of those profiles that are named otherwise.
var hipReleases = map[string]string{"cpu": "6.4.3", "5.7": "5.7.1", "6.4": "6.4.3",
	"7.2.0": "7.2.4", "7.2": "7.2.4"}

// Profiles returns all that package sim has, oldest first.
func Profiles() []Profile {
	var all []Profile
	for _, v := range sim.CUDAProfiles() {
		all = append(all, Profile{cuda, v, v})
	}
	for _, v := range sim.HIPProfiles() {
		release := hipReleases[v]
		if release == "" {
			release = v
		}
		all = append(all, Profile{hip, v, release})
	}
	return all
}
