// Command timeline runs a pipeline of three streams, which load, compute and store batches, and
// writes what happened to trace.json, for ui.perfetto.dev, and to timeline.svg.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/timeline"
)

func main() {
	device := flag.String("device", "", `the device, such as cuda:0; the first GPU or else the host if empty`)
	dir := flag.String("dir", ".", "where to write trace.json and timeline.svg")
	flag.Parse()
	d := event.Default()
	var err error
	if *device != "" {
		d, err = event.Open(*device)
	}
	if err == nil {
		err = run(d, *dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "timeline:", err)
		os.Exit(1)
	}
}

func run(d *event.Device, dir string) (err error) {
	tl, err := timeline.New(timeline.Options{Devices: []*event.Device{d}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	defer func() { err = errors.Join(err, tl.Close(ctx)) }()
	p := pipeline{tl: tl}
	for _, lane := range []struct {
		name   string
		stream **event.Stream
	}{{"load", &p.load}, {"compute", &p.compute}, {"store", &p.store}} {
		s, err := d.NewStream()
		if err != nil {
			return err
		}
		defer s.Close()
		*lane.stream = s
		if err := tl.NameStream(s, lane.name); err != nil {
			return err
		}
	}
	if err := p.enqueue(); err != nil {
		return err
	}
	if err := tl.Flush(ctx); err != nil {
		return err
	}
	shot := tl.Snapshot()
	title := "Three streams on " + d.String()
	if err := errors.Join(
		write(filepath.Join(dir, "trace.json"), shot.WriteTrace),
		write(filepath.Join(dir, "timeline.svg"), func(w io.Writer) error {
			return shot.WriteSVG(w, timeline.Picture{Title: title})
		}),
	); err != nil {
		return err
	}
	clock, _ := tl.Clock(d)
	fmt.Printf("%d spans and marks on %v: %s and %s\n", len(shot.Items), d,
		filepath.Join(dir, "trace.json"), filepath.Join(dir, "timeline.svg"))
	fmt.Println("clock:", clock)
	return nil
}

type pipeline struct {
	tl                   *timeline.Timeline
	load, compute, store *event.Stream
}

const (
	batches = 6
	buffers = 2
)

// enqueue enqueues all batches. A buffer is loaded again after its batch was stored.
func (p pipeline) enqueue() error {
	var stored [buffers]timeline.Span
	for batch := range batches {
		number := timeline.Int("batch", batch)
		b := batch % buffers
		if batch >= buffers {
			if err := p.tl.Wait(p.load, stored[b]); err != nil {
				return err
			}
		}
		loaded, err := p.stage(p.load, "load", 3*time.Millisecond, number)
		if err != nil {
			return err
		}
		p.tl.Counter("batches enqueued", float64(batch+1))
		if err := p.tl.Wait(p.compute, loaded); err != nil {
			return err
		}
		computed, err := p.computing(number)
		if err != nil {
			return err
		}
		if err := p.tl.Wait(p.store, computed); err != nil {
			return err
		}
		if stored[b], err = p.stage(p.store, "store", 2*time.Millisecond, number); err != nil {
			return err
		}
	}
	return p.tl.Mark(p.store, "all stored")
}

// stage enqueues work within a span.
func (p pipeline) stage(s *event.Stream, name string, d time.Duration, attrs ...timeline.Attr) (
	timeline.Span, error,
) {
	span := p.tl.Begin(s, name, attrs...)
	err := work(s, d)
	return span, errors.Join(err, span.End())
}

// computing has spans within a span.
func (p pipeline) computing(number timeline.Attr) (timeline.Span, error) {
	span := p.tl.Begin(p.compute, "compute", number)
	gemm := span.Begin("gemm", timeline.Int("m", 4096))
	err := errors.Join(work(p.compute, 2*time.Millisecond), gemm.End())
	norm := span.Begin("norm")
	err = errors.Join(err, work(p.compute, time.Millisecond), norm.End())
	return span, errors.Join(err, span.End())
}

// work stands for kernels and copies, which a real program launches on the stream.
func work(s *event.Stream, d time.Duration) error {
	return s.HostFunc(func() error { time.Sleep(d); return nil })
}

func write(path string, to func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(to(f), f.Close())
}
