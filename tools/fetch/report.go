package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// ErrUnreachable is the error of a package that this machine can't get at: named, skipped, and not
// a failure.
var ErrUnreachable = errors.New("unreachable")

// ErrMismatch is the error of a file that isn't the one that was pinned.
var ErrMismatch = errors.New("checksum mismatch")

// ErrUnsafe is the error of an archive that would write outside its folder.
var ErrUnsafe = errors.New("unsafe archive entry")

// ErrWanted is the error of a package that lacks a wanted file.
var ErrWanted = errors.New("wanted file missing")

// unreachable is the error of a package that is not available, with the reason.
func unreachable(name string, reason any) error {
	return fmt.Errorf("%s is %w: %v", name, ErrUnreachable, reason)
}

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

// Print writes the summary: what is there, and each thing that isn't with its reason.
func (s *Summary) Print(w io.Writer) {
	var bytes int64
	for _, o := range s.Outcomes {
		bytes += o.Bytes
	}
	fmt.Fprintf(w, "\n%s: %d versions: %d fetched, %d reused, %d skipped, %d failed; %s downloaded "+
		"in %s; in %s\n", s.Command, len(s.Outcomes),
		s.count(Fetched), s.count(Reused), s.count(Skipped), s.count(Failed), size(bytes),
		s.Took.Round(100*time.Millisecond), s.Dir)
	for _, state := range []State{Skipped, Failed} {
		for _, o := range s.Outcomes {
			if o.State == state {
				fmt.Fprintf(w, "  %s %s: %s\n", map[State]string{Skipped: "skipped", Failed: "FAILED"}[state],
					o.Set, oneLine(o.Err))
			}
		}
	}
	for _, note := range s.Notes {
		fmt.Fprintf(w, "  note: %s\n", note)
	}
}

// oneLine is an error's text on one line.
func oneLine(err error) string { return strings.ReplaceAll(fmt.Sprint(err), "\n", "; ") }

// size prints a number of bytes with a unit.
func size(n int64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}
