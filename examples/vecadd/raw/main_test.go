package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

func machine(t *testing.T) *eventsim.Machine {
	m := eventsim.New(t, eventsim.Config{ProcessWide: true, RealTime: true})
	m.Kernel("vecadd", func(block *compute.Block, n int32, a, b, sum []float32) {
		for i := range block.Threads(int(n)) {
			sum[i] = a[i] + b[i]
		}
	})
	return m
}

func TestAdds(t *testing.T) {
	machine(t)
	sums, err := add([]float32{1, 2, 3}, []float32{10, 20, 30})
	require.NoError(t, err)
	assert.Equal(t, []float32{11, 22, 33}, sums)
}

// Nothing is left behind: the machine would say so.
func TestOutOfMemory(t *testing.T) {
	m := machine(t)
	m.Fail(eventsim.Fault{Call: "cuMemAlloc_v2", Err: cudrv.ErrOutOfMemory, At: 2})
	_, err := add([]float32{1}, []float32{2})
	require.ErrorIs(t, err, cudrv.ErrOutOfMemory)
}
