package soak

import (
	"math/rand/v2"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// kill breaks a GPU at a random moment of the run.
func (w *world) kill(stop chan struct{}) {
	r := rand.New(rand.NewPCG(w.Seed, 1<<41))
	after := w.Duration/5 + time.Duration(r.Int64N(int64(w.Duration/2)))
	select {
	case <-stop:
		return
	case <-time.After(after):
	}
	var gpus []*device
	for _, d := range w.devices {
		if d.backend != event.Host {
			gpus = append(gpus, d)
		}
	}
	d := gpus[r.IntN(len(gpus))]
	d.failing.Store(true) // for all of its vendor: streams that wait for it fail as well
	for _, o := range w.devices {
		// So do the host's; those of another vendor wait for none of them, see crosses.
		if o.backend == event.Host {
			o.failing.Store(true)
		}
	}
	if d.backend == event.CUDA {
		w.machine.FailCUDA(d.dev.Ordinal(), 700)
	} else {
		w.machine.FailHIP(d.dev.Ordinal(), 700)
	}
	d.dead.Store(true)
}
