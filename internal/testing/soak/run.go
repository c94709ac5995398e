package soak

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Run makes one run and reports what came of it. If something hangs it prints what is known and
// ends the process, for nothing else can be done.
func Run(c Config) Report {
	goroutines := runtime.NumGoroutine()
	w, err := newWorld(c)
	if err != nil {
		return Report{Config: c, Wrong: []string{"start: " + err.Error()}, Impossible: err}
	}
	stop := make(chan struct{})
	go w.watcher(stop)
	mishap := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		switch w.Form {
		case Faults:
			w.faulty.Store(true)
			w.inject(mishap)
		case Kill:
			w.kill(mishap)
		case Real:
		default:
			w.stall(mishap)
		}
	}()
	w.run()
	close(mishap)
	<-ended
	took := time.Since(w.began)
	if !w.found() {
		w.finish()
	}
	close(stop)
	if !w.found() {
		w.goroutinesBack(goroutines)
	}
	r := w.report()
	r.Took = took
	return r
}

// fatal ends the process with a report and what hangs.
func (w *world) fatal(r Report, text string) {
	if n := len(r.Wrong); n > 1 { // the last is the hang
		text = strings.Join(r.Wrong[:n-1], "\n") + "\n" + text
	}
	fmt.Fprintf(os.Stderr, "%v\n%s\nrepeat with %v\n", r, text, w.Config)
	os.Exit(exitHang)
}

// exitHang is the process's end when something hung.
const exitHang = 3
