package sim

import (
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/hip"
)

func TestHIPBuiltGraph(t *testing.T) {
	for _, version := range []string{"5.2.3", newestHIP} {
		m := hipMachine(t, Options{}, version)
		memory, err := hip.Malloc(16)
		require.NoError(t, err)
		g, err := hip.GraphCreate(0)
		require.NoError(t, err)
		fill, err := hip.GraphAddMemsetNode(g, nil, 0, &hip.MemsetParams{Dst: memory, Value: 3,
			ElementSize: 1, Width: 16, Height: 1})
		require.NoError(t, err)
		var out [16]byte
		var pin runtime.Pinner
		pin.Pin(&out)
		inner, err := hip.GraphCreate(0)
		require.NoError(t, err)
		_, err = hip.GraphAddMemcpyNode1D(inner, nil, 0, unsafe.Pointer(&out), memory, 8,
			hip.MemcpyDeviceToHost)
		require.NoError(t, err)
		child, err := hip.GraphAddChildGraphNode(g, &fill, 1, inner)
		require.NoError(t, err)
		require.NoError(t, hip.GraphDestroy(inner), "the node has a copy")
		part, err := hip.GraphChildGraphNodeGetGraph(child)
		require.NoError(t, err)
		assert.Error(t, hip.GraphDestroy(part))
		assert.Contains(t, strings.Join(reasons(m), "\n"), "belongs to a node")
		e, err := hip.EventCreate()
		require.NoError(t, err)
		record, err := hip.GraphAddEventRecordNode(g, &child, 1, e)
		require.NoError(t, err)
		seen := byte(0)
		fn := purego.NewCallback(func(uintptr) { seen = out[7] })
		host, err := hip.GraphAddHostNode(g, nil, 0, &hip.HostNodeParams{Fn: fn})
		require.NoError(t, err)
		require.NoError(t, hip.GraphAddDependencies(g, &record, &host, 1))
		assert.ErrorIs(t, hip.GraphAddDependencies(g, &record, &host, 1), hip.ErrInvalidValue)

		n := uintptr(8)
		var from, to [8]hip.GraphNode
		require.NoError(t, hip.GraphGetEdges(g, &from[0], &to[0], &n))
		assert.Equal(t, []hip.GraphNode{fill, child, record}, from[:n])
		assert.Equal(t, []hip.GraphNode{child, record, host}, to[:n])

		clone, err := hip.GraphClone(g)
		require.NoError(t, err)
		require.NoError(t, hip.GraphDestroyNode(fill))
		x, err := hip.GraphInstantiateWithFlags(clone, 0)
		require.NoError(t, err)
		require.NoError(t, hip.GraphLaunch(x, 0))
		require.NoError(t, hip.DeviceSynchronize())
		assert.Equal(t, [16]byte{3, 3, 3, 3, 3, 3, 3, 3}, out)
		assert.EqualValues(t, 3, seen)
		require.NoError(t, hip.EventQuery(e))
		twin, err := hip.GraphNodeFindInClone(host, clone)
		require.NoError(t, err)
		kind, err := hip.GraphNodeGetType(twin)
		require.NoError(t, err)
		assert.Equal(t, hip.GraphNodeTypeHost, kind)
		pin.Unpin()
	}
}
