package model

import (
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/internal/versions"
)

// CompareVersions orders names of versions.
func CompareVersions(a, b string) int { return versions.Compare(a, b) }

// IsVersion reports whether name is made of dotted numbers, as all version names are.
func IsVersion(name string) bool {
	for p := range strings.SplitSeq(name, ".") {
		if _, err := strconv.ParseUint(p, 10, 32); err != nil {
			return false
		}
	}
	return true
}

// Successive reports whether no release is between two, judging by their numbers: 12.5 and 12.6,
// 12.9 and 13.0, but not 12.6 and 12.8. Third numbers do not count.
func Successive(a, b string) bool {
	number := func(v string, i int) (n int) {
		n, _ = strconv.Atoi(part(strings.Split(v, "."), i)) // names of versions are dotted numbers
		return n
	}
	major, minor := number(b, 0)-number(a, 0), number(b, 1)-number(a, 1)
	return major == 0 && minor <= 1 || major == 1 && number(b, 1) == 0
}

func part(parts []string, i int) string {
	if i < len(parts) {
		return parts[i]
	}
	return "0"
}

// VersionNumber makes one number of a version's first three parts, for headers that have none:
// 13.5 is 130500.
func VersionNumber(name string) int {
	number := 0
	for i := range 3 {
		n, _ := strconv.Atoi(part(strings.Split(name, "."), i)) // names of versions are dotted numbers
		number = number*100 + n
	}
	return number
}
