//go:build linux && !android && (amd64 || arm64)

package sim

import (
	"sync/atomic"

	_ "github.com/ebitengine/purego" // brings the C side of runtime/cgo where cgo is off
)

// C functions made here and not with purego, whose callbacks use reflection. These take a fifth of
// the time and allocate nothing, so that benchmarks on the simulator don't measure it.

// maxCallbacks is the number of entries in the assembly's table.
const maxCallbacks = 512

// tableStart is the address of the table of entries, set by the assembly.
var tableStart uintptr

var (
	callbacks     [maxCallbacks]atomic.Pointer[function]
	callbacksMade atomic.Int32
)

// dispatcher is called by the assembly on the goroutine that called C.
//
//lint:ignore U1000 the assembly uses it
var dispatcher = dispatch

func dispatch(fr *frame) { fr.result = callbacks[entryIndex(fr.source)].Load().impl(fr) }

func newCallback(fn *function) uintptr {
	n := uintptr(callbacksMade.Add(1) - 1)
	callbacks[n].Store(fn)
	return tableStart + n*entrySize
}
