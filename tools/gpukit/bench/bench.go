package bench

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// Run measures all operations on a device within a time. It calls write with all figures so far
// after each operation, so that those of an interrupted run are kept.
func Run(d *event.Device, limit time.Duration, log io.Writer,
	write func([]report.Figure) error) error {
	b := &bench{log: log, write: write, end: time.Now().Add(limit), plan: plan, seed: 1}
	return b.device(d)
}

// bench is one run.
type bench struct {
	log     io.Writer
	write   func([]report.Figure) error
	end     time.Time
	plan    []planned
	runs    int // of each way, at most; those of the plan if 0
	seed    uint64
	figures []report.Figure
}

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
		if b.runs > 0 {
			p.runs = min(p.runs, b.runs)
		}
		left := time.Until(b.end)
		share := left / time.Duration(len(b.plan)-i)
		figures, err := b.operation(r, p, share)
		switch {
		case errors.Is(err, errLeftOut):
			fmt.Fprintf(b.log, "left out on %s: %s: %v\n", d, p.name, err)
			continue
		case err != nil:
			return fmt.Errorf("%s: %s: %w", d, p.name, err)
		}
		b.figures = append(b.figures, figures...)
		if err := b.write(b.figures); err != nil {
			return err
		}
	}
	return nil
}
