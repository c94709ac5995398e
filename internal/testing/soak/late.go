package soak

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// lateEnds are ends that came after the watchdog's patience, in a process that had to wait for its
// processors. The watchdog's turns do not show that: it is one goroutine that sleeps, while what it
// watches takes many goroutines and threads in turn.
type lateEnds struct {
	paused        atomic.Int32 // while somebody waits for a late end, workers begin nothing new
	count, latest atomic.Int64
}

// mostLate is how many turns an end may be late before it is never.
const mostLate = int(30 * time.Second / turn)

// overdue is called for what should have ended by now. It waits for the end, without load, and
// gives the run up if there is none. An end that is late is a finding too, unless the process had
// to wait for its processors.
func (w *world) overdue(text func() string, ended func() bool) {
	meanwhile := stacks()
	switch late, ok := w.endsLate(ended); {
	case !ok:
		w.hang(text())
	case !w.starved():
		w.find("late: it ended %v after that: %s%s", late, text(), meanwhile)
	}
}

// overdueChannel is overdue for a channel.
func (w *world) overdueChannel(c <-chan struct{}, format string, args ...any) {
	w.overdue(func() string { return fmt.Sprintf(format, args...) },
		func() bool { return over(c) })
}

// endsLate waits for a late end without load. It returns how long that took, and whether it came.
func (w *world) endsLate(ended func() bool) (late time.Duration, ok bool) {
	w.ends.paused.Add(1)
	defer w.ends.paused.Add(-1)
	began := time.Now()
	for turns := 0; !ended(); turns++ {
		if turns > mostLate {
			return 0, false
		}
		time.Sleep(turn)
	}
	late = time.Since(began)
	w.ends.count.Add(1)
	for {
		latest := w.ends.latest.Load()
		if int64(late) <= latest || w.ends.latest.CompareAndSwap(latest, int64(late)) {
			return late, true
		}
	}
}

// rest keeps a worker from beginning something while a late end is waited for.
func (l *lateEnds) rest(stop *atomic.Bool) {
	for l.paused.Load() > 0 && !stop.Load() {
		time.Sleep(time.Millisecond)
	}
}

func (l *lateEnds) String() string {
	if l.count.Load() == 0 {
		return ""
	}
	return fmt.Sprintf("; %d ends were late, the latest by %v, while others had the processors",
		l.count.Load(), time.Duration(l.latest.Load()).Round(time.Millisecond))
}

// starved reports whether at least one thread of this process was waiting for a processor half of
// the time. Where that can't be known it is taken for true.
func (w *world) starved() bool {
	queued, known := queuedTime()
	return !known || queued-w.queued >= time.Since(w.began)/2
}

// queuedTime returns how long the threads of this process have waited for a processor in all.
func queuedTime() (sum time.Duration, known bool) {
	files, _ := filepath.Glob("/proc/self/task/*/schedstat")
	for _, f := range files {
		text, err := os.ReadFile(f)
		fields := strings.Fields(string(text))
		if err != nil || len(fields) < 2 {
			continue // the thread has ended
		}
		n, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return 0, false
		}
		sum, known = sum+time.Duration(n), true
	}
	return sum, known
}
