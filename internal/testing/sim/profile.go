package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// profile is a version of a driver.
type profile struct {
	vendor  string
	name    string
	number  int32  // as the driver returns it
	version string // the release, which decides the quirks
	exports string // the header release whose functions it has
	// attributes is how many of a device there are, on CUDA.
	attributes int32
	played     [(quirks + 63) / 64]uint64
}

var cudaProfiles = withQuirks([]profile{
	cudaProfile("11.8", 11080, 125),
	cudaProfile("12.4", 12040, 135),
	cudaProfile("12.8", 12080, 144),
	cudaProfile("13.5", 13050, 162),
})

func cudaProfile(v string, number, attributes int32) profile {
	return profile{vendor: vendorCUDA, name: v, number: number, version: v, exports: v,
		attributes: attributes}
}

var hipProfiles = withQuirks([]profile{
	{vendor: vendorChip, name: "cpu", number: 10100000, version: "1.3.0", exports: "6.4.3"},
	{vendor: vendorAMD, name: "5.2.3", number: 50221153, version: "5.2.3", exports: "5.2.3"},
	{vendor: vendorAMD, name: "5.7", number: 50731921, version: "5.7.1", exports: "5.7.1"},
	{vendor: vendorAMD, name: "6.4", number: 60443484, version: "6.4.3", exports: "6.4.3"},
	{vendor: vendorAMD, name: "7.2.0", number: 70226015, version: "7.2.0", exports: "7.2.4"},
	{vendor: vendorAMD, name: "7.2", number: 70253211, version: "7.2.4", exports: "7.2.4"},
})

func withQuirks(ps []profile) []profile {
	for i := range ps {
		for q := range quirkTable {
			if quirkTable[q].playedBy(&ps[i]) {
				ps[i].played[q/64] |= 1 << (q % 64)
			}
		}
	}
	return ps
}

// plays reports whether the version has the quirk.
func (p *profile) plays(q quirk) bool { return p.played[q/64]>>(q%64)&1 != 0 }

// fullName includes the API, as quirks list their profiles.
func (p *profile) fullName() string {
	if p.vendor == vendorCUDA {
		return "cuda-" + p.name
	}
	return "hip-" + p.name
}

func names(ps []profile) []string {
	var out []string
	for _, p := range ps {
		out = append(out, p.name)
	}
	return out
}

func profileOf(ps []profile, name string) *profile {
	for i := range ps {
		if ps[i].name == name {
			return &ps[i]
		}
	}
	panic(fmt.Sprintf("sim: no profile %q: there are %v", name, names(ps)))
}

// has reports whether the version exports a function.
func (p *profile) has(fn *function) bool {
	switch {
	case fn.name == "hipLaunchHostFunc" && p.plays(amdHostFuncMissing),
		fn.name == "hipGetDevicePropertiesR0600" && p.plays(amdOldProperties),
		p.plays(chipMissingSymbols) && slices.Contains(chipLacks, fn.name):
		return false
	}
	return versionNumber(fn.since) <= versionNumber(p.exports)
}

// chipLacks are the functions of AMD's runtime of that time that HIP on a CPU lacks.
var chipLacks = []string{
	"hipEventRecordWithFlags", "hipExtGetLastError", "hipGetDeviceProperties", "hipStreamGetId",
}

// versionNumber turns 12.8 or 6.4.3 into a number that grows with the version.
func versionNumber(v string) int {
	n := 0
	parts := strings.Split(v, ".")
	for i := range 3 {
		n *= 1000
		if i < len(parts) {
			part, err := strconv.Atoi(parts[i])
			if err != nil {
				panic(fmt.Sprintf("sim: %q is no version", v))
			}
			n += part
		}
	}
	return n
}
