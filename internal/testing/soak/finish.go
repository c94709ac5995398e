package soak

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// finish ends what goes on, closes or drops everything, and looks at what is left.
func (w *world) finish() {
	last := w.workers[0]
	w.eventually("the opening of all gates", func() bool { return w.gates.Load() == 0 })
	for _, k := range w.workers {
		for _, c := range k.kept {
			w.eventually("the end of a channel of Done", func() bool {
				return w.found() || c.over(w)
			})
		}
		for _, c := range k.callbacks {
			w.eventually("a function given to OnDone", func() bool {
				if c.runs.Load() == 0 {
					c.overdue()
				}
				return c.runs.Load() > 0
			})
		}
		k.kept, k.callbacks = nil, nil
		for _, s := range k.private {
			if err := s.obj.Load().Close(); err != nil {
				w.lost.Add(1)
				w.created("Stream.Close", s.dev, err)
			}
		}
		k.private = nil
		k.about.Store(nil)
		k.on.Store(nil)
	}
	for i := range w.events {
		e := w.events[i].Load()
		if i%2 == 0 || e.wrapped {
			last.close(e)
		}
		e.obj.Store(nil)
	}
	for i := range w.streams {
		s := w.streams[i].Load()
		if o := s.obj.Load(); o != nil && i%2 == 0 && !s.isDefault {
			last.begin(opCloseStream, nil, s)
			err := o.Close()
			last.over(err)
			if err != nil && w.strict(s.dev) {
				w.find("Close of %v at the end: %v", s, err)
			}
		}
		s.obj.Store(nil)
	}
	last.about.Store(nil)
	last.on.Store(nil)
	w.events, w.streams = nil, nil // records refer to streams that were replaced
	for _, f := range w.left {
		if err := f(); err != nil {
			w.lost.Add(1)
			if w.plain() {
				w.find("the end of a native object: %v", err)
			}
		}
	}
	w.left = nil // wrapped events refer to streams too
	if w.found() {
		return
	}
	if w.machine != nil {
		w.accounts()
	}
	if w.plain() {
		w.figures()
	}
}

// eventually waits for what must happen soon.
func (w *world) eventually(what string, is func() bool) {
	w.patiently(is, func() {
		w.overdue(func() string { return "hang: " + what + " did not happen" }, is)
	})
}

func (w *world) patiently(is func() bool, late func()) {
	limit := int64((w.Patience + longest) / turn)
	for began := w.watch.Load(); !is(); time.Sleep(200 * time.Microsecond) {
		if w.watch.Load()-began > 2*limit {
			late()
			return
		}
	}
}

// accounts wants nothing left of native objects, and nothing done that would crash a driver.
func (w *world) accounts() {
	left := func() (text string) {
		n := int64(0)
		live := map[string]sim.Handles{"cuda": w.machine.CUDALive(), "hip": w.machine.HIPLive()}
		for name, h := range live {
			if h.Events+h.Streams+h.Graphs+h.Execs > 0 {
				text += fmt.Sprintf("%s: %d events, %d streams, %d graphs, %d executable graphs; ",
					name, h.Events, h.Streams, h.Graphs, h.Execs)
				n += int64(h.Events + h.Streams + h.Graphs + h.Execs)
			}
		}
		if w.Form == Faults && n <= w.lost.Load() { // what a driver refused to destroy stays
			return ""
		}
		return text
	}
	w.patiently(func() bool {
		runtime.GC()
		return left() == ""
	}, func() { w.find("leak: handles are left: %s", left()) })
	if crashes := w.machine.Crashes(); len(crashes) > 0 {
		w.find("%d calls that would have crashed: %v", len(crashes), crashes[:min(len(crashes), 5)])
	}
	if misuse := w.machine.Misuse(); len(misuse) > 0 && w.plain() {
		w.find("%d calls with dead handles, or where they are forbidden: %v",
			len(misuse), misuse[:min(len(misuse), 5)])
	}
	if !w.plain() { // where a context can't be restored, that is told and stays so
		return
	}
	for id, stack := range w.machine.CUDAThreads() {
		if stack[len(stack)-1] != 0 {
			w.find("thread %d is left in CUDA context %#x", id, stack[len(stack)-1])
		}
	}
	for id, d := range w.machine.HIPThreads() {
		if d != 0 {
			w.find("thread %d is left on HIP device %d", id, d)
		}
	}
}

// goroutinesBack wants no more goroutines than there were.
func (w *world) goroutinesBack(before int) {
	// A function that ends its goroutine leaves one parked.
	before += int(min(w.exits.Load(), mostExits))
	before += w.Goroutines
	if w.Form == OneThread {
		before += 2 // the simulated drivers' own threads, one of each vendor
	}
	for began := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(began) > w.Patience {
			buf := make([]byte, 1<<20)
			text := string(buf[:runtime.Stack(buf, true)])
			if strings.Count(text, "\n\ngoroutine ")+1 > before {
				w.find("leak: %d goroutines, %d before\n%s", runtime.NumGoroutine(), before, text)
			}
			return
		}
	}
}
