//go:build !race

package bindings_test

import (
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// standIn has functions of the C library stand in for a vendor's, as C code that does not call back
// into Go.
func standIn(t *testing.T, l *dl.Library, functions map[string]string) {
	lib := fake.New("libc").Install(t, l)
	for symbol, c := range functions {
		addr, err := purego.Dlsym(purego.RTLD_DEFAULT, c)
		require.NoError(t, err)
		lib.Address(symbol, addr)
	}
}

// abs returns its argument, pthread_spin_init writes through its first one and returns 0.
func TestCallsAllocateNothing(t *testing.T) {
	standIn(t, &libs.CUDA,
		map[string]string{"cuEventQuery": "abs", "cuEventCreate": "pthread_spin_init"})
	standIn(t, &libs.HIP,
		map[string]string{"hipEventQuery": "abs", "hipEventCreate": "pthread_spin_init"})
	var err error
	check := func(want error, call func()) {
		assert.Zero(t, testing.AllocsPerRun(100, call), "%v", want)
		if want == nil {
			assert.NoError(t, err)
			return
		}
		assert.ErrorIs(t, err, want)
	}
	for _, code := range []cudrv.Result{cudrv.ErrNotReady, cudrv.ErrUnknown} {
		check(code, func() { err = cudrv.EventQuery(cudrv.Event(code)) })
	}
	for _, code := range []hip.Result{hip.ErrNotReady, hip.ErrUnknown} {
		check(code, func() { err = hip.EventQuery(hip.Event(code)) })
	}
	check(nil, func() { err = cudrv.EventQuery(0) })
	check(nil, func() { err = hip.EventQuery(0) })
	check(nil, func() { _, err = cudrv.EventCreate(0) })
	check(nil, func() { _, err = hip.EventCreate() })
}

// abs stands in for all functions: function, event or stream 0 is success.
func TestLaunchesAllocateNothing(t *testing.T) {
	standIn(t, &libs.CUDA, map[string]string{"cuLaunchKernel": "abs", "cuEventRecord": "abs"})
	standIn(t, &libs.HIP, map[string]string{"hipModuleLaunchKernel": "abs", "hipEventRecord": "abs"})
	var cuda struct {
		cudrv.Params
		cudrv.Batch
	}
	var amd struct {
		hip.Params
		hip.Batch
	}
	for name, call := range map[string]func() error{
		"cuda, pooled parameters": func() error {
			p := cudrv.NewParams().Deviceptr(0).Int32(1).Float32(2).Uint64(3)
			defer p.Free()
			return cudrv.LaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, p.Pointers(), nil)
		},
		"hip, pooled parameters": func() error {
			p := hip.NewParams().Deviceptr(nil).Int32(1).Float32(2).Uint64(3)
			defer p.Free()
			return hip.ModuleLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, p.Pointers(), nil)
		},
		"cuda, kept parameters": func() error {
			cuda.Params.Reset().Deviceptr(0).Int32(1).Float32(2).Bytes([]byte{1, 2, 3})
			return cudrv.LaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, cuda.Pointers(), nil)
		},
		"hip, kept parameters": func() error {
			amd.Params.Reset().Deviceptr(nil).Int32(1).Float32(2).Bytes([]byte{1, 2, 3})
			return hip.ModuleLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, amd.Pointers(), nil)
		},
		"cuda, a batch that is filled again": func() error {
			cuda.Batch.Reset()
			cuda.Params.Reset().Deviceptr(0).Int32(1).Float32(2).Bytes([]byte{1, 2, 3})
			for range 50 {
				cuda.LaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, &cuda.Params)
				cuda.EventRecord(0, 0)
			}
			return cuda.Run()
		},
		"hip, a batch that is filled again": func() error {
			amd.Batch.Reset()
			amd.Params.Reset().Deviceptr(nil).Int32(1).Float32(2).Bytes([]byte{1, 2, 3})
			for range 50 {
				amd.ModuleLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, &amd.Params)
				amd.EventRecord(0, 0)
			}
			return amd.Run()
		},
	} {
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			if err := call(); err != nil {
				t.Error(name, err)
			}
		}), name)
	}
}
