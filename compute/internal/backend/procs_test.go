package backend

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
)

// The functions that are called here are also in the bindings.
func TestFunctionsAreThoseOfTheBindings(t *testing.T) {
	t.Parallel()
	for _, p := range []*dl.Proc{&cuLaunchKernel, &cuLaunchKernelEx, &cuLaunchCooperativeKernel,
		&cuGraphLaunch} {
		assert.Same(t, &libs.CUDA, p.Lib, p.Symbol)
		assert.Equal(t, cudrv.Since(p.Symbol), p.Since, p.Symbol)
	}
	for _, p := range []*dl.Proc{&hipModuleLaunchKernel, &hipModuleLaunchCooperativeKernel,
		&hipGraphLaunch} {
		assert.Same(t, &libs.HIP, p.Lib, p.Symbol)
		assert.Equal(t, hip.Since(p.Symbol), p.Since, p.Symbol)
	}
	for symbol := range instead {
		assert.NotEmpty(t, cudrv.Since(symbol)+hip.Since(symbol), symbol)
	}
}
