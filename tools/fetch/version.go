package main

import (
	"cmp"
	"strconv"
	"strings"
)

// compareVersions orders dotted numbers: 12.10 is after 12.9. A part that is no number counts as
// text, after every number.
func compareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		var x, y string
		if i < len(as) {
			x = as[i]
		}
		if i < len(bs) {
			y = bs[i]
		}
		xn, xerr := strconv.Atoi(x)
		yn, yerr := strconv.Atoi(y)
		var c int
		switch {
		case x == "" || y == "":
			c = cmp.Compare(len(x), len(y))
		case xerr == nil && yerr == nil:
			c = cmp.Compare(xn, yn)
		case xerr == nil:
			c = -1
		case yerr == nil:
			c = 1
		default:
			c = cmp.Compare(x, y)
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// firstParts cuts a version to its first n numbers: with 2 to major.minor.
func firstParts(version string, n int) string {
	parts := strings.SplitN(version, ".", n+1)
	return strings.Join(parts[:min(n, len(parts))], ".")
}

// upstreamOf cuts a Debian release to the upstream version: 1:5.7.1+dfsg-6 is 5.7.1.
func upstreamOf(release string) string {
	if _, rest, ok := strings.Cut(release, ":"); ok {
		release = rest
	}
	if i := strings.LastIndexByte(release, '-'); i >= 0 {
		release = release[:i]
	}
	if i := strings.IndexAny(release, "+~"); i >= 0 {
		release = release[:i]
	}
	return release
}
