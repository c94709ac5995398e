package compute_test

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
)

const saxpyC = `#include "index.h"
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = INDEX;
  if (i < n) y[i] += a * x[i];
}
`

// One source serves all devices.
func TestCompile(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		if r.machine != nil {
			r.machine.Kernel("saxpy", saxpyGo)
		}
		source := compute.Source{
			Text: saxpyC,
			Headers: fstest.MapFS{"index.h": {Data: []byte(
				"#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)\n")}},
			Host: map[string]compute.HostKernel{"saxpy": saxpyGo},
		}
		folder := compute.WithCache(t.TempDir(), 0)
		for range 2 { // the second from the cache
			m, err := compute.Compile(context.Background(), r.device, source, folder)
			require.NoError(t, err)
			k, err := m.Kernel("saxpy")
			require.NoError(t, err)
			x, y := buffer(r, float32(1), 2, 3), buffer(r, float32(10), 20, 30)
			require.NoError(t, k.Launch(r.stream, compute.Linear(3, 256), int32(3), float32(2), x, y))
			assert.Equal(t, []float32{12, 24, 36}, read(r, y))
			params, ok := k.Parameters()
			assert.True(t, ok)
			assert.Len(t, params, 4)
			assert.ErrorIs(t, k.Launch(r.stream, compute.Linear(3, 256), float32(3), float32(2), x, y),
				compute.ErrArgument, "the Go function says that n is an integer")
			_, err = m.Kernel("saxpi")
			assert.ErrorIs(t, err, compute.ErrNotFound)
			assert.ErrorContains(t, err, "saxp")
			require.NoError(t, m.Close())
		}
	})
}

// A Go function that is not what the kernel is is found before a launch.
func TestTwinsDiffer(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		if r.machine == nil {
			t.Skip("the host device runs the Go function")
		}
		for name, fn := range map[string]compute.HostKernel{
			"fewer":        func(*compute.Block, int32, float32, []float32) {},
			"wider":        func(*compute.Block, int64, float32, []float32, []float32) {},
			"not a kernel": func(int32) {},
		} {
			t.Run(name, func(t *testing.T) {
				m, err := compute.Compile(context.Background(), r.device, compute.Source{
					Text: "extern \"C\" __global__ void saxpy(int n, float a, const float *x, float *y) {}",
					Host: map[string]compute.HostKernel{"saxpy": fn}}, compute.WithoutCache())
				if err == nil {
					_, err = m.Kernel("saxpy")
					require.NoError(t, m.Close())
				}
				assert.ErrorIs(t, err, compute.ErrType)
			})
		}
	})
}

func TestCompileErrors(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		_, err := compute.Compile(context.Background(), nil, compute.Source{})
		assert.ErrorIs(t, err, event.ErrNoDevice)
		_, err = compute.Compile(context.Background(), r.device, compute.Source{})
		assert.Error(t, err)
		if r.machine == nil {
			assert.ErrorIs(t, err, event.ErrUnsupported)
			return
		}
		_, err = compute.Compile(context.Background(), r.device, compute.Source{
			Text: "extern \"C\" __global__ void f() {\n  if (1) {\n}\n"}, compute.WithoutCache())
		assert.ErrorIs(t, err, compute.ErrSource)
		var e *compute.CompileError
		require.ErrorAs(t, err, &e)
		assert.NotEmpty(t, e.Messages)
		assert.Contains(t, err.Error(), "kernel.cu:")
	})
}
