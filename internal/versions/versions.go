// Package versions orders the names of releases, which are dotted numbers.
package versions

import (
	"cmp"
	"strconv"
	"strings"
)

// Compare orders two names by their numbers: 9.2 < 11.8 < 12.10. A missing or empty part counts as
// 0. Parts that are not numbers compare as text and come after numbers.
func Compare(a, b string) int {
	for a != "" || b != "" {
		var x, y string
		x, a, _ = strings.Cut(a, ".")
		y, b, _ = strings.Cut(b, ".")
		if c := comparePart(cmp.Or(x, "0"), cmp.Or(y, "0")); c != 0 {
			return c
		}
	}
	return 0
}

func comparePart(a, b string) int {
	switch x, y := isNumber(a), isNumber(b); {
	case x && y:
		return CompareNumbers(a, b)
	case x:
		return -1
	case y:
		return 1
	}
	return strings.Compare(a, b)
}

// CompareNumbers orders two texts of digits, of any length, by their values.
func CompareNumbers(a, b string) int {
	a, b = withoutZeros(a), withoutZeros(b)
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// withoutZeros cuts the zeros in front.
func withoutZeros(s string) string {
	for s != "" && s[0] == '0' {
		s = s[1:]
	}
	return s
}

func isNumber(part string) bool {
	for i := range len(part) {
		if part[i] < '0' || part[i] > '9' {
			return false
		}
	}
	return true
}

// First cuts a name to its first n parts: with 2 to major.minor.
func First(name string, n int) string {
	for i := range len(name) {
		if name[i] == '.' {
			if n--; n == 0 {
				return name[:i]
			}
		}
	}
	return name
}

// Parts splits a number by what its parts are multiplied by: 12040 is "12.4" with 1000 and 10.
func Parts(number int, factors []int) string {
	parts := make([]string, len(factors))
	for i, f := range factors {
		parts[i] = strconv.Itoa(number / f)
		number %= f
	}
	return strings.Join(parts, ".")
}
