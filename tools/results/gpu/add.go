package gpu

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// Store is where results are kept.
type Store struct {
	Docs string // the folder with driver-facts.md and results/gpu
	// Samples takes samples too, for tests.
	Samples bool
}

func (s Store) make() error { return os.MkdirAll(s.dir(), 0o755) }

func (s Store) dir() string { return filepath.Join(s.Docs, "results", "gpu") }

// Add adds a report of the kit and writes the pages again. It says what it did.
func (s Store) Add(file string, out io.Writer) error {
	r, err := report.ReadFile(file)
	if err != nil {
		return err
	}
	if err := s.accepts(r); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := s.make(); err != nil {
		return err
	}
	for _, c := range r.Cards() {
		if err := s.place(r.Of(c), c, out); err != nil {
			return err
		}
	}
	return s.Render()
}

// accepts reports why a report has no place here.
func (s Store) accepts(r *report.Report) error {
	if r.Sample != "" && !s.Samples {
		return ErrSample
	}
	cards := r.Cards()
	if len(cards) == 0 {
		return ErrNoGPU
	}
	for _, c := range cards {
		if c.Simulated {
			return fmt.Errorf("%w: %s", ErrSimulated, c.Model)
		}
		ran := func(x report.Step) bool {
			return slices.Contains(c.Devices, x.Device) &&
				slices.Contains([]report.Outcome{report.Passed, report.Failed, report.TimedOut}, x.Outcome)
		}
		if !slices.ContainsFunc(r.Steps, ran) {
			return fmt.Errorf("%w: %s", ErrUntested, c.Model)
		}
	}
	return nil
}

// place writes the report of a card, unless a newer one of that day is there.
func (s Store) place(r *report.Report, c report.Card, out io.Writer) error {
	data, err := r.JSON()
	if err != nil {
		return err
	}
	name := c.Slug() + "-" + r.Began.Format(time.DateOnly)
	file := filepath.Join(s.dir(), name+".json")
	old, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fmt.Fprintf(out, "added %s\n", name)
	case err != nil:
		return err
	case bytes.Equal(old, data):
		fmt.Fprintf(out, "%s is there already\n", name)
		return nil
	default:
		was, err := report.ReadFile(file)
		if err != nil {
			return err
		}
		if was.Began.After(r.Began) {
			fmt.Fprintf(out, "a newer run of %s is there, and stays\n", name)
			return nil
		}
		fmt.Fprintf(out, "replaced %s, whose run was older\n", name)
	}
	return os.WriteFile(file, data, 0o644)
}

// kept is a report in the store.
type kept struct {
	name string // of its files, without the ending
	card report.Card
	*report.Report
}

// all are the reports, the newest first.
func (s Store) all() (reports []kept, err error) {
	files, err := filepath.Glob(filepath.Join(s.dir(), "*.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		r, err := report.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if err := s.accepts(r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		name := filepath.Base(file)
		reports = append(reports, kept{name[:len(name)-len(".json")], r.Cards()[0], r})
	}
	slices.SortStableFunc(reports, func(a, b kept) int { return b.Began.Compare(a.Began) })
	return reports, nil
}

// Render writes all pages and pictures again, and the facts that were seen.
func (s Store) Render() error {
	if err := s.make(); err != nil {
		return err
	}
	reports, err := s.all()
	if err != nil {
		return err
	}
	for _, r := range reports {
		if err := s.page(r); err != nil {
			return err
		}
	}
	index := filepath.Join(s.dir(), "README.md")
	if err := os.WriteFile(index, []byte(indexPage(reports)), 0o644); err != nil {
		return err
	}
	return s.facts(reports)
}
