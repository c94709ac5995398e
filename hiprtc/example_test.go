package hiprtc_test

import (
	"fmt"

	"github.com/gpuevent/gpuevent/hiprtc"
)

const source = `extern "C" __global__ void scale(float *x, float f) { x[threadIdx.x] *= f; }`

// Compile a kernel for one architecture. A machine without a GPU can do so too.
func Example() {
	prog, err := hiprtc.CreateProgram(source, "scale.hip", 0, nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer hiprtc.DestroyProgram(&prog)
	n, options, _ := hiprtc.Strings("--offload-arch=gfx1100", "-std=c++17")
	if err := hiprtc.CompileProgram(prog, n, options); err != nil {
		log, _ := hiprtc.Log(prog)
		fmt.Println(err, log)
		return
	}
	code, err := hiprtc.Output(prog, hiprtc.GetCodeSize, hiprtc.GetCode)
	fmt.Println(len(code), "bytes", err)
}
