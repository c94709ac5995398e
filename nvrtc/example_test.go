package nvrtc_test

import (
	"fmt"

	"github.com/gpuevent/gpuevent/nvrtc"
)

const source = `extern "C" __global__ void scale(float *x, float f) { x[threadIdx.x] *= f; }`

// Compile a kernel for one architecture. A machine without a GPU can do so too.
func Example() {
	prog, err := nvrtc.CreateProgram(source, "scale.cu", 0, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer nvrtc.DestroyProgram(&prog)
	n, options, _ := nvrtc.Strings("--gpu-architecture=sm_80")
	if err := nvrtc.CompileProgram(prog, n, options); err != nil {
		log, _ := nvrtc.Log(prog)
		fmt.Println(err, log)
		return
	}
	cubin, err := nvrtc.Output(prog, nvrtc.GetCUBINSize, nvrtc.GetCUBIN)
	fmt.Println(len(cubin), "bytes", err)
}
