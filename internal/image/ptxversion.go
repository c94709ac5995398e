package image

import (
	"fmt"
	"strconv"
	"strings"
)

// PTXVersion is the version of the PTX language that a text is written in. A driver reads texts up
// to its own version.
type PTXVersion struct{ Major, Minor int }

// String returns "8.7".
func (v PTXVersion) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// IsZero reports whether there is no version.
func (v PTXVersion) IsZero() bool { return v == PTXVersion{} }

// Less reports whether v is older than w.
func (v PTXVersion) Less(w PTXVersion) bool {
	return v.Major < w.Major || v.Major == w.Major && v.Minor < w.Minor
}

// releases are the first CUDA releases that read a version, where their number does not follow from
// it. Source: the release history in NVIDIA's "PTX ISA", section "Release Notes". 8.6 came with
// 12.7, of which no toolkit was published.
var releases = map[PTXVersion]string{{4, 0}: "6.0", {4, 1}: "6.5", {4, 2}: "7.0", {4, 3}: "7.5",
	{5, 0}: "8.0", {6, 0}: "9.0", {6, 1}: "9.1", {6, 2}: "9.2", {6, 3}: "10.0", {6, 4}: "10.1",
	{6, 5}: "10.2", {8, 6}: "12.7", {8, 7}: "12.8", {8, 8}: "12.9"}

// CUDA returns the first CUDA release whose driver reads the version: "12.8" for 8.7. From 7.0 on
// it is four majors ahead with the same minor, but for 8.6 to 8.8; of versions newer than this
// package that is assumed within a major, and not beyond: then it returns "".
func (v PTXVersion) CUDA() string {
	if r, ok := releases[v]; ok {
		return r
	}
	last := map[int]int{7: 8, 8: 5, 9: 99}
	if n, ok := last[v.Major]; !ok || v.Minor > n {
		return ""
	}
	return fmt.Sprintf("%d.%d", v.Major+4, v.Minor)
}

func parsePTXVersion(s string) (PTXVersion, bool) {
	major, minor, ok := strings.Cut(s, ".")
	x, errX := strconv.ParseUint(major, 10, 8)
	y, errY := strconv.ParseUint(minor, 10, 8)
	return PTXVersion{int(x), int(y)}, ok && errX == nil && errY == nil
}
