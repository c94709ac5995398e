package eventsim

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

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
			"such as %s", f.Call, m.config.Backend, nearest(f.Call, m.sim.Functions(m.isHIP())))
	}
	c := m.code("Fail", f.Err)
	m.sim.Fault(sim.Fault{Call: f.Call, At: f.At, Times: f.Times, Code: c, Breaks: m.breaks(c)})
}

// IdleFaults returns an error for each fault that never made a call fail, and names the function
// with the nearest name that was called; nil if there is none. Faults that [Machine.Heal] has
// removed do not count.
func (m *Machine) IdleFaults() error {
	var all []error
	for _, f := range m.sim.IdleFaults() {
		hint := "was not called since"
		if f.Seen > 0 {
			hint = fmt.Sprintf("was called %d time(s) since", f.Seen)
		}
		called := m.sim.AllCalls()
		delete(called, f.Call)
		if name := nearest(f.Call, slices.Collect(maps.Keys(called))); name != "" {
			hint += fmt.Sprintf("; %s was called %d time(s)", name, called[name])
		}
		all = append(all, fmt.Errorf("eventsim: the fault of %s at call %d never came: it %s", f.Call,
			max(f.At, 1), hint))
	}
	return errors.Join(all...)
}

// nearest returns the name that is most like another; "" if there are none.
func nearest(to string, names []string) (name string) {
	best := math.MaxInt
	slices.Sort(names)
	for _, n := range names {
		if d := distance(to, n); d < best {
			best, name = d, n
		}
	}
	return name
}

// distance is how many letters have to be added, removed or replaced to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
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

// breaks reports whether a code means that the context can no longer be used.
func (m *Machine) breaks(c int32) bool {
	if m.isHIP() {
		return hip.Result(c).Class() == hip.ClassKernel
	}
	return cudrv.Result(c).Class() == cudrv.ClassKernel
}
