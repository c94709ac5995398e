package eventtest

import (
	"errors"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// KernelSource has the kernels of the behaviours, in C and in Go. They compile for both vendors.
var KernelSource = compute.Source{
	Name: "eventtest.cu",
	Text: `
struct pair { int add; float times; };

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

extern "C" __global__ void number(int n, int first, int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = first + i;
}

extern "C" __global__ void apply(int n, struct pair p, int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = (int)((x[i] + p.add) * p.times);
}

extern "C" __global__ void sum(int n, const int *x, int *sums) {
  extern __shared__ int part[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
`,
	Host: map[string]compute.HostKernel{"saxpy": saxpyGo, "number": numberGo,
		"apply": applyGo, "sum": sumGo},
}

// pair is the struct of the same name.
type pair struct {
	Add   int32
	Times float32
}

func saxpyGo(b *compute.Block, n int32, a float32, x, y []float32) {
	for i := range b.Threads(int(n)) {
		y[i] += a * x[i]
	}
}

func numberGo(b *compute.Block, n, first int32, x []int32) {
	for i := range b.Threads(int(n)) {
		x[i] = first + int32(i)
	}
}

func applyGo(b *compute.Block, n int32, p pair, x []int32) {
	for i := range b.Threads(int(n)) {
		x[i] = int32(float32(x[i]+p.Add) * p.Times)
	}
}

func sumGo(b *compute.Block, n int32, x, sums []int32) {
	part := compute.Shared[int32](b)
	clear(part)
	for i := range b.Threads(int(n)) {
		part[i-b.First()] = x[i]
	}
	for step := b.Size() / 2; step > 0; step /= 2 {
		for t := range step {
			part[t] += part[t+step]
		}
	}
	sums[b.Index.X] = part[0]
}

// module loads the kernels; it is closed at the end of the test.
func (k *kit) module() *compute.Module {
	k.t.Helper()
	m := k.load()
	k.t.Cleanup(func() { k.closed(m.Close()) })
	return m
}

func (k *kit) load() *compute.Module {
	k.t.Helper()
	if k.Load != nil {
		return k.Load(k.t)
	}
	m, err := compute.Compile(k.ctx(), k.Device, KernelSource)
	if errors.Is(err, compute.ErrNotInstalled) {
		k.t.Skip(err)
	}
	k.NoError(err)
	return m
}

// kernel returns a kernel of a module of its own.
func (k *kit) kernel(name string) *compute.Kernel {
	k.t.Helper()
	x, err := k.module().Kernel(name)
	k.NoError(err)
	return x
}

// upload makes a buffer with values on a stream; it is closed at the end of the test.
func upload[T any](k *kit, s *event.Stream, values ...T) *compute.Buffer[T] {
	k.t.Helper()
	b, err := compute.From(s, values)
	k.NoError(err)
	k.t.Cleanup(func() { k.closed(b.Close()) })
	return b
}

// holds wants a buffer to have values, as of the stream's earlier work.
func holds[T any](k *kit, s *event.Stream, b *compute.Buffer[T], want ...T) {
	k.t.Helper()
	got, err := b.Read(s)
	k.NoError(err)
	k.Equal(want, got)
}

// allocation returns what the account of the device's memory has under a name. Others may use the
// device at the same time.
func (k *kit) allocation(name string) (compute.Allocation, bool) {
	k.t.Helper()
	all, err := compute.Allocations(k.Device)
	k.NoError(err)
	for _, a := range all {
		if a.Name == name {
			return a, true
		}
	}
	return compute.Allocation{}, false
}
