package compute

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/compiler"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

// The errors of this package read as those that they stand for, and match the same causes.
func TestErrorsOfInternalPackages(t *testing.T) {
	t.Parallel()
	native, other := errors.New("native"), errors.New("other")
	inner := &compiler.Error{Name: "x.cu", Target: "sm_90", Compiler: "NVRTC 13.5",
		Reason: ErrSource, Remedy: "correct it", Log: "log", Native: native,
		Messages: []compiler.Message{{File: "x.cu", Line: 2, Column: 7, Severity: "error", Text: "no"}}}
	var compiled *CompileError
	require.ErrorAs(t, compileError(inner), &compiled)
	assert.EqualError(t, compiled, inner.Error())
	assert.ErrorIs(t, compiled, ErrSource)
	assert.ErrorIs(t, compiled, native)
	assert.Equal(t, inner, compiled.plain())
	assert.Equal(t, inner.Messages[0].String(), compiled.Messages[0].String())
	assert.Same(t, other, compileError(other))
	assert.NoError(t, compileError(nil))

	panicked := &kernel.Failure{Kernel: "add", Block: kernel.Dim{X: 1}, Value: native,
		Stack: []byte("stack")}
	var failed *KernelFailure
	require.ErrorAs(t, kernelFailure(panicked), &failed)
	assert.EqualError(t, failed, panicked.Error())
	assert.ErrorIs(t, failed, native)
	assert.ErrorIs(t, failed, kernel.ErrFailed)
	assert.Equal(t, panicked, failed.plain())
	assert.False(t, failed.IllegalAddress())
}
