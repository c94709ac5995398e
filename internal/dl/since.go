package dl

import (
	"strings"

	"github.com/gpuevent/gpuevent/internal/versions"
)

// The words for a version between two whose headers were read.
const (
	after = "after "
	by    = ", by "
)

// bound is the first version known to have the symbol of a [Proc.Since]: "6.4.3" of "after 5.7.1,
// by 6.4.3".
func bound(since string) string {
	if _, b, ok := strings.Cut(since, by); ok {
		return b
	}
	return since
}

// older reports whether version a came before version b, by major and minor number: the third
// number of a library is not that of its headers. What follows a version after a space does not
// count.
func older(a, b string) bool {
	minor := func(version string) string {
		version, _, _ = strings.Cut(version, " ")
		return versions.First(version, 2)
	}
	return versions.Compare(minor(a), minor(b)) < 0
}
