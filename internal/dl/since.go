package dl

import (
	"fmt"
	"strings"
)

// How it is said that an API version between two that were read introduced something.
const (
	after = "after "
	by    = ", by "
)

// bound is the version that has what a [Proc.Since] is about: "6.4.3" of "after 5.7.1, by 6.4.3".
func bound(since string) string {
	if _, b, ok := strings.Cut(since, by); ok {
		return b
	}
	return since
}

// older reports whether version a came before b, by major and minor number: the third number of a
// library is not that of its headers.
func older(a, b string) bool {
	var x, y [2]int
	fmt.Sscanf(a, "%d.%d", &x[0], &x[1]) // what does not parse stays 0
	fmt.Sscanf(b, "%d.%d", &y[0], &y[1])
	return x[0] < y[0] || x[0] == y[0] && x[1] < y[1]
}
