package soak

import (
	"bytes"
	"fmt"
	"runtime"
	"time"
)

// watcher turns the watch and looks for calls, channels and callbacks that are overdue.
func (w *world) watcher(stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(turn):
		}
		now := w.watch.Add(1)
		limit := int64(w.Patience / turn)
		for _, k := range w.workers {
			w.lookAfter(k, now, limit)
		}
	}
}

func (w *world) lookAfter(k *worker, now, limit int64) {
	what, since := k.doing.Load(), k.since.Load()
	if opKind(what).judgesItself() {
		limit *= mostSteps
	}
	if what < 0 || now-since <= limit {
		return
	}
	e, s := k.about.Load(), k.on.Load()
	if e != nil && now-e.lastTouched() <= limit && e.open.Load() {
		return // waiting for whoever records it goes on with each record
	}
	if d := k.syncs.Load(); d != nil && now-d.holds.free(now) <= limit {
		return // waiting for other workers' gates
	}
	if k.doing.Load() != what || k.since.Load() != since {
		return
	}
	w.overdue(func() string { return w.overdueCall(k, what, e, s) }, func() bool {
		return k.doing.Load() != what || k.since.Load() != since
	})
}

// overdueCall describes a call that does not return.
func (w *world) overdueCall(k *worker, what int32, e *ev, s *stream) string {
	text := fmt.Sprintf("hang: goroutine %d is in %s for more than %v",
		k.id, opKind(what), w.Patience)
	if e != nil {
		text += fmt.Sprintf(" on %v\n%s", e, e.history.String())
	}
	if s != nil {
		text += fmt.Sprintf("\n  on %v\n%s", s, s.history.String())
	}
	return text
}

func (e *ev) lastTouched() int64 {
	e.truth.mu.Lock()
	defer e.truth.mu.Unlock()
	return e.truth.touched
}

// hang reports what did not end, with all goroutines, and gives the run up: it can't be ended in
// order.
func (w *world) hang(text string) {
	w.find("%s", text)
	w.fatal(w.report(), text+stacks())
}

// stacks are those of all goroutines.
func stacks() string {
	buf := make([]byte, 8<<20)
	buf = buf[:runtime.Stack(buf, true)]
	return fmt.Sprintf("\n\ngoroutines:\n%s", shorten(buf))
}

// shorten keeps a dump readable.
func shorten(stacks []byte) []byte {
	const most = 400
	all := bytes.Split(stacks, []byte("\n\n"))
	if len(all) > most {
		all = append(all[:most:most], []byte(fmt.Sprintf("… and %d more", len(all)-most)))
	}
	return bytes.Join(all, []byte("\n\n"))
}
