// Command graph captures a small pipeline of copies and kernels as a graph, and launches it 1,000
// times with one call each. It compares that with making the same calls 1,000 times, and changes an
// argument of the captured work.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/examples/internal/anywhere"
)

const (
	numbers  = 1024 // few, so that launching is what takes time
	launches = 1000
)

func main() {
	m, err := anywhere.Compile(context.Background(), os.Stderr, source)
	if err == nil {
		err = run(os.Stdout, m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "graph:", err)
		os.Exit(1)
	}
}

// run closes the module.
func run(w io.Writer, m *compute.Module) (err error) {
	defer func() { err = errors.Join(err, m.Close()) }()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	p, err := newPipeline(m)
	if err != nil {
		return err
	}
	defer p.close()
	fmt.Fprintf(w, "%v (%s): copy %d numbers there, two kernels, copy back\n\n", m.Device(),
		m.Device().Name(), numbers)

	single, err := p.repeat(ctx, p.enqueue)
	if err != nil {
		return err
	}
	line(w, "4 calls", single)
	if err := p.check(2); err != nil {
		return err
	}
	g, err := compute.Capture(p.stream, p.enqueue)
	if errors.Is(err, event.ErrUnsupported) {
		fmt.Fprintf(w, "\n%v\nThe pipeline without a graph computed what it should.\n", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer g.Close()
	if err := p.launch(ctx, w, g); err != nil {
		return err
	}
	return p.change(ctx, w, g)
}

// launch launches the graph many times.
func (p *pipeline) launch(ctx context.Context, w io.Writer, g *compute.Graph) error {
	graph, err := p.repeat(ctx, func() error { return g.Launch(p.stream) })
	if err != nil {
		return err
	}
	line(w, "one graph", graph)
	return p.check(2)
}

// change gives the graph's first kernel another factor, which its next launch uses.
func (p *pipeline) change(ctx context.Context, w io.Writer, g *compute.Graph) error {
	shape, args := p.scaling(3)
	if err := g.Kernels()[0].Set(shape, args...); err != nil {
		return err
	}
	if err := g.Launch(p.stream); err != nil {
		return err
	}
	if err := p.stream.Wait(ctx); err != nil {
		return err
	}
	if err := p.check(3); err != nil {
		return err
	}
	fmt.Fprintln(w, "\nWith 3 set in place of the factor 2, the graph computed what it should.")
	return nil
}

// cost is what a repetition takes: the calls until they return, and all until the work is done.
type cost struct{ calls, all time.Duration }

// repeat enqueues work many times, and waits for it.
func (p *pipeline) repeat(ctx context.Context, enqueue func() error) (c cost, err error) {
	if err := enqueue(); err != nil { // warms up: the first run is slower
		return c, err
	}
	if err := p.stream.Wait(ctx); err != nil {
		return c, err
	}
	start := time.Now()
	for range launches {
		if err := enqueue(); err != nil {
			return c, err
		}
	}
	c.calls = time.Since(start) / launches
	err = p.stream.Wait(ctx)
	c.all = time.Since(start) / launches
	return c, err
}

func line(w io.Writer, what string, c cost) {
	fmt.Fprintf(w, "  %-10s %8.2f µs until the calls return, %8.2f µs until done; each of %d\n", what,
		us(c.calls), us(c.all), launches)
}

func us(d time.Duration) float64 { return d.Seconds() * 1e6 }
