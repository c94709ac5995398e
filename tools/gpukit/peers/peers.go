// Package peers carries the ways to use a GPU that package event is measured beside: a C program
// (twin.c), which opens the driver's library itself and is compiled on the machine that has the
// GPU, and a Python script (peers.py), which uses cuda.core, torch and cupy where they are
// installed. Both make the operations of [Plan], each as often as there, and write figures as
// tools/gpukit/report has them.
//
// Nothing here is Go that calls a driver. The files travel in the GPU kit as they are:
//
//	cc -O2 -o twin twin.c -ldl -lm
//	./twin -device cuda:0 -out twin.json -time 60 -kernels kernels.ptx
//	python3 peers.py -device cuda:0 -out peers.json -time 120 -kernels kernels.ptx
//
// For hip:0 the kernels are kernels.hip, which hipRTC compiles on the machine. Both exit with 1 if
// a check failed, and with 3 and the reason on the last line of stderr if nothing can be measured.
//
// # Clocks and rounds
//
// A run is [Operation.PerRun] operations in a loop between two readings of the monotonic clock,
// after a few that are not counted; the queue is drained between runs, outside of the clock. A
// figure is the median of up to [Operation.Runs] runs. The C program links nothing of a vendor's
// and has declarations of its own for the functions that it calls.
package peers

import "embed"

// The files of the kit.
const (
	Twin       = "twin.c"      // the C program
	Script     = "peers.py"    // the Python script
	KernelsPTX = "kernels.ptx" // the kernels for NVIDIA's drivers
	KernelsHIP = "kernels.hip" // the kernels' source for hipRTC
)

// files are the files of the kit.
//
//go:embed files
var files embed.FS

// Text returns one of the files. It panics if there is none of that name.
func Text(name string) string {
	data, err := files.ReadFile("files/" + name)
	if err != nil {
		panic(err)
	}
	return string(data)
}
