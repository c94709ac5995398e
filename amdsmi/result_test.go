package amdsmi_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/amdsmi"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// The codes of C are unsigned, and the last two need all 32 bits.
func TestResults(t *testing.T) {
	t.Parallel()
	lib := fake.New("fake amdsmi", "amdsmi_shut_down").Install(t, &libs.AMDSMI)
	for code, want := range map[uint32]error{
		1:          amdsmi.ErrInval,
		34:         amdsmi.ErrDriverNotLoaded,
		45:         amdsmi.ErrNoEnergyDrv,
		0xfffffffe: amdsmi.ErrMapError,
		0xffffffff: amdsmi.ErrUnknownError,
	} {
		lib.Answer(int32(code))
		err := amdsmi.ShutDown()
		require.ErrorIs(t, err, want)
		var failed *amdsmi.CallError
		require.True(t, errors.As(err, &failed))
		assert.Equal(t, "amdsmi_shut_down", failed.Function)
		assert.Equal(t, amdsmi.Result(code), failed.Result)
		assert.NotEmpty(t, failed.Result.Remedy())
	}
	assert.Contains(t, amdsmi.ErrUnknownError.Error(), "ErrUnknownError (4294967295)")
	assert.Equal(t, amdsmi.ErrNoDrv, amdsmi.NoDrv, "the name of 24.5.2")
	assert.Equal(t, "AMDSMI_STATUS_NO_DRV", amdsmi.NoDrv.Name(), "the newer name is used")
}
