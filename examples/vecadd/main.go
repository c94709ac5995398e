// Command vecadd adds two vectors: on the first GPU, or else on the host. It is the shortest
// program that compiles a kernel, gives it memory, launches it and checks the result.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/examples/internal/anywhere"
)

// source has the kernel for GPUs of both vendors, and the same in Go for the host.
var source = compute.Source{Text: `
extern "C" __global__ void vecadd(int n, const float *a, const float *b, float *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}`, Host: map[string]compute.HostKernel{"vecadd": vecadd}}

func vecadd(block *compute.Block, n int32, a, b, sum []float32) {
	for i := range block.Threads(int(n)) {
		sum[i] = a[i] + b[i]
	}
}

func main() {
	const n = 1 << 20
	x, y, want := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range want {
		x[i], y[i], want[i] = float32(i), float32(2*i), float32(3*i)
	}
	m, err := anywhere.Compile(context.Background(), os.Stderr, source)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	sums, err := add(m, x, y)
	if err != nil || !slices.Equal(sums, want) {
		log.Fatal(cmp.Or(err, errors.New("the sums are wrong")))
	}
	fmt.Printf("%v (%s) added %d numbers, and all are right.\n", m.Device(), m.Device().Name(), n)
}

// add needs no check after each call: methods of nil objects return errors, and the first is what
// went wrong.
func add(m *compute.Module, x, y []float32) ([]float32, error) {
	s, n := m.Device().DefaultStream(), len(x)
	k, errK := m.Kernel("vecadd")
	a, errA := compute.From(s, x)
	b, errB := compute.From(s, y)
	sum, errSum := compute.Alloc[float32](s, n)
	errLaunch := k.Launch(s, compute.Linear(n, 256), int32(n), a, b, sum)
	sums, errRead := sum.Read(s)
	err := cmp.Or(errK, errA, errB, errSum, errLaunch, errRead)
	return sums, errors.Join(err, a.Close(), b.Close(), sum.Close())
}
