package kernel_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/internal/kernel"
)

func Example() {
	saxpy := func(b *kernel.Block, n int32, a float32, x, y []float32) {
		for i := range b.Threads(int(n)) {
			y[i] += a * x[i]
		}
	}
	f, err := kernel.Of(saxpy)
	if err != nil {
		panic(err)
	}
	x, y := []float32{1, 2, 3, 4, 5}, make([]float32, 5)
	bound, err := f.Named("saxpy").Bind(int32(5), float32(2), x, y)
	if err != nil {
		panic(err)
	}
	launch := kernel.Launch{Grid: kernel.Dim{X: 2, Y: 1, Z: 1}, Block: kernel.Dim{X: 4, Y: 1, Z: 1}}
	fmt.Println(bound.Run(context.Background(), launch), y)

	// An n that is too large is found, as a GPU would find it.
	if err := bound.Set(0, int32(8)); err != nil {
		panic(err)
	}
	err = bound.Run(context.Background(), launch)
	fmt.Println(errors.Is(err, kernel.ErrIllegalAddress), err)
	// Output:
	// <nil> [2 4 6 8 10]
	// true kernel saxpy failed in block (1, 0, 0): runtime error: index out of range [5] with length 5
}
