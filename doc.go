// Package gpuevent is the root of a module that lets Go programs use GPUs without cgo.
//
//   - [github.com/gpuevent/gpuevent/cudrv] is the whole CUDA driver API.
//   - [github.com/gpuevent/gpuevent/hip] is the whole HIP runtime API of AMD's ROCm.
//
// Both are generated from the vendors' headers and call the vendors' libraries directly. They compile and run anywhere Go does:
// importing them does nothing, and without a GPU the first call returns an error that says what is missing.
//
// The bindings are made from the committed specs by
//
//	go generate ./...
//
// which needs no header, no network, no C compiler and no GPU. README.md tells how a new CUDA or ROCm release is taken in.
package gpuevent

//go:generate go run ./gen emit -specs specs -out .
//go:generate go run ./gen oracle -specs specs -out internal/testing/proof/testdata -refs internal/testing/proof/zrefs.go
