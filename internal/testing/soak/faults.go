package soak

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Codes are what drivers answer when something goes wrong. Those that report earlier work come also
// from calls that destroy: the object is gone all the same. Left out are those that are no
// failures, or tell of captures, or that a function does not exist: 600, 801, 900 to 909.
var (
	codes       = []int32{1, 2, 4, 201, 304, 400}
	codesOfWork = []int32{700, 702, 719, 999}
)

// shutDown is what a driver answers at the end of the process. That a handle could not be destroyed
// for it is not reported, and so not counted: neither a call that destroys may fail with it, nor
// those that make a context current for one.
const shutDown = 4

// inject has a share of all driver calls fail until the run stops, with one code after the other.
func (w *world) inject(stop chan struct{}) {
	const often = 2 * time.Millisecond
	r := rand.New(rand.NewPCG(w.Seed, 1<<40))
	for {
		if r.IntN(2) == 0 {
			w.machine.FaultRate(w.FaultRate, codesOfWork[r.IntN(len(codesOfWork))], r.Int64())
		} else {
			code := codes[r.IntN(len(codes))]
			except := w.destroying()
			if code == shutDown {
				except = append(except, "cuCtxGetCurrent", "cuCtxSetCurrent")
			}
			w.machine.FaultRate(w.FaultRate, code, r.Int64(), except...)
		}
		select {
		case <-stop:
			w.machine.FaultRate(0, 0, 0)
			return
		case <-time.After(often):
		}
	}
}

// destroying are the functions that destroy: those of events and streams, which may be called first
// while they fail, and others that were called.
func (w *world) destroying() (calls []string) {
	calls = []string{"cuEventDestroy_v2", "cuStreamDestroy_v2", "hipEventDestroy", "hipStreamDestroy"}
	for call := range w.machine.AllCalls() {
		if strings.Contains(call, "Destroy") && !slices.Contains(calls, call) {
			calls = append(calls, call)
		}
	}
	return calls
}
