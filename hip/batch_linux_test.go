//go:build !race && linux

package hip_test

import (
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// The C library's abs stands in for all functions, as C code that does not call back into Go:
// function, event or stream 0 is success.
func TestLaunchesAllocateNothing(t *testing.T) {
	lib := fake.New("libc").Install(t, &libs.HIP)
	abs, err := purego.Dlsym(purego.RTLD_DEFAULT, "abs")
	require.NoError(t, err)
	lib.Address("hipModuleLaunchKernel", abs)
	lib.Address("hipEventRecord", abs)
	check := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		p := hip.NewParams().Deviceptr(nil).Int32(1).Float32(2).Uint64(3)
		check(hip.ModuleLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, p.Pointers(), nil))
		p.Free()
	}), "pooled parameters")
	var p hip.Params
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		p.Reset().Deviceptr(nil).Int32(1).Float32(2).Bytes([]byte{1, 2, 3})
		check(hip.ModuleLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, p.Pointers(), nil))
	}), "kept parameters")
	var b hip.Batch
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		b.Reset()
		for range 50 {
			b.ModuleLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, &p)
			b.EventRecord(0, 0)
		}
		check(b.Run())
	}), "a batch that is filled again")
}
