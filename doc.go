// Package gpuevent is the root of a module for GPU programs in Go without cgo.
//
//   - [github.com/gpuevent/gpuevent/event] has devices, streams and events that work the same on
//     NVIDIA GPUs, on AMD GPUs and, without a GPU, on the host.
//   - [github.com/gpuevent/gpuevent/compute] compiles kernels from source, gives them memory and
//     launches them on these devices. Most programs want these two packages.
//   - [github.com/gpuevent/gpuevent/timeline] records when work ran, on all devices and on the
//     host's clock, and writes it as traces, pictures and log messages.
//   - [github.com/gpuevent/gpuevent/cudrv] is the CUDA driver API.
//   - [github.com/gpuevent/gpuevent/hip] is the HIP runtime API of AMD's ROCm.
//   - [github.com/gpuevent/gpuevent/nvrtc] and [github.com/gpuevent/gpuevent/hiprtc] are the
//     vendors' compilers at run time, which need no GPU.
//   - [github.com/gpuevent/gpuevent/nvml] and [github.com/gpuevent/gpuevent/amdsmi] read and set
//     the state of GPUs: utilization, memory, temperature, power, processes.
//   - [github.com/gpuevent/gpuevent/nccl] and [github.com/gpuevent/gpuevent/rccl] are the vendors'
//     libraries of collective communication between GPUs.
//   - [github.com/gpuevent/gpuevent/liberr] has the errors of a missing library, for all of these.
//
// This package has no code of its own. The packages of APIs are generated from the vendors'
// headers and call the vendors' libraries, which are opened at the first call. Importing
// them does nothing, and importing one links none of the others. Without a library or a GPU, calls
// return an error that says what is missing.
//
// The bindings are generated from the committed specs by
//
//	go generate ./...
//
// which needs no header, no network, no C compiler and no GPU. CONTRIBUTING.md describes how a new
// release of an API is added, docs/add-an-api.md how a new API is.
package gpuevent

//go:generate go run ./gen emit -specs specs -out .
//go:generate go run ./gen oracle -specs specs -out internal/testing/proof/testdata -refs internal/testing/proof/zrefs.go -bindings internal/testing/bindings/zbindings.go -headers internal/testing/clib/zheaders.go
