package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/examples/internal/simulated"
)

func adds(t *testing.T, m *compute.Module) {
	sums, err := add(m, []float32{1, 2, 3}, []float32{10, 20, 30})
	require.NoError(t, err)
	assert.Equal(t, []float32{11, 22, 33}, sums)
	require.NoError(t, m.Close())
}

func TestOnTheHost(t *testing.T) {
	t.Parallel()
	d, err := event.Open("host")
	require.NoError(t, err)
	m, err := compute.Compile(t.Context(), d, source)
	require.NoError(t, err)
	adds(t, m)
}

func TestOnGPUs(t *testing.T) {
	simulated.Each(t, source, adds)
}

// The first error is the cause, although later calls fail as well.
func TestFirstErrorIsReturned(t *testing.T) {
	machine, m := simulated.Module(t, eventsim.Config{}, source)
	machine.Fail(eventsim.Fault{Call: "cuMemAllocAsync", Err: cudrv.ErrInvalidContext})
	_, err := add(m, []float32{1}, []float32{2})
	require.ErrorIs(t, err, cudrv.ErrInvalidContext)
	assert.NotErrorIs(t, err, compute.ErrNil)
	adds(t, m)
}

// docs/results/compute.md tells how many lines the program takes.
func TestProgramIsShort(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]int{"main.go": 28, "raw/main.go": 97} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		_, functions, found := strings.Cut(string(text), "\nfunc main() {\n")
		require.True(t, found)
		lines := 1 // that of main
		for line := range strings.Lines(functions) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				lines++
			}
		}
		assert.Equal(t, want, lines, file)
	}
}
