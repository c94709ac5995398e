//go:build !race

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

// Functions of the C library stand in for the runtime, as C code that does not call back into Go:
// abs returns its argument, pthread_spin_init writes through its first one and returns 0.
func TestCallsAllocateNothing(t *testing.T) {
	lib := fake.New("libc").Install(t, &libs.HIP)
	for symbol, c := range map[string]string{"hipEventQuery": "abs",
		"hipEventCreate": "pthread_spin_init"} {
		addr, err := purego.Dlsym(purego.RTLD_DEFAULT, c)
		require.NoError(t, err)
		lib.Address(symbol, addr)
	}
	var err error
	for code := range map[hip.Result]bool{hip.SuccessValue: true, hip.ErrNotReady: true,
		hip.ErrUnknown: true} {
		assert.Zero(t, testing.AllocsPerRun(100, func() { err = hip.EventQuery(hip.Event(code)) }),
			code.Name())
		if code == hip.SuccessValue {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorIs(t, err, code)
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, err = hip.EventCreate() }))
	assert.NoError(t, err)
}
