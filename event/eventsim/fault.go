package eventsim

import (
	"errors"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// Fault makes calls of a driver's function fail.
type Fault struct {
	// Call is the C name as exported: "cuEventRecord", "cuMemAlloc_v2", "hipMalloc". [Machine.Log]
	// shows which functions are called.
	Call string
	// Err is what the calls return: a code such as cudrv.ErrOutOfMemory or hip.ErrIllegalAddress. A
	// code for a failed kernel (illegal address, launch failure and the like) breaks the device
	// that the call concerns: everything on it returns the code from then on.
	Err error
	// At is the first call that fails, counted from now and from 1. 0 means 1, which is the next.
	At int
	// Times is how many calls fail. 0 means 1; a negative number means all calls from At on.
	Times int
}

// Fail makes calls fail. Several faults add up. A call that names no device and no object of the
// machine's, such as cuInit, can fail on a process-wide machine only.
func (m *Machine) Fail(f Fault) {
	if !m.sim.Simulates(f.Call, m.isHIP()) {
		m.mistaken("Fail", "%q is no function of the simulated %s; names are the exported ones, "+
			"such as cuMemAlloc_v2", f.Call, m.config.Backend)
	}
	c := m.code("Fail", f.Err)
	m.sim.Fault(sim.Fault{Call: f.Call, At: f.At, Times: f.Times, Code: c, Breaks: breaks(c)})
}

// Heal removes all faults. A broken device stays broken.
func (m *Machine) Heal() { m.sim.ClearFaults() }

// Lose makes a device fail for good: pending work fails, and every call on its objects returns err,
// a code of the machine's vendor. Real lost devices return different codes, depending on the driver
// and on how they were lost; cudrv.ErrUnknown is one of them.
func (m *Machine) Lose(device int, err error) {
	m.mustHave("Lose", device)
	if m.isHIP() {
		m.sim.LoseHIP(device, m.code("Lose", err))
	} else {
		m.sim.LoseCUDA(device, m.code("Lose", err))
	}
}

// code returns the vendor's number of an error.
func (m *Machine) code(op string, err error) int32 {
	if m.isHIP() {
		var r hip.Result
		if errors.As(err, &r) && r != hip.Success {
			return int32(r)
		}
		m.mistaken(op, "%v is no code of HIP's: use one such as hip.ErrIllegalAddress", err)
	}
	var r cudrv.Result
	if !errors.As(err, &r) || r == cudrv.Success {
		m.mistaken(op, "%v is no code of CUDA's: use one such as cudrv.ErrIllegalAddress", err)
	}
	return int32(r)
}

// result returns the error for a vendor's number; nil for success.
func (m *Machine) result(c int32) error {
	switch {
	case c == 0:
		return nil
	case m.isHIP():
		return hip.Result(c)
	}
	return cudrv.Result(c)
}

// breaks reports whether a code means that the context can no longer be used. The vendors share
// these numbers.
func breaks(c int32) bool {
	switch cudrv.Result(c) {
	case cudrv.ErrIllegalAddress, cudrv.ErrLaunchTimeout, cudrv.ErrAssert,
		cudrv.ErrHardwareStackError, cudrv.ErrIllegalInstruction, cudrv.ErrMisalignedAddress,
		cudrv.ErrInvalidAddressSpace, cudrv.ErrInvalidPc, cudrv.ErrLaunchFailed:
		return true
	}
	return false
}
