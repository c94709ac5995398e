//go:build cgo

package callbench

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/dl"
)

// way is one way to make the three calls.
type way struct {
	name   string
	query  func(event uintptr) error
	attr   func(attribute, device int32) (int32, error)
	launch func() error
}

func ways() []way {
	dl.CUDA.Install("callbench", symbols)
	var (
		registeredQuery  func(uintptr) int32
		registeredAttr   func(*int32, int32, int32) int32
		registeredLaunch func(f uintptr, gx, gy, gz, bx, by, bz, shared uint32, stream, params, extra uintptr) int32
	)
	purego.RegisterFunc(&registeredQuery, symbols("cuEventQuery"))
	purego.RegisterFunc(&registeredAttr, symbols("cuDeviceGetAttribute"))
	purego.RegisterFunc(&registeredLaunch, symbols("cuLaunchKernel"))
	query, attr, launch := symbols("cuEventQuery"), symbols("cuDeviceGetAttribute"), symbols("cuLaunchKernel")
	return []way{
		{
			"cgo",
			cgoEventQuery,
			cgoDeviceGetAttribute,
			func() error { return cgoLaunchKernel(1, 1, 2, 3, 4, 5, 6, 7, 9) },
		},
		{
			"gpuevent",
			func(e uintptr) error { return cudrv.EventQuery(cudrv.Event(e)) },
			func(a, d int32) (int32, error) {
				return cudrv.DeviceGetAttribute(cudrv.DeviceAttribute(a), cudrv.Device(d))
			},
			func() error { return cudrv.LaunchKernel(1, 1, 2, 3, 4, 5, 6, 7, 9, nil, nil) },
		},
		{
			"purego.SyscallN",
			func(e uintptr) error {
				r, _, _ := purego.SyscallN(query, e)
				return codeOf(int32(r))
			},
			func(a, d int32) (int32, error) {
				v := new(int32)
				r, _, _ := purego.SyscallN(attr, uintptr(unsafe.Pointer(v)), uintptr(a), uintptr(d))
				return *v, codeOf(int32(r))
			},
			func() error {
				r, _, _ := purego.SyscallN(launch, 1, 1, 2, 3, 4, 5, 6, 7, 9, 0, 0)
				return codeOf(int32(r))
			},
		},
		{
			"purego.RegisterFunc",
			func(e uintptr) error { return codeOf(registeredQuery(e)) },
			func(a, d int32) (int32, error) {
				v := new(int32)
				rc := registeredAttr(v, a, d)
				return *v, codeOf(rc)
			},
			func() error { return codeOf(registeredLaunch(1, 1, 2, 3, 4, 5, 6, 7, 9, 0, 0)) },
		},
	}
}

func codeOf(rc int32) error {
	switch rc {
	case 0:
		return nil
	case 600:
		return cudrv.ErrNotReady
	}
	return cudrv.Result(rc)
}

func TestAllWaysAgree(t *testing.T) {
	for _, w := range ways() {
		if err := w.query(1); err != nil {
			t.Errorf("%s: query: %v", w.name, err)
		}
		if err := w.query(0); !errors.Is(err, cudrv.ErrNotReady) {
			t.Errorf("%s: query of event 0: %v", w.name, err)
		}
		if v, err := w.attr(40, 2); v != 42 || err != nil {
			t.Errorf("%s: attribute: %v, %v", w.name, v, err)
		}
		if err := w.launch(); err != nil {
			t.Errorf("%s: launch: %v", w.name, err)
		}
	}
}

func BenchmarkOneArgument(b *testing.B) {
	for _, w := range ways() {
		b.Run("way="+w.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if w.query(1) != nil {
					b.Fatal("not ready")
				}
			}
		})
	}
}

func BenchmarkNotReady(b *testing.B) {
	for _, w := range ways() {
		b.Run("way="+w.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if w.query(0) != cudrv.ErrNotReady {
					b.Fatal("ready")
				}
			}
		})
	}
}

func BenchmarkThreeArgumentsWithOut(b *testing.B) {
	for _, w := range ways() {
		b.Run("way="+w.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if v, err := w.attr(40, 2); v != 42 || err != nil {
					b.Fatal(v, err)
				}
			}
		})
	}
}

func BenchmarkElevenArguments(b *testing.B) {
	for _, w := range ways() {
		b.Run("way="+w.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := w.launch(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkParallel calls from eight goroutines at once: ns/op falls with the number of processors if nothing is shared.
func BenchmarkParallel(b *testing.B) {
	for _, w := range ways() {
		b.Run("way="+w.name, func(b *testing.B) {
			b.SetParallelism(8)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := w.attr(40, 2); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
