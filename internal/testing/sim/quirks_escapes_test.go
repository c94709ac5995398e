package sim

import (
	"maps"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
)

func init() { maps.Copy(probes, escapeProbes) }

// escapes reports whether a call on a stream that captures runs at once, as no part of the graph.
// ran reports whether the call's work has run.
func escapes(t *testing.T, ran func() bool, call func(s hip.Stream) error) bool {
	t.Helper()
	s := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
	require.NoError(t, call(s))
	nodes := endedGraphNodes(t, s)
	require.NoError(t, hip.StreamSynchronize(s))
	atOnce := ran()
	assert.Equal(t, atOnce, nodes == 0, "it runs at once, or is captured")
	return atOnce
}

func launchEscapes(t *testing.T, m *Machine, cooperative bool) bool {
	var c counted
	m.Kernel("k", c.kernel)
	fn := hipFunction(t, countedKernel)
	return escapes(t, func() bool { return len(c.take()) > 0 }, func(s hip.Stream) error {
		p := hip.NewParams().Int32(1)
		defer p.Free()
		if cooperative {
			return hip.ModuleLaunchCooperativeKernel(fn, 1, 1, 1, 1, 1, 1, 0, s, p.Pointers())
		}
		return hip.ModuleLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, s, p.Pointers(), nil)
	})
}

// zeros allocates 8 bytes of zeros, and returns a function that reports whether they have changed.
func zeros(t *testing.T) (at unsafe.Pointer, changed func() bool) {
	at = hipMemory(t, 8)
	require.NoError(t, hip.MemsetD8(hipAddress(at), 0, 8))
	require.NoError(t, hip.DeviceSynchronize())
	return at, func() bool {
		var got [8]byte
		require.NoError(t, hip.MemcpyDtoH(unsafe.Pointer(&got), hipAddress(at), 8))
		return got != [8]byte{}
	}
}

var escapeProbes = map[quirk]probe{
	amdLaunchNotCaptured: {own: true, observe: func(t *testing.T, m *Machine) bool {
		return launchEscapes(t, m, false)
	}},
	amdCooperativeNotCaptured: {own: true, observe: func(t *testing.T, m *Machine) bool {
		return hip.Has("hipModuleLaunchCooperativeKernel") && launchEscapes(t, m, true)
	}},
	amdGraphNotCaptured: {own: true, observe: func(t *testing.T, _ *Machine) bool {
		at, changed := zeros(t)
		s := hipCapture(t, 1, hip.StreamCaptureModeRelaxed)
		require.NoError(t, hip.MemsetD8Async(hipAddress(at), 1, 8, s))
		g, err := hip.StreamEndCapture(s)
		require.NoError(t, err)
		x, err := hip.GraphInstantiateWithFlags(g, 0)
		require.NoError(t, err)
		return escapes(t, changed, func(s hip.Stream) error { return hip.GraphLaunch(x, s) })
	}},
	amdPeerCopyNotCaptured: {own: true, observe: func(t *testing.T, _ *Machine) bool {
		at, changed := zeros(t)
		from := hipMemory(t, 8)
		require.NoError(t, hip.MemsetD8(hipAddress(from), 1, 8))
		require.NoError(t, hip.DeviceSynchronize())
		return escapes(t, changed, func(s hip.Stream) error {
			return hip.MemcpyPeerAsync(at, 0, from, 0, 8, s)
		})
	}},
	amdValueNotCaptured: {own: true, observe: func(t *testing.T, _ *Machine) bool {
		at, changed := zeros(t)
		return escapes(t, changed, func(s hip.Stream) error {
			return hip.StreamWriteValue64(s, at, 1, 0)
		})
	}},
}
