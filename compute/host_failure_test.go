package compute_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// TestKernelFailure runs in a process of its own, since a failed kernel fails the host device for
// good.
func TestKernelFailure(t *testing.T) {
	const child = "GPUEVENT_KERNEL_FAILURE"
	if os.Getenv(child) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKernelFailure$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: TestKernelFailure")
		return
	}
	r := newRig(t, target{"host", event.Host, ""}, eventsim.Config{})
	m := r.load(map[string]compute.HostKernel{"faulty": faultyGo})
	k, err := m.Kernel("faulty")
	require.NoError(t, err)
	x, err := compute.From(r.stream, []float32{1, 2})
	require.NoError(t, err)
	require.NoError(t, k.Launch(r.stream, compute.Config{Grid: compute.Dim{X: 3}}, int32(1<<20), x))
	err = r.stream.Wait(context.Background())
	var failure *compute.KernelFailure
	require.True(t, errors.As(err, &failure), "%v", err)
	assert.ErrorContains(t, err, "faulty")
	assert.ErrorContains(t, err, "index out of range")
	require.NoError(t, x.Close())
	require.NoError(t, m.Close())
	r.freed()
}
