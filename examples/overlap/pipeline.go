package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// pipeline is the chunks, and the streams that work on them.
type pipeline struct {
	kernel  *compute.Kernel
	streams [streams]*event.Stream
	from    *compute.Pinned[float32]
	to      *compute.Pinned[float32]
	memory  *compute.Buffer[float32]
	chunks  []chunk
	rounds  int32
}

// chunk is a part of the data, on both sides.
type chunk struct {
	from, to *compute.Pinned[float32]
	on       *compute.Buffer[float32]
}

// errWrong: the device computed something else than it should.
var errWrong = errors.New("a result is wrong")

// newPipeline allocates everything once: pinned memory is costly to allocate, and only from and to
// pinned memory do copies run beside other work.
func newPipeline(m *compute.Module, n int) (p *pipeline, err error) {
	p = &pipeline{rounds: 64}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	d := m.Device()
	if p.kernel, err = m.Kernel("work"); err != nil {
		return p, err
	}
	for i := range p.streams {
		if p.streams[i], err = d.NewStream(); err != nil {
			return p, err
		}
	}
	if p.from, err = compute.AllocPinned[float32](d, n); err != nil {
		return p, err
	}
	if p.to, err = compute.AllocPinned[float32](d, n); err != nil {
		return p, err
	}
	if p.memory, err = compute.AllocOn[float32](d, n); err != nil { // all streams use it
		return p, err
	}
	for i := range p.from.Data() {
		p.from.Data()[i] = float32(i % 100)
	}
	for lo := 0; lo < n; lo += n / chunks {
		c, err := p.part(lo, lo+n/chunks)
		if err != nil {
			return p, err
		}
		p.chunks = append(p.chunks, c)
	}
	return p, nil
}

func (p *pipeline) part(lo, hi int) (c chunk, err error) {
	if c.from, err = p.from.Slice(lo, hi); err != nil {
		return c, err
	}
	if c.to, err = p.to.Slice(lo, hi); err != nil {
		return c, err
	}
	c.on, err = p.memory.Slice(lo, hi)
	return c, err
}

func (p *pipeline) close() {
	_, _, _ = p.memory.Close(), p.from.Close(), p.to.Close() // they have served
	for _, s := range p.streams {
		_ = s.Close()
	}
}

// The three steps.

func (p *pipeline) in(s *event.Stream, c *chunk) error { return c.on.CopyFromPinned(s, c.from) }

func (p *pipeline) work(s *event.Stream, c *chunk) error {
	n := c.on.Len()
	return p.kernel.Launch(s, compute.Linear(n, 256), int32(n), p.rounds, c.on)
}

func (p *pipeline) out(s *event.Stream, c *chunk) error { return c.on.CopyToPinned(s, c.to) }

// each calls f for each chunk.
func (p *pipeline) each(f func(i int, c *chunk) error) error {
	for i := range p.chunks {
		if err := f(i, &p.chunks[i]); err != nil {
			return err
		}
	}
	return nil
}

// enqueue enqueues all steps of all chunks, in turns on the first few streams. What it enqueues
// begins and ends on the first.
func (p *pipeline) enqueue(few int) error {
	for _, s := range p.streams[1:few] {
		if err := s.WaitStream(p.streams[0]); err != nil {
			return err
		}
	}
	if err := p.each(func(i int, c *chunk) error {
		s := p.streams[i%few]
		if err := p.in(s, c); err != nil {
			return err
		}
		if err := p.work(s, c); err != nil {
			return err
		}
		return p.out(s, c)
	}); err != nil {
		return err
	}
	for _, s := range p.streams[1:few] {
		if err := p.streams[0].WaitStream(s); err != nil {
			return err
		}
	}
	return nil
}

// measure times all steps on a few streams, and checks the results.
func (p *pipeline) measure(ctx context.Context, few int) (event.Sample, error) {
	clear(p.to.Data())
	sample, err := event.Measure(ctx, p.streams[0], runs, func() error { return p.enqueue(few) })
	if err != nil {
		return sample, err
	}
	for i, v := range p.to.Data() {
		if want := p.from.Data()[i] + float32(p.rounds); v != want {
			return sample, fmt.Errorf("%w: number %d is %v, not %v", errWrong, i, v, want)
		}
	}
	return sample, nil
}

// balance makes the kernels take about as long as the copies, which is where overlapping shows.
func (p *pipeline) balance(ctx context.Context) error {
	c, s := &p.chunks[0], p.streams[0]
	for range 2 { // a GPU hides the first few rounds behind its memory
		copies, err := event.Measure(ctx, s, 5, func() error { return p.in(s, c) })
		if err != nil {
			return err
		}
		kernel, err := event.Measure(ctx, s, 5, func() error { return p.work(s, c) })
		if err != nil {
			return err
		}
		ratio := float64(copies.Median) / float64(max(kernel.Median, 1))
		p.rounds = int32(min(max(float64(p.rounds)*ratio, 1), 1<<20))
	}
	return nil
}
