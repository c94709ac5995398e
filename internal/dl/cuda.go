package dl

import "fmt"

// CUDA is the NVIDIA driver's library, which comes with the driver and not with the CUDA toolkit.
var CUDA = Library{
	Name:          "CUDA driver library",
	API:           "CUDA",
	Env:           "GPUEVENT_CUDA_LIBRARY",
	Remedy:        "install the NVIDIA driver",
	Update:        "update the NVIDIA driver",
	Candidates:    cudaCandidates,
	VersionSymbol: "cuDriverGetVersion",
	FormatVersion: CUDAVersion,
}

// CUDAVersion spells the number that cuDriverGetVersion gives, 1000*major + 10*minor: 12040 is "12.4".
func CUDAVersion(v int) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }
