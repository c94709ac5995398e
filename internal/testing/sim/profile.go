package sim

import (
	"fmt"
	"strconv"
	"strings"
)

// profile is a version of a driver.
type profile struct {
	name    string
	number  int32  // as the driver tells it
	exports string // the header release whose functions it has
}

var cudaProfiles = []profile{
	{"11.8", 11080, "11.8"},
	{"12.4", 12040, "12.4"},
	{"13.5", 13050, "13.5"},
}

var hipProfiles = []profile{
	{"5.2", 50221153, "5.2.3"},
	{"6.4", 60443484, "6.4.3"},
	{"7.2", 70253211, "7.2.4"},
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

// has tells whether the version exports a function.
func (p *profile) has(fn *function) bool { return versionNumber(fn.since) <= versionNumber(p.exports) }

// versionNumber makes 12.8 or 6.4.3 a number that grows with the version.
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

// hipAtLeast asks for the installed version.
func (f *face) hipAtLeast(major int) bool { return int(f.profile.Load().number) >= major*10_000_000 }
