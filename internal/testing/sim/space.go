package sim

import "sync/atomic"

// Device memory has addresses that no memory of the process has: a host that follows one crashes,
// as with a real device's. An address is not used again for long, so memory that was freed is never
// mistaken for newer one. Handles have higher bits set, see [driver.route].
const (
	spaceFirst = 1 << 44
	spaceEnd   = 1 << 46
	spaceAlign = 512
)

var spaceNext atomic.Uint64 // bytes handed out in the process

// deviceAddress returns a range of addresses. Between two ranges are some that belong to none.
func deviceAddress(size uintptr) uintptr {
	step := (uint64(size)/spaceAlign + 2) * spaceAlign
	for {
		end := spaceNext.Add(step)
		at := (end - step) % (spaceEnd - spaceFirst)
		if at+step <= spaceEnd-spaceFirst { // else it would wrap around
			return uintptr(spaceFirst + at)
		}
	}
}
