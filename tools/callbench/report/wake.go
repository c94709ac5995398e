package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
)

// Wake is how soon waiters woke up after the end of work, in one run.
type Wake struct {
	Date    string    `json:"date"` // 2026-11-20
	Machine Machine   `json:"machine"`
	Seconds float64   `json:"seconds"` // about how long each row took
	Rows    []WakeRow `json:"rows"`
}

// WakeRow is one way to wait, for one kind of work.
type WakeRow struct {
	Way     string  `json:"way"`     // cuda/Event.Wait
	Process string  `json:"process"` // what else the process did: idle
	Work    string  `json:"work"`    // how long it takes: 150µs
	Waits   int     `json:"waits"`
	Core    float64 `json:"core_percent"` // processor time of the process
	// Late is the time from the end of the work until the call returned, in microseconds: the
	// percentiles that [Percents] names.
	Late []float64 `json:"late_us"`
}

// Percents are the percentiles of a row: 0 to 100, and two more in the tail.
func Percents() (all []float64) {
	for p := range 100 {
		all = append(all, float64(p))
	}
	return append(all, 99.5, 99.9, 100)
}

// Late returns the percentiles of a row, to tenths of a microsecond, from all latencies in
// microseconds, of which there must be one.
func Late(all []float64) (out []float64) {
	s := slices.Sorted(slices.Values(all))
	for _, p := range Percents() {
		v := s[min(int(float64(len(s))*p/100), len(s)-1)]
		out = append(out, math.Round(v*10)/10)
	}
	return out
}

// validate refuses rows that can't have been measured.
func (w Wake) validate() error {
	if len(w.Rows) == 0 {
		return fmt.Errorf("%w: there are no rows", ErrImplausible)
	}
	seen := map[[3]string]bool{}
	for _, r := range w.Rows {
		name := [3]string{r.Way, r.Process, r.Work}
		switch {
		case r.Way == "" || r.Process == "" || r.Work == "" || seen[name]:
			return fmt.Errorf("%w: the row %q has no name, or is there twice", ErrImplausible, name)
		case r.Waits < 1 || !(r.Core >= 0) || math.IsInf(r.Core, 0):
			return fmt.Errorf("%w: row %q: %d waits, %v %% of a core",
				ErrImplausible, name, r.Waits, r.Core)
		case len(r.Late) != len(Percents()):
			return fmt.Errorf("%w: row %q: %d percentiles, not %d",
				ErrImplausible, name, len(r.Late), len(Percents()))
		}
		seen[name] = true
		last := 0.0
		for _, v := range r.Late {
			if !(v >= last) || math.IsInf(v, 0) { // refuses not-a-number too
				return fmt.Errorf("%w: row %q: %v after %v", ErrImplausible, name, v, last)
			}
			last = v
		}
	}
	return nil
}

// ReadWake reads what [Wake.Write] wrote.
func ReadWake(file string) (Wake, error) { return read[Wake](file) }

// Write writes the data to a file, a row in a line.
func (w Wake) Write(file string) error {
	if err := w.validate(); err != nil {
		return err
	}
	rows := w.Rows
	w.Rows = []WakeRow{}
	head, err := json.MarshalIndent(w, "", "\t")
	if err != nil {
		return err
	}
	before, after, found := bytes.Cut(head, []byte(`"rows": []`))
	if !found {
		return errors.New("the data has no rows")
	}
	out := append(slices.Clone(before), `"rows": [`...)
	for i, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, "\n\t\t"...), line...)
	}
	out = append(append(append(out, "\n\t]"...), after...), '\n')
	return os.WriteFile(file, out, 0o644)
}
