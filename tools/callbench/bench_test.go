package main

import (
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// BenchmarkOperation is every operation in every way, for benchstat -col /way. It runs one after
// the other: to compare, rather use the program, which takes turns.
func BenchmarkOperation(b *testing.B) {
	for _, r := range setUp(b) {
		for _, w := range r.ways {
			b.Run("api="+r.api+"/operation="+r.name+"/way="+w.name, func(b *testing.B) {
				require.NoError(b, r.prepare())
				b.ReportAllocs()
				b.ResetTimer()
				if err := w.run(b.N); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// BenchmarkParallel calls from eight goroutines for each processor: ns/op falls with the number of
// processors if nothing is shared. The driver does not count this call, for a counter is shared.
func BenchmarkParallel(b *testing.B) {
	setUp(b)
	address := symbol("cuDeviceGetAttribute")
	var registered func(value *int32, attribute, device int32) int32
	purego.RegisterFunc(&registered, address)
	for _, w := range []struct {
		name string
		get  func() (int32, error)
	}{
		{report.Cgo, func() (int32, error) { return cgoDeviceGetAttribute(40, 2) }},
		{report.SyscallN, func() (int32, error) {
			v := new(int32)
			r, _, _ := purego.SyscallN(address, uintptr(unsafe.Pointer(v)), 40, 2)
			return *v, codeOf(int32(r))
		}},
		{report.RegisterFunc, func() (int32, error) {
			v := new(int32)
			code := registered(v, 40, 2)
			return *v, codeOf(code)
		}},
		{report.Raw, func() (int32, error) { return cudrv.DeviceGetAttribute(40, 2) }},
	} {
		b.Run("way="+w.name, func(b *testing.B) {
			b.SetParallelism(8)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if v, err := w.get(); v != 42 || err != nil {
						b.Errorf("%d, %v", v, err)
						return
					}
				}
			})
		})
	}
}
