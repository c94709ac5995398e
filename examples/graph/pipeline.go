package main

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// source has two small kernels.
var source = compute.Source{Text: `
extern "C" __global__ void scale(int n, float factor, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
extern "C" __global__ void shift(int n, float by, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}`, Host: map[string]compute.HostKernel{"scale": scale, "shift": shift}}

func scale(b *compute.Block, n int32, factor float32, x []float32) {
	for i := range b.Threads(int(n)) {
		x[i] *= factor
	}
}

func shift(b *compute.Block, n int32, by float32, x []float32) {
	for i := range b.Threads(int(n)) {
		x[i] += by
	}
}

// pipeline is what is captured. Its memory is pinned: a graph copies at each launch, when a Go
// slice may have moved on.
type pipeline struct {
	stream       *event.Stream
	scale, shift *compute.Kernel
	from, to     *compute.Pinned[float32]
	x            *compute.Buffer[float32]
}

func newPipeline(m *compute.Module) (p *pipeline, err error) {
	p = &pipeline{}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.scale, err = m.Kernel("scale"); err != nil {
		return p, err
	}
	if p.shift, err = m.Kernel("shift"); err != nil {
		return p, err
	}
	d := m.Device()
	if p.stream, err = d.NewStream(); err != nil { // default streams can't be captured
		return p, err
	}
	if p.from, err = compute.AllocPinned[float32](d, numbers); err != nil {
		return p, err
	}
	if p.to, err = compute.AllocPinned[float32](d, numbers); err != nil {
		return p, err
	}
	for i := range p.from.Data() {
		p.from.Data()[i] = float32(i)
	}
	p.x, err = compute.Alloc[float32](p.stream, numbers)
	return p, err
}

func (p *pipeline) close() {
	_, _, _, _ = p.x.Close(), p.from.Close(), p.to.Close(), p.stream.Close() // they have served
}

// enqueue is the pipeline, for a stream or a capture.
func (p *pipeline) enqueue() error {
	if err := p.x.CopyFromPinned(p.stream, p.from); err != nil {
		return err
	}
	shape, args := p.scaling(2)
	if err := p.scale.Launch(p.stream, shape, args...); err != nil {
		return err
	}
	if err := p.shift.Launch(p.stream, shape, int32(numbers), float32(1), p.x); err != nil {
		return err
	}
	return p.x.CopyToPinned(p.stream, p.to)
}

// scaling returns the launch of the first kernel.
func (p *pipeline) scaling(factor float32) (compute.Config, []any) {
	return compute.Linear(numbers, 256), []any{int32(numbers), factor, p.x}
}

var errWrong = errors.New("a result is wrong")

// check compares the results with those of Go, and forgets them.
func (p *pipeline) check(factor float32) error {
	for i, v := range p.to.Data() {
		if want := factor*p.from.Data()[i] + 1; v != want {
			return fmt.Errorf("%w: number %d is %v, not %v", errWrong, i, v, want)
		}
	}
	clear(p.to.Data())
	return nil
}
