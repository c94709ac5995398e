package computesoak

import (
	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// kernels are those of all modules. The model does the same.
var kernels = map[string]compute.HostKernel{"add": add, "axpy": axpy}

func add(b *compute.Block, n, v int32, x []int32) {
	for i := range b.Threads(int(n)) {
		x[i] += v
	}
}

func axpy(b *compute.Block, n, a int32, x, y []int32) {
	for i := range b.Threads(int(n)) {
		y[i] += a * x[i]
	}
}

// described are the kernels as an image describes them.
func described() (list []images.Kernel, err error) {
	for _, name := range []string{"add", "axpy"} {
		k, err := images.KernelOf(name, kernels[name])
		if err != nil {
			return nil, err
		}
		list = append(list, k)
	}
	return list, nil
}
