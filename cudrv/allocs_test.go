//go:build !race

package cudrv_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// Not under the race detector, where sync.Pool drops objects on purpose.
func TestErrorsAllocateNothing(t *testing.T) {
	lib := fake.New("allocations", "cuEventQuery", "cuEventCreate", "cuCtxGetStreamPriorityRange").
		Install(t, &libs.CUDA)
	measure := func(code int32, call func()) float64 {
		lib.Answer(code)
		call()
		return testing.AllocsPerRun(100, call)
	}
	query := func() { _ = cudrv.EventQuery(1) }
	enter := measure(0, query) // what the way from C back into Go allocates
	for _, code := range codes(t) {
		assert.LessOrEqual(t, measure(code, query), enter, cudrv.Result(code).Name())
	}
	assert.LessOrEqual(t, measure(int32(cudrv.ErrNotReady), func() { _, _ = cudrv.EventCreate(0) }),
		enter)
	assert.LessOrEqual(t,
		measure(int32(cudrv.ErrNotReady), func() { _, _, _ = cudrv.CtxGetStreamPriorityRange() }), enter)
}

// missed keeps the compiler from dropping a call.
var missed error

func TestMissesAllocateNothing(t *testing.T) {
	fake.New("nothing").Install(t, &libs.CUDA)
	assert.Zero(t, testing.AllocsPerRun(100, func() { missed = cudrv.EventQuery(1) }))
	assert.ErrorIs(t, missed, cudrv.ErrSymbolNotFound)
}
