package sim

import "sync/atomic"

// Device memory has addresses that no memory of a process can have, above 48 bits: a host that
// follows one crashes, as with a real device's. Where handles have the mark of their API, they have
// one of their own. An address is not used again, so memory that was freed is never mistaken for
// newer one.
const (
	spaceMark  = 0xd
	spaceFirst = 2 // the number in the highest bits, from where on addresses are long enough
	spaceAlign = 512

	spaceWindow = 1 << markShift // bytes between two places where addresses are a handle's
)

var spaceNext atomic.Uint64 // bytes handed out in the process

// deviceAddress returns a range of addresses. Between two ranges are some that belong to none.
func deviceAddress(size uintptr) uintptr {
	step := (uint64(size)/spaceAlign + 2) * spaceAlign
	for {
		at := spaceNext.Add(step) - step
		if at/spaceWindow == (at+step-1)/spaceWindow {
			return uintptr((spaceFirst+at/spaceWindow)<<idShift | spaceMark<<markShift | at%spaceWindow)
		}
	}
}

// deviceMemory is how much memory a device has, for which there must be addresses.
func deviceMemory(wanted uintptr) uintptr {
	return uintptr(min(uint64(wanted), spaceWindow/2))
}

func isDeviceAddress(address uintptr) bool {
	word := uint64(address)
	return word>>idShift >= spaceFirst && word>>markShift&(1<<markBits-1) == spaceMark
}
