package backend_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/driver"
)

// Without any of the functions that an operation calls first, it is refused before it does a thing,
// or done in another way.
func TestMissingFunctions(t *testing.T) {
	t.Parallel()
	otherwise := map[string]bool{ // they have a substitute, or are not necessary
		"cuFuncGetParamInfo": true, "hipKernelGetParamInfo": true,
		"cuGraphExecKernelNodeSetParams_v2": true, "cuGraphExecUpdate_v2": true,
		"cuStreamGetCaptureInfo_v3": true, "cuGraphInstantiateWithFlags": true,
	}
	vendors(t, func(t *testing.T, v *vendor, calls func(operation) string) {
		for _, o := range operations() {
			for _, call := range strings.Fields(calls(o)) {
				symbol, _, isCall := strings.Cut(call, "(")
				if !isCall || otherwise[symbol] || strings.Contains(symbol, "Attribute") {
					continue
				}
				t.Run(o.name+" without "+symbol, func(t *testing.T) {
					r := record(t, v, v.newest, symbol)
					b, peer := r.devices(t)
					r.took()
					_, err := o.do(b, peer)
					threads, _ := r.left()
					assert.Empty(t, threads)
					if err == nil { // pools: the limits say that there are none
						assert.Contains(t, symbol, "MemPool")
						return
					}
					var refusal *driver.Refusal
					require.ErrorAs(t, err, &refusal)
					assert.ErrorIs(t, err, driver.ErrUnsupported)
					since := cudrv.Since(symbol) + hip.Since(symbol)
					first, _, _ := strings.Cut(strings.TrimPrefix(since, "after "), ",")
					assert.Contains(t, refusal.Detail, symbol+" came ")
					assert.Contains(t, refusal.Detail, first)
					assert.NotContains(t, refusal.Detail, "Has(")
				})
			}
		}
	})
}

// The texts of what old drivers lack.
func TestTextsOfMissingFunctions(t *testing.T) {
	t.Parallel()
	text := func(err error) string {
		require.ErrorIs(t, err, driver.ErrUnsupported)
		return err.Error()
	}
	_, b := cuda(t, "11.7")
	_, err := launch(b, with(cluster))
	assert.Equal(t, "not supported: cuLaunchKernelEx came with CUDA 11.8, and fake CUDA 11.7 "+
		"(CUDA 11.7) does not have it; update the NVIDIA driver, or launch without clusters", text(err))
	_, err = b.Clusters(function, &shape)
	assert.Contains(t, text(err), "cuOccupancyMaxActiveClusters came with CUDA 11.8")
	_, ok, err := b.Params(function)
	require.NoError(t, err)
	assert.False(t, ok)

	_, a := rocm(t, "5.2.3")
	_, err = launch(a, with(func(c *backend.Config) { c.Cooperative = true }))
	assert.Contains(t, text(err), "hipModuleLaunchCooperativeKernel came after HIP 5.2.3, by 5.7.1, ")
	assert.Contains(t, text(err), "; update ROCm, or launch without Cooperative")
	_, ok, err = a.Params(function)
	require.NoError(t, err)
	assert.False(t, ok)
}
