// Package report holds what callbench measured, and writes it as a page and data.
package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// The ways to make an operation, as tables and plots name them.
const (
	C            = "C"
	Cgo          = "cgo"
	Quiet        = "cgo nocallback"
	SyscallN     = "SyscallN"
	RegisterFunc = "RegisterFunc"
	Raw          = "raw"
	Event        = "event"
	// Loop is what a loop in Go and the call of an empty function cost: part of all ways but C.
	Loop = "loop"
)

// Ways are all ways, in the order of columns.
func Ways() []string { return []string{C, Cgo, Quiet, SyscallN, RegisterFunc, Raw, Event} }

// Report is one run.
type Report struct {
	Date        string       `json:"date"` // 2026-11-20
	Machine     Machine      `json:"machine"`
	Rounds      int          `json:"rounds"`   // of every way
	RoundMS     float64      `json:"round_ms"` // about what each took
	Rows        []Row        `json:"rows"`
	Memory      []Memory     `json:"memory,omitempty"`
	Collections []Collection `json:"collections,omitempty"`
}

// Machine is where it ran.
type Machine struct {
	CPU      string `json:"cpu"`
	Cores    int    `json:"cores"`
	Platform string `json:"platform"` // linux/amd64
	Go       string `json:"go"`
	Compiler string `json:"compiler"`
}

// Row is one operation on one API, in several ways.
type Row struct {
	API    string          `json:"api,omitempty"`
	Name   string          `json:"name"`
	Target *Target         `json:"target,omitempty"` // of package event
	Cells  map[string]Cell `json:"cells"`            // by way
}

// Target is what package event should cost: over another way, or in all if Over is empty.
type Target struct {
	NS   float64 `json:"ns"`
	Over string  `json:"over,omitempty"`
}

// Cell is one operation in one way. Times are in nanoseconds per operation.
type Cell struct {
	Operations int     `json:"operations"`
	Calls      float64 `json:"calls"`  // of the driver
	CPU        Stat    `json:"cpu"`    // of the process, with its garbage collection
	Thread     Stat    `json:"thread"` // CPU time of the calling thread
	Wall       Stat    `json:"wall"`
	Allocs     float64 `json:"allocs"`
	Bytes      float64 `json:"bytes"`
}

// Stat sums the rounds up.
type Stat struct {
	Min    float64 `json:"min"`
	Median float64 `json:"median"`
}

// Memory is what open events take, per event.
type Memory struct {
	What       string  `json:"what"`
	Events     int     `json:"events"`
	Heap       float64 `json:"heap_bytes"`
	Runtime    float64 `json:"runtime_bytes"` // all memory of Go's runtime, the heap with it
	Allocs     float64 `json:"allocs"`        // to create one
	Goroutines int     `json:"goroutines"`    // more than before
}

// Collection is what garbage collections take with many open events, and without. Times are in
// milliseconds.
type Collection struct {
	Backend     string  `json:"backend"`
	Events      int     `json:"events"`
	Wall        float64 `json:"wall_ms"`
	CPU         float64 `json:"cpu_ms"`
	Pause       float64 `json:"pause_ms"` // the most that one stopped the program for
	WithoutWall float64 `json:"without_wall_ms"`
	WithoutCPU  float64 `json:"without_cpu_ms"`
	Create      float64 `json:"create_ms"` // all events
	Close       float64 `json:"close_ms"`
}

// StatOf sums values up, of which there must be one, to hundredths.
func StatOf(values []float64) Stat {
	s := slices.Sorted(slices.Values(values))
	n := len(s)
	hundredths := func(v float64) float64 { return math.Round(v*100) / 100 }
	return Stat{Min: hundredths(s[0]), Median: hundredths((s[(n-1)/2] + s[n/2]) / 2)}
}

// Cost returns what package event costs by the measure of the row's target, from medians of CPU
// time. It is false if there is no target, or not all was measured.
func (r Row) Cost() (ns float64, ok bool) {
	return r.cost(func(c Cell) float64 { return c.CPU.Median })
}

// BestCost is Cost from the thread's least CPU times, which noise can only lengthen.
func (r Row) BestCost() (ns float64, ok bool) {
	return r.cost(func(c Cell) float64 { return c.Thread.Min })
}

func (r Row) cost(of func(Cell) float64) (ns float64, ok bool) {
	if r.Target == nil {
		return 0, false
	}
	e, ok := r.Cells[Event]
	if !ok || r.Target.Over == "" {
		return of(e), ok
	}
	under, ok := r.Cells[r.Target.Over]
	return of(e) - of(under), ok
}

// Aim returns what package event should take in all: its target, and what that is measured over. It
// is false where that is not known.
func (r Row) Aim() (ns float64, ok bool) {
	switch {
	case r.Target == nil:
		return 0, false
	case r.Target.Over == "":
		return r.Target.NS, true
	}
	under, ok := r.Cells[r.Target.Over]
	return r.Target.NS + under.CPU.Median, ok
}

// ErrImplausible is what every error about numbers is that can't have been measured.
var ErrImplausible = errors.New("implausible numbers")

// validate refuses what would make a page that misleads: nothing measured, or no time taken.
func (r Report) validate() error {
	if len(r.Rows) == 0 {
		return fmt.Errorf("%w: there are no rows", ErrImplausible)
	}
	for _, row := range r.Rows {
		if len(row.Cells) == 0 {
			return fmt.Errorf("%w: row %q was measured in no way", ErrImplausible, row.Name)
		}
		for way, c := range row.Cells {
			if way != Loop && !slices.Contains(Ways(), way) {
				return fmt.Errorf("%w: row %q has the unknown way %q",
					ErrImplausible, row.Name, way)
			}
			for _, s := range []Stat{c.CPU, c.Thread, c.Wall} {
				// Not the other way round, so that not-a-number is refused too.
				if !(s.Min > 0 && s.Median >= s.Min) || math.IsInf(s.Median, 0) {
					return fmt.Errorf("%w: row %q, way %q: least %v ns, median %v ns",
						ErrImplausible, row.Name, way, s.Min, s.Median)
				}
			}
		}
	}
	return nil
}

// Write writes calls.md and calls.json to a folder, which is made if it is not there.
// "make plots" draws calls.svg from these.
func (r Report) Write(folder string) error {
	markdown, err := r.Markdown()
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, content := range map[string]string{
		"calls.md": markdown, "calls.json": string(data) + "\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Read reads what [Report.Write] wrote to calls.json.
func Read(file string) (Report, error) { return read[Report](file) }

func read[T interface{ validate() error }](file string) (v T, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return v, err
	}
	if err = json.Unmarshal(data, &v); err == nil {
		err = v.validate()
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return v, err
}
