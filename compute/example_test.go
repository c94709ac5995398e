package compute_test

import (
	"context"
	"errors"
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

// A kernel that panics fails its launch, and the wait for its stream returns the panic.
func ExampleKernelFailure() {
	var s *event.Stream // with a launch on the host device
	err := s.Wait(context.Background())
	var failure *compute.KernelFailure
	if errors.As(err, &failure) {
		fmt.Printf("%s, block %v: %v\n%s", failure.Kernel, failure.Block, failure.Value, failure.Stack)
	}
}

// A failed compilation has the compiler's messages, each with its line.
func ExampleCompileError() {
	source := compute.Source{Name: "vecadd.cu", Text: vecaddC}
	_, err := compute.CompileFor(context.Background(), "sm_90", source, compute.WithoutCache())
	var failure *compute.CompileError
	if errors.As(err, &failure) {
		for _, m := range failure.Messages {
			fmt.Printf("line %d: %s: %s\n", m.Line, m.Severity, m.Text)
		}
	}
}

func ExampleMessage() {
	m := compute.Message{File: "vecadd.cu", Line: 3, Severity: "error", Text: "n is undefined"}
	fmt.Println(m)
	// Output: vecadd.cu:3: error: n is undefined
}

// A grid of 4 by 2 blocks, each of 32 by 8 threads.
func ExampleDim() {
	c := compute.Config{Grid: compute.Dim{X: 4, Y: 2}, Block: compute.Dim{X: 32, Y: 8, Z: 1}}
	fmt.Println(c.Block, c.Block.Size())
	// Output: (32, 8, 1) 256
}

// A kernel for one block of the launch: it adds up the numbers of its threads.
func ExampleBlock() {
	b := compute.Block{Index: compute.Dim{X: 2}, Dim: compute.Dim{X: 4, Y: 1, Z: 1},
		Grid: compute.Dim{X: 3, Y: 1, Z: 1}}
	fmt.Println("thread 1 is at", b.Thread(1))
	for i := range b.Threads(11) { // of 11 elements
		fmt.Println(i)
	}
	// Output:
	// thread 1 is at (1, 0, 0)
	// 8
	// 9
	// 10
}

func ExampleLoadOption() {
	image := []byte("…") // PTX, from a file or go:embed
	m, err := compute.Load(event.Default(), image, compute.WithMaxRegisters(64),
		compute.WithLineInfo())
	if err != nil {
		log.Print(err)
		return
	}
	defer m.Close()
}

func ExampleCompileOption() {
	source := compute.Source{Text: vecaddC}
	m, err := compute.Compile(context.Background(), event.Default(), source,
		compute.WithCache("kernels", 64<<20))
	if err != nil {
		log.Print(err)
		return
	}
	defer m.Close()
}
