//go:build ((linux && !android) || (darwin && !ios) || windows) && (amd64 || arm64)

package ccall

import "github.com/ebitengine/purego"

// Supported reports whether C can be called on this target.
const Supported = true

// NewCallback returns a C function that calls fn: integers and pointers in, one uintptr out. It is
// never freed. It panics if the process has reached its limit of callbacks.
func NewCallback(fn any) uintptr { return purego.NewCallback(fn) }
