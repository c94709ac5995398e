package model

import (
	"cmp"
	"strconv"
	"strings"
)

// CompareVersions orders version names by their dotted numbers: 9.2 < 11.8 < 12.10. A missing part
// counts as 0. Parts that are not numbers compare as text and come after numbers.
func CompareVersions(a, b string) int {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(as), len(bs)) {
		if c := comparePart(part(as, i), part(bs, i)); c != 0 {
			return c
		}
	}
	return 0
}

func part(parts []string, i int) string {
	if i < len(parts) {
		return parts[i]
	}
	return "0"
}

func comparePart(a, b string) int {
	x, errX := strconv.ParseUint(a, 10, 32)
	y, errY := strconv.ParseUint(b, 10, 32)
	switch {
	case errX == nil && errY == nil:
		return cmp.Compare(x, y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return strings.Compare(a, b)
}

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
