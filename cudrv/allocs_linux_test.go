//go:build !race

package cudrv_test

import (
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// Functions of the C library stand in for the driver, as C code that does not call back into Go:
// abs returns its argument, pthread_spin_init writes through its first one and returns 0.
func TestCallsAllocateNothing(t *testing.T) {
	lib := fake.New("libc").Install(t, &libs.CUDA)
	for symbol, c := range map[string]string{"cuEventQuery": "abs",
		"cuEventCreate": "pthread_spin_init"} {
		addr, err := purego.Dlsym(purego.RTLD_DEFAULT, c)
		require.NoError(t, err)
		lib.Address(symbol, addr)
	}
	var err error
	for code := range map[cudrv.Result]bool{cudrv.Success: true, cudrv.ErrNotReady: true,
		cudrv.ErrUnknown: true} {
		assert.Zero(t, testing.AllocsPerRun(100, func() { err = cudrv.EventQuery(cudrv.Event(code)) }),
			code.Name())
		if code == cudrv.Success {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorIs(t, err, code)
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, err = cudrv.EventCreate(0) }))
	assert.NoError(t, err)
}
