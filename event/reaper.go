package event

import (
	"runtime"
	"sync"
)

// reaper destroys what the garbage collector found without Close: on a goroutine of its own, for a driver may take its time, whose
// thread may speak to the driver while others capture. It is there only while there is something to do.
var reaper struct {
	sync.Mutex
	dropped []*guard
	running bool
}

// reap is the cleanup of events and streams.
func reap(g *guard) {
	if g.closed() {
		return
	}
	reaper.Lock()
	defer reaper.Unlock()
	reaper.dropped = append(reaper.dropped, g)
	if !reaper.running {
		reaper.running = true
		go reapAll()
	}
}

func reapAll() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for {
		reaper.Lock()
		batch := reaper.dropped
		reaper.dropped = nil
		reaper.running = len(batch) > 0
		reaper.Unlock()
		if len(batch) == 0 {
			return
		}
		for _, g := range batch {
			reapOne(g)
		}
	}
}

func reapOne(g *guard) {
	defer g.owner.relax()()
	g.drop()
}
