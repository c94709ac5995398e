package soak

import (
	"math/rand/v2"
	"strings"
	"time"
)

// codes are what drivers answer when something goes wrong. Left out are those that are no failures, or
// tell of captures, or that a function does not exist: 600, 801, 900 to 909.
var codes = []int32{1, 2, 4, 201, 304, 400, 700, 702, 719, 999}

// inject has a share of all driver calls fail until the run stops. A call of a destroying function fails
// with codes that report earlier work, as real ones do: the object is gone all the same.
func (w *world) inject(stop chan struct{}) {
	const often = 4 * time.Millisecond
	r := rand.New(rand.NewPCG(w.Seed, 1<<40))
	before := map[string]int{}
	for {
		select {
		case <-stop:
			w.machine.ClearFaults()
			return
		case <-time.After(often):
		}
		w.machine.ClearFaults()
		for call, n := range w.machine.AllCalls() {
			new := n - before[call]
			before[call] = n
			want := float64(new) * w.FaultRate
			faults := int(want)
			if r.Float64() < want-float64(faults) {
				faults++
			}
			for range min(faults, 20) {
				w.machine.FaultAt(call, 1+r.IntN(max(new, 1)), w.code(call, r))
			}
		}
	}
}

func (w *world) code(call string, r *rand.Rand) int32 {
	if strings.Contains(call, "Destroy") {
		return []int32{700, 719}[r.IntN(2)]
	}
	return codes[r.IntN(len(codes))]
}
