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
)

var spaceNext atomic.Uint64 // bytes handed out in the process

// deviceAddress returns a range of addresses. Between two ranges are some that belong to none.
func deviceAddress(size uintptr) uintptr {
	const window = 1 << markShift
	step := (uint64(size)/spaceAlign + 2) * spaceAlign
	for {
		at := spaceNext.Add(step) - step
		if at/window == (at+step-1)/window {
			return uintptr((spaceFirst+at/window)<<idShift | spaceMark<<markShift | at%window)
		}
	}
}

func isDeviceAddress(address uintptr) bool {
	word := uint64(address)
	return word>>idShift >= spaceFirst && word>>markShift&(1<<markBits-1) == spaceMark
}
