package header

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// api is what the header stage must know about an API: where its headers begin, and how its names
// look. No function, type or constant is named here.
type api struct {
	name     string
	headers  []string // the headers that make up the API; a name with ? may be missing
	defines  []string // macros to define before them
	internal string   // the macro that opens the internal view; empty if there is none
	version  string   // the macro with the version's number
	format   func(number int) string
	fixed    bool     // the number says all of the version's name
	prefixes []string // what the names of the API's constants begin with
	typedefs string   // glob of headers that list function pointer types with introducing versions
}

var apis = []api{
	{
		name:     "cuda",
		headers:  []string{"cuda.h", "?cudaProfiler.h"},
		internal: "__CUDA_API_VERSION_INTERNAL",
		version:  "CUDA_VERSION",
		format:   cudaVersion,
		fixed:    true,
		prefixes: []string{"CU_", "CUDA_", "cu"},
		typedefs: "cuda*Typedefs.h",
	},
	{
		name: "hip",
		headers: []string{"hip/hip_runtime_api.h", "?hip/hip_gl_interop.h",
			"?hip/amd_detail/amd_hip_gl_interop.h"},
		defines:  []string{"__HIP_PLATFORM_AMD__"},
		version:  "HIP_VERSION",
		format:   hipVersion,
		prefixes: []string{"HIP_", "hip"},
	},
}

// APIs are the names of the APIs that Parse knows.
func APIs() []string {
	var names []string
	for _, a := range apis {
		names = append(names, a.name)
	}
	return names
}

func findAPI(name string) (api, error) {
	i := slices.IndexFunc(apis, func(a api) bool { return a.name == name })
	if i < 0 {
		return api{}, fmt.Errorf("%w %q; known: %s", ErrAPI, name, strings.Join(APIs(), ", "))
	}
	return apis[i], nil
}

// Header is the file of an API that must be in an include folder.
func Header(apiName string) (string, error) {
	a, err := findAPI(apiName)
	if err != nil {
		return "", err
	}
	return a.headers[0], nil
}

// cudaVersion: 12040 is 12.4.
func cudaVersion(n int) string { return strconv.Itoa(n/1000) + "." + strconv.Itoa(n%1000/10) }

// hipVersion: 70253211 is 7.2; the number's last five digits are a build's, not the release's patch
// level.
func hipVersion(n int) string {
	return strconv.Itoa(n/10_000_000) + "." + strconv.Itoa(n/100_000%100)
}
