package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// State is what became of a set.
type State int

// The states of a set.
const (
	Skipped State = iota
	Fetched
	Reused
	Failed
)

// Outcome is what became of a set and why.
type Outcome struct {
	Set   string
	State State
	Files int
	Bytes int64 // downloaded just now
	Err   error
}

// fail files an error: what can't be reached is skipped, anything else is a failure.
func (o Outcome) fail(err error) Outcome {
	o.State, o.Err = Failed, err
	if errors.Is(err, ErrUnreachable) {
		o.State = Skipped
	}
	return o
}

// Log prints progress lines from several goroutines.
type Log struct {
	mu sync.Mutex
	w  io.Writer
}

// Linef prints one line.
func (l *Log) Linef(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.w, format+"\n", args...)
}

// Summary is what a command did.
type Summary struct {
	Command  string
	Dir      string
	Took     time.Duration
	Outcomes []Outcome
	Notes    []string
}

// count counts the outcomes of a state.
func (s *Summary) count(state State) int {
	n := 0
	for _, o := range s.Outcomes {
		if o.State == state {
			n++
		}
	}
	return n
}

// Print writes the summary for a person: what is there, and each thing that isn't with its reason.
func (s *Summary) Print(w io.Writer) {
	var bytes int64
	for _, o := range s.Outcomes {
		bytes += o.Bytes
	}
	fmt.Fprintf(w, "\n%s: %d versions: %d fetched, %d reused, %d skipped, %d failed; %s downloaded "+
		"in %s; in %s\n", s.Command, len(s.Outcomes),
		s.count(Fetched), s.count(Reused), s.count(Skipped), s.count(Failed), size(bytes),
		s.Took.Round(100*time.Millisecond), s.Dir)
	for _, state := range []struct {
		state State
		word  string
	}{{Skipped, "skipped"}, {Failed, "FAILED"}} {
		for _, o := range s.Outcomes {
			if o.State == state.state {
				fmt.Fprintf(w, "  %s %s: %s\n", state.word, o.Set,
					strings.ReplaceAll(fmt.Sprint(o.Err), "\n", "; "))
			}
		}
	}
	for _, note := range s.Notes {
		fmt.Fprintf(w, "  note: %s\n", note)
	}
}

// ExitCode is 0 unless something failed or, if strict, was skipped.
func (s *Summary) ExitCode(strict bool) int {
	if s.count(Failed) > 0 || (strict && s.count(Skipped) > 0) {
		return 1
	}
	return 0
}

// size prints a number of bytes for a person.
func size(n int64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}
