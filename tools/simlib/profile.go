package main

import (
	"strings"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

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
