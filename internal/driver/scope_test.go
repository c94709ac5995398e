package driver

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
)

// The classes of both vendors have the numbers of the scopes.
func TestScopesAreTheClassesOfBothVendors(t *testing.T) {
	t.Parallel()
	for scope, classes := range map[Scope][2]uint8{
		ScopeCall:    {uint8(cudrv.ClassCall), uint8(hip.ClassCall)},
		ScopePending: {uint8(cudrv.ClassPending), uint8(hip.ClassPending)},
		ScopeUnclear: {uint8(cudrv.ClassUnclear), uint8(hip.ClassUnclear)},
		ScopeEnded:   {uint8(cudrv.ClassEnded), uint8(hip.ClassEnded)},
		ScopeLost:    {uint8(cudrv.ClassLost), uint8(hip.ClassLost)},
		ScopeKernel:  {uint8(cudrv.ClassKernel), uint8(hip.ClassKernel)},
	} {
		assert.Equal(t, [2]uint8{uint8(scope), uint8(scope)}, classes)
	}
}

func TestScopeOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want Scope
	}{
		{nil, ScopeCall},
		{errors.New("no driver's"), ScopeCall},
		{Failed("cuEventQuery", cudrv.ErrInvalidValue), ScopeCall},
		{Failed("cuEventQuery", cudrv.ErrIllegalAddress), ScopeKernel},
		{Failed("cuLaunchKernel", cudrv.ErrLaunchFailed), ScopeKernel},
		{Failed("cuEventQuery", &cudrv.CallError{Function: "cuEventQuery",
			Result: cudrv.ErrEccUncorrectable}), ScopeLost},
		{fmt.Errorf("wrapped: %w", Failed("cuEventQuery", cudrv.ErrUnknown)), ScopeUnclear},
		{Failed("cuDevicePrimaryCtxRetain", cudrv.ErrDeviceUnavailable), ScopeCall},
		{Failed("cuDevicePrimaryCtxRetain", cudrv.ErrEccUncorrectable), ScopeLost},
		{Failed("hipEventQuery", hip.ErrLaunchFailure), ScopeKernel},
		{Failed("hipModuleLaunchKernel", hip.ErrLaunchFailure), ScopeUnclear},
		{Failed("hipModuleLaunchCooperativeKernel", hip.ErrLaunchFailure), ScopeUnclear},
		{Failed("hipModuleLaunchKernel", hip.ErrIllegalAddress), ScopeKernel},
		{Failed("hipStreamQuery", hip.ErrContextIsDestroyed), ScopeCall},
		{Failed("hipFree", hip.ErrDeinitialized), ScopeEnded},
	} {
		assert.Equal(t, tt.want, ScopeOf(tt.err), "%v", tt.err)
	}
	assert.True(t, ScopeEnded.IsSticky() && ScopeLost.IsSticky() && ScopeKernel.IsSticky())
	assert.False(t, ScopeUnclear.IsSticky() || ScopeEnded.IsLost())
	assert.ErrorIs(t, Failed("cuEventQuery", cudrv.ErrContained), ErrDeviceLost)
	assert.NotErrorIs(t, Failed("cuEventQuery", cudrv.ErrUnknown), ErrDeviceLost)
}

func TestCodeClass(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code, want error
	}{
		{nil, nil},
		{errors.New("no driver's"), nil},
		{cudrv.ErrInvalidValue, nil},
		{cudrv.ErrCapturedEvent, ErrCaptured},
		{hip.ErrCapturedEvent, ErrCaptured},
		{&cudrv.CallError{Function: "cuEventQuery", Result: cudrv.ErrNotSupported}, ErrUnsupported},
		{hip.ErrNotSupported, ErrUnsupported},
		{cudrv.ErrUnknown, ErrUnknown},
		{hip.ErrUnknown, ErrUnknown},
	} {
		assert.Equal(t, tt.want, CodeClass(tt.code), "%v", tt.code)
	}
	assert.True(t, IsResult(cudrv.ErrUnknown) && IsResult(hip.ErrUnknown))
	assert.False(t, IsResult(nil) || IsResult(errors.New("no driver's")))
}
