package compute_test

import (
	"context"
	"fmt"
	"log"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

// One text for both vendors, and the same in Go for the host device.
const vecaddC = `
extern "C" __global__ void vecadd(int n, const float *a, const float *b, float *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}`

func vecaddGo(b *compute.Block, n int32, x, y, z []float32) {
	for i := range b.Threads(int(n)) {
		z[i] = x[i] + y[i]
	}
}

func Example() {
	ctx := context.Background()
	d, err := event.Open("host") // event.Default() is a GPU where there is one
	if err != nil {
		log.Fatal(err)
	}
	s := d.DefaultStream()
	m, err := compute.Compile(ctx, d, compute.Source{Text: vecaddC,
		Host: map[string]compute.HostKernel{"vecadd": vecaddGo}})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	k, err := m.Kernel("vecadd")
	if err != nil {
		log.Fatal(err)
	}
	a, b, c := []float32{1, 2, 3}, []float32{10, 20, 30}, make([]float32, 3)
	var on [3]*compute.Buffer[float32]
	for i := range on {
		if on[i], err = compute.Alloc[float32](s, len(a)); err != nil {
			log.Fatal(err)
		}
		defer on[i].Close()
	}
	if err := on[0].CopyFrom(s, a); err != nil {
		log.Fatal(err)
	}
	if err := on[1].CopyFrom(s, b); err != nil {
		log.Fatal(err)
	}
	err = k.Launch(s, compute.Linear(len(a), 256), int32(len(a)), on[0], on[1], on[2])
	if err != nil {
		log.Fatal(err)
	}
	if err := on[2].CopyTo(s, c); err != nil {
		log.Fatal(err)
	}
	fmt.Println(c)
	// Output: [11 22 33]
}
