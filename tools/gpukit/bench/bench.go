package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/tools/gpukit/peers"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// bench is one run of the program.
type bench struct {
	options
	log     io.Writer
	end     time.Time
	plan    []peers.Operation
	now     atomic.Pointer[string]
	figures []report.Figure
}

// doing is what is being measured.
func (b *bench) doing() string {
	if s := b.now.Load(); s != nil {
		return *s
	}
	return "the beginning"
}

func (b *bench) does(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	b.now.Store(&s)
}

// device measures all operations on a device and writes the figures after each, so that those of an
// interrupted run are kept.
func (b *bench) device(d *event.Device) (err error) {
	r, err := newRig(d)
	if err != nil {
		return fmt.Errorf("%s: %w", d, err)
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if r.without != nil {
		fmt.Fprintf(b.log, "%s has no kernels: %v\n", d, r.without)
	}
	for i, p := range b.plan {
		if !b.only.MatchString(p.Name) {
			continue
		}
		if b.runs > 0 {
			p.Runs = min(p.Runs, b.runs)
		}
		left := time.Until(b.end)
		share := left / time.Duration(len(b.plan)-i)
		figures, err := b.operation(r, p, share)
		switch {
		case errors.Is(err, errLeftOut):
			fmt.Fprintf(b.log, "left out on %s: %s: %v\n", d, p.Name, err)
			continue
		case err != nil:
			return fmt.Errorf("%s: %s: %w", d, p.Name, err)
		}
		b.figures = append(b.figures, figures...)
		if err := b.write(); err != nil {
			return err
		}
		for _, f := range figures {
			fmt.Fprintln(b.log, line(f))
		}
	}
	return b.write()
}

// line is a figure in one line.
func line(f report.Figure) string {
	s := fmt.Sprintf("%-8s %-28s %-12s %12.1f ns, best %12.1f, CPU %12.1f, %d x %d",
		f.Device, f.Operation, f.Way, f.Median, f.Best, f.CPU, f.Runs, f.PerRun)
	if f.P99 > 0 {
		s += fmt.Sprintf(", p99 %.1f", f.P99)
	}
	if f.Note != "" {
		s += "; " + f.Note
	}
	return s
}

// write replaces the file with all figures so far.
func (b *bench) write() error {
	if b.out == "" {
		return nil
	}
	all := b.figures
	if all == nil {
		all = []report.Figure{}
	}
	data, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	part := filepath.Join(filepath.Dir(b.out), "."+filepath.Base(b.out)+".part")
	if err := os.WriteFile(part, append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(part, b.out)
}
