package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
)

// userObjectOf makes one whose destructor closes the channel.
func userObjectOf(t *testing.T, refs uint32) (cudrv.UserObject, <-chan struct{}) {
	t.Helper()
	ended := make(chan struct{})
	u, err := cudrv.UserObjectCreate(func() { close(ended) }, refs, cudrv.UserObjectNoDestructorSync)
	require.NoError(t, err)
	return u, ended
}

func waitEnd(t *testing.T, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(10 * time.Second):
		require.Fail(t, "the destructor was not called")
	}
}

func alive(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}

func TestUserObject(t *testing.T) {
	cudaMachine(t, Options{}, newestCUDA)
	u, ended := userObjectOf(t, 1)
	require.NoError(t, cudrv.UserObjectRetain(u, 2))
	require.NoError(t, cudrv.UserObjectRelease(u, 2))
	assert.ErrorIs(t, cudrv.UserObjectRelease(u, 2), cudrv.ErrInvalidValue)
	assert.ErrorIs(t, cudrv.UserObjectRelease(u, 0), cudrv.ErrInvalidValue)
	assert.ErrorIs(t, cudrv.UserObjectRetain(u, 0), cudrv.ErrInvalidValue)
	assert.True(t, alive(ended))
	require.NoError(t, cudrv.UserObjectRelease(u, 1))
	waitEnd(t, ended)
	assert.ErrorIs(t, cudrv.UserObjectRetain(u, 1), cudrv.ErrInvalidHandle)
	_, err := cudrv.UserObjectCreate(func() {}, 1, 0)
	assert.ErrorIs(t, err, cudrv.ErrInvalidValue, "destructors of the other kind don't exist")
}

// A graph that was captured, one that it was instantiated to and a launch of that keep an object,
// each as long as it lives.
func TestGraphKeepsUserObject(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, 1)
	u, ended := userObjectOf(t, 1)
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	require.NoError(t, cudrv.LaunchHostFunc(s, func() {}))
	graph, err := cudrv.StreamEndCapture(s)
	require.NoError(t, err)
	require.NoError(t, cudrv.GraphRetainUserObject(graph, u, 1, cudrv.GraphUserObjectMove))
	assert.ErrorIs(t, cudrv.GraphReleaseUserObject(graph, u, 2), cudrv.ErrInvalidValue)
	exec, err := cudrv.GraphInstantiateWithFlags(graph, 0)
	require.NoError(t, err)
	require.NoError(t, cudrv.GraphDestroy(graph))
	gate := m.Gate(uintptr(s))
	require.NoError(t, cudrv.GraphLaunch(exec, s))
	require.NoError(t, cudrv.GraphExecDestroy(exec))
	assert.True(t, alive(ended), "a launch is pending")
	gate.Open()
	waitEnd(t, ended)
}

// A capture that fails gives back what its graph kept.
func TestFailedCaptureKeepsNoUserObject(t *testing.T) {
	cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, 0)
	u, ended := userObjectOf(t, 1)
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	_, _, info, _, err := cudrv.StreamGetCaptureInfoV2(s, nil)
	require.NoError(t, err)
	require.NoError(t, cudrv.GraphRetainUserObject(info, u, 1, 0))
	require.NoError(t, cudrv.UserObjectRelease(u, 1))
	assert.ErrorIs(t, cudrv.StreamQuery(0), cudrv.ErrStreamCaptureImplicit)
	assert.ErrorIs(t, second(cudrv.StreamEndCapture(s)), cudrv.ErrStreamCaptureInvalidated)
	waitEnd(t, ended)
}
