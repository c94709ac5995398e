package sim

import (
	"strings"

	"github.com/gpuevent/gpuevent/internal/image"
)

// globalSpec is a variable of an image.
type globalSpec struct {
	name  string
	size  uintptr
	value []byte // zeroes if shorter than size
}

// globalsOf returns an image's variables with their initial values, which only machine code b has:
// the initial values in a text are not read.
func globalsOf(globals []image.Global, b []byte) (found []globalSpec) {
	values := image.Values(b)
	for _, g := range globals {
		if g.Size > 0 && g.Size <= longestImage {
			found = append(found, globalSpec{strings.Clone(g.Name), uintptr(g.Size), values[g.Name]})
		}
	}
	return found
}
