package compute

import (
	"io/fs"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
	"github.com/gpuevent/gpuevent/event"
)

// Source is the text of a module and how to compile it. The same text can do for both vendors:
// without includes, with plain C types, extern "C" __global__ functions, blockIdx, threadIdx and
// blockDim, __shared__ memory, __syncthreads and atomicAdd, it compiles for NVIDIA and AMD.
// __HIPCC_RTC__ is defined on AMD.
type Source struct {
	Text string
	Name string // the file's name in messages; "kernel.cu" if it is ""
	// Headers are files that the text includes by their names in the file system; nil for none.
	Headers fs.FS
	// Options are passed to NVRTC or hipRTC, one each: "-DN=4", "--use_fast_math". The architecture
	// is the device's. The language is C++17 unless an option says otherwise.
	Options []string
	// Names are the C++ expressions that [Module.Kernel] and [Global] are to find: "reduce<float>",
	// "&ns::limit". What is declared extern "C" needs none.
	Names []string
	// Host are the kernels for the host device, by the names that Module.Kernel takes, so that one
	// Source serves a machine with and without a GPU. On GPUs they do not run, but say what arguments
	// a kernel takes where the driver and the image do not. Module.Kernel refuses, with ErrType, a
	// kernel that takes something else than its Go function. A pointer to a Go variable stands for a
	// variable of the module: Global returns it on the host, and checks its size on GPUs.
	Host map[string]HostKernel
}

// HostKernel is a kernel for the host device: a function that runs one block of threads. Its first
// parameter is a pointer to the [Block], the others are those of the C function: fixed-width
// numbers, structs, and slices for pointers. What does not fit is refused by [Compile]. Blocks run
// at the same time, on all processors.
//
//	func saxpy(b *compute.Block, n int32, a float32, x, y []float32) {
//		for i := range b.Threads(int(n)) {
//			y[i] += a * x[i]
//		}
//	}
//
// Such a function is called through package reflect for each block, which takes longer than a block
// of few threads does. A kernel may instead take the parameters alone and return the function of a
// block. It is called once on each processor that takes part, and then only what it returned. With
// slices cut to the block and 1024 threads per block such a kernel runs like a plain loop:
//
//	func saxpy(n int32, a float32, x, y []float32) func(*compute.Block) {
//		return func(b *compute.Block) {
//			lo, hi := b.Span(int(n))
//			x, y := x[lo:hi], y[lo:hi]
//			for i := range y {
//				y[i] += a * x[i]
//			}
//		}
//	}
//
// A panic fails the launch: see [KernelFailure].
type HostKernel = any

// request returns the source as the compilers take it.
func (s *Source) request(op string, target string) (r compiler.Request, err error) {
	r = compiler.Request{Text: s.Text, Name: s.Name, Options: s.Options, Names: s.Names,
		Target: target}
	if s.Headers == nil {
		return r, nil
	}
	r.Headers = map[string]string{}
	err = fs.WalkDir(s.Headers, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(s.Headers, path)
		r.Headers[path] = string(text)
		return err
	})
	if err != nil {
		return r, &event.Error{Op: op, Object: "Source.Headers", Cause: event.ErrInvalidOption,
			Detail: err.Error()}
	}
	return r, nil
}
