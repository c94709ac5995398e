package sim

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
)

// newGraph returns an empty graph.
func newGraph(t *testing.T) cudrv.Graph {
	t.Helper()
	g, err := cudrv.GraphCreate(0)
	require.NoError(t, err)
	return g
}

// addEmpty adds an empty node behind others.
func addEmpty(t *testing.T, g cudrv.Graph, after ...cudrv.GraphNode) cudrv.GraphNode {
	t.Helper()
	n, err := cudrv.GraphAddEmptyNode(g, unsafe.SliceData(after), uintptr(len(after)))
	require.NoError(t, err)
	return n
}

// addKernel adds a launch of a kernel that takes an int.
func addKernel(t *testing.T, g cudrv.Graph, fn cudrv.Function, value int32,
	after ...cudrv.GraphNode) cudrv.GraphNode {
	t.Helper()
	p := cudrv.NewParams().Int32(value)
	defer p.Free()
	n, err := cudrv.GraphAddKernelNodeV2(g, unsafe.SliceData(after), uintptr(len(after)),
		&cudrv.KernelNodeParamsV2{Func: fn, GridDimX: 1, GridDimY: 1, GridDimZ: 1, BlockDimX: 1,
			BlockDimY: 1, BlockDimZ: 1, KernelParams: p.Pointers()})
	require.NoError(t, err)
	return n
}

func instantiate(t *testing.T, g cudrv.Graph) cudrv.GraphExec {
	t.Helper()
	x, err := cudrv.GraphInstantiateWithFlags(g, 0)
	require.NoError(t, err)
	return x
}

// edgesOf returns a graph's edges, as pairs.
func edgesOf(t *testing.T, g cudrv.Graph) [][2]cudrv.GraphNode {
	t.Helper()
	var n uintptr
	require.NoError(t, cudrv.GraphGetEdgesV2(g, nil, nil, nil, &n))
	if n == 0 {
		return nil
	}
	from, to := make([]cudrv.GraphNode, n), make([]cudrv.GraphNode, n)
	data := make([]cudrv.GraphEdgeData, n)
	require.NoError(t, cudrv.GraphGetEdgesV2(g, &from[0], &to[0], &data[0], &n))
	var all [][2]cudrv.GraphNode
	for i := range from {
		assert.Zero(t, data[i])
		all = append(all, [2]cudrv.GraphNode{from[i], to[i]})
	}
	return all
}

func TestBuiltGraphRunsInOrder(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	var c counted
	m.Kernel("k", c.kernel)
	fn := cudaFunction(t, countedKernel)
	g := newGraph(t)
	last := addKernel(t, g, fn, 3)
	first := addKernel(t, g, fn, 1)
	join := addEmpty(t, g, first)
	require.NoError(t, cudrv.GraphAddDependencies(g, &join, &last, 1), "an edge to an older node")
	assert.ElementsMatch(t, [][2]cudrv.GraphNode{{first, join}, {join, last}}, edgesOf(t, g))
	run(t, instantiate(t, g))
	assert.Equal(t, []int32{1, 3}, c.take())

	assert.ErrorIs(t, cudrv.GraphAddDependencies(g, &join, &last, 1), cudrv.ErrInvalidValue, "twice")
	require.NoError(t, cudrv.GraphAddDependencies(g, &last, &first, 1))
	_, err := cudrv.GraphInstantiateWithFlags(g, 0)
	assert.ErrorIs(t, err, cudrv.ErrInvalidValue, "a circle")
	require.NoError(t, cudrv.GraphRemoveDependencies(g, &last, &first, 1))
	assert.ErrorIs(t, cudrv.GraphRemoveDependencies(g, &last, &first, 1), cudrv.ErrInvalidValue)

	var n uintptr
	require.NoError(t, cudrv.GraphGetRootNodes(g, nil, &n))
	assert.EqualValues(t, 1, n)
	require.NoError(t, cudrv.GraphNodeGetDependentNodes(first, nil, &n))
	assert.EqualValues(t, 1, n)
	require.NoError(t, cudrv.GraphDestroyNode(join))
	assert.Empty(t, edgesOf(t, g))
	assert.Len(t, nodesOf(t, g), 2)
	require.NoError(t, cudrv.GraphDestroy(g))
	_, err = cudrv.GraphNodeGetType(first)
	assert.ErrorIs(t, err, cudrv.ErrInvalidHandle, "a node ends with its graph")
}

func TestBuiltGraphOfMemory(t *testing.T) {
	_, _ = cudaMachine(t, Options{}, newestCUDA)
	g := newGraph(t)
	p := cudrv.MemAllocNodeParams{Bytesize: 64}
	p.PoolProps.AllocType = cudrv.MemAllocationTypePinned
	p.PoolProps.Location.Type = cudrv.MemLocationTypeDevice
	alloc, err := cudrv.GraphAddMemAllocNode(g, nil, 0, &p)
	require.NoError(t, err)
	got, err := cudrv.GraphMemAllocNodeGetParams(alloc)
	require.NoError(t, err)
	assert.Equal(t, p.Dptr, got.Dptr)

	fill, err := cudrv.GraphAddMemsetNode(g, &alloc, 1, &cudrv.MemsetNodeParams{Dst: p.Dptr,
		Value: 7, ElementSize: 2, Width: 4, Height: 2, Pitch: 16}, 0)
	require.NoError(t, err)
	var out [24]byte
	var pin runtime.Pinner
	pin.Pin(&out)
	defer pin.Unpin()
	copied, err := cudrv.GraphAddMemcpyNode(g, &fill, 1, &cudrv.Memcpy3DParams{
		SrcMemoryType: cudrv.MemorytypeDevice, SrcDevice: p.Dptr, SrcPitch: 16,
		DstMemoryType: cudrv.MemorytypeHost, DstHost: unsafe.Pointer(&out), DstPitch: 12,
		WidthInBytes: 8, Height: 2, Depth: 1}, 0)
	require.NoError(t, err)
	_, err = cudrv.GraphAddMemFreeNode(g, &copied, 1, p.Dptr)
	require.NoError(t, err)
	_, err = cudrv.GraphAddMemFreeNode(g, &copied, 1, p.Dptr)
	assert.ErrorIs(t, err, cudrv.ErrInvalidValue, "freed twice")

	run(t, instantiate(t, g))
	row := []byte{7, 0, 7, 0, 7, 0, 7, 0}
	assert.Equal(t, append(append(append([]byte{}, row...), 0, 0, 0, 0), row...), out[:20])
	used := func(a cudrv.GraphMemAttribute) uint64 {
		var n uint64
		require.NoError(t, cudrv.DeviceGetGraphMemAttribute(0, a, unsafe.Pointer(&n)))
		return n
	}
	assert.EqualValues(t, 64, used(cudrv.GraphMemAttrReservedMemCurrent))
	require.NoError(t, cudrv.DeviceGraphMemTrim(0))
	assert.Zero(t, used(cudrv.GraphMemAttrReservedMemCurrent))
	assert.EqualValues(t, 64, used(cudrv.GraphMemAttrUsedMemHigh))
	_, err = cudrv.GraphClone(g)
	assert.ErrorIs(t, err, cudrv.ErrNotSupported, "a graph that allocates can't be copied")
	assert.ErrorIs(t, cudrv.GraphDestroyNode(copied), cudrv.ErrNotSupported)
	_, err = cudrv.GraphAddChildGraphNode(newGraph(t), nil, 0, g)
	assert.ErrorIs(t, err, cudrv.ErrInvalidValue)
}

func TestBuiltGraphOfGraphs(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	var c counted
	m.Kernel("k", c.kernel)
	fn := cudaFunction(t, countedKernel)
	inner := newGraph(t)
	two := addKernel(t, inner, fn, 2)
	addKernel(t, inner, fn, 3, two)
	g := newGraph(t)
	one := addKernel(t, g, fn, 1)
	child, err := cudrv.GraphAddChildGraphNode(g, &one, 1, inner)
	require.NoError(t, err)
	four := addKernel(t, g, fn, 4, child)
	require.NoError(t, cudrv.GraphDestroy(inner), "the node has a copy")
	x := instantiate(t, g)
	run(t, x)
	assert.Equal(t, []int32{1, 2, 3, 4}, c.take())

	part, err := cudrv.GraphChildGraphNodeGetGraph(child)
	require.NoError(t, err)
	assert.ErrorIs(t, cudrv.GraphDestroy(part), cudrv.ErrInvalidValue, "it belongs to the node")
	p := cudrv.NewParams().Int32(30)
	defer p.Free()
	set := cudrv.KernelNodeParamsV2{Func: fn, GridDimX: 1, GridDimY: 1, GridDimZ: 1, BlockDimX: 1,
		BlockDimY: 1, BlockDimZ: 1, KernelParams: p.Pointers()}
	require.NoError(t, cudrv.GraphExecKernelNodeSetParamsV2(x, nodesOf(t, part)[1], &set))
	generic := cudrv.GraphNodeParams{Type: cudrv.GraphNodeTypeKernel}
	*(*cudrv.KernelNodeParamsV2)(unsafe.Pointer(generic.Kernel())) = set
	require.NoError(t, cudrv.GraphExecNodeSetParams(x, one, &generic))
	run(t, x)
	assert.Equal(t, []int32{30, 2, 30, 4}, c.take())
	got, err := cudrv.GraphNodeGetParams(one)
	require.NoError(t, err)
	assert.EqualValues(t, 1, *(*int32)(*got.Kernel().KernelParams), "the graph is as it was")
	x = instantiate(t, g)
	require.NoError(t, cudrv.GraphExecKernelNodeSetParamsV2(x, nodesOf(t, part)[1], &set))
	require.NoError(t, cudrv.GraphNodeSetEnabled(x, four, 0))
	run(t, x)
	assert.Equal(t, []int32{1, 2, 30}, c.take())

	clone, err := cudrv.GraphClone(g)
	require.NoError(t, err)
	twin, err := cudrv.GraphNodeFindInClone(four, clone)
	require.NoError(t, err)
	require.NoError(t, cudrv.GraphDestroyNode(twin))
	run(t, instantiate(t, clone))
	assert.Equal(t, []int32{1, 2, 3}, c.take())
	run(t, instantiate(t, g))
	assert.Equal(t, []int32{1, 2, 3, 4}, c.take(), "the original is as it was")
	require.NoError(t, cudrv.GraphDestroy(g))
	_, err = cudrv.GraphExecGetFlags(x)
	require.NoError(t, err)
	run(t, x)
	assert.Equal(t, []int32{1, 2, 30}, c.take(), "an executable graph needs no other")
}

func TestBuiltGraphOfEventsAndCalls(t *testing.T) {
	_, _ = cudaMachine(t, Options{}, newestCUDA)
	e, err := cudrv.EventCreate(0)
	require.NoError(t, err)
	g := newGraph(t)
	called := 0
	fn := purego.NewCallback(func(data uintptr) { called += int(data) })
	host, err := cudrv.GraphAddHostNode(g, nil, 0, &cudrv.HostNodeParams{Fn: fn, UserData: 5})
	require.NoError(t, err)
	record, err := cudrv.GraphAddEventRecordNode(g, &host, 1, e)
	require.NoError(t, err)
	wait, err := cudrv.GraphAddEventWaitNode(g, nil, 0, e)
	require.NoError(t, err)
	got, err := cudrv.GraphEventRecordNodeGetEvent(record)
	require.NoError(t, err)
	assert.Equal(t, e, got)
	_, err = cudrv.GraphEventRecordNodeGetEvent(wait)
	assert.ErrorIs(t, err, cudrv.ErrInvalidValue)
	x := instantiate(t, g)
	require.NoError(t, cudrv.GraphExecHostNodeSetParams(x, host,
		&cudrv.HostNodeParams{Fn: fn, UserData: 7}))
	run(t, x)
	assert.Equal(t, 7, called)
	require.NoError(t, cudrv.EventQuery(e))
}

func TestConditionalNodes(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	var c counted
	m.Kernel("k", c.kernel)
	fn := cudaFunction(t, countedKernel)
	for _, test := range []struct {
		name  string
		kind  cudrv.GraphConditionalNodeType
		size  uint32
		value uint32
		want  []int32
	}{
		{"if", cudrv.GraphCondTypeIf, 1, 1, []int32{0}},
		{"if not", cudrv.GraphCondTypeIf, 1, 0, nil},
		{"else", cudrv.GraphCondTypeIf, 2, 0, []int32{1}},
		{"never", cudrv.GraphCondTypeWhile, 1, 0, nil},
		{"switch", cudrv.GraphCondTypeSwitch, 3, 2, []int32{2}},
		{"out of range", cudrv.GraphCondTypeSwitch, 3, 3, nil},
	} {
		g := newGraph(t)
		value, err := cudrv.GraphConditionalHandleCreate(g, 0, test.value, 1)
		require.NoError(t, err, test.name)
		p := cudrv.GraphNodeParams{Type: cudrv.GraphNodeTypeConditional}
		*p.Conditional() = cudrv.ConditionalNodeParams{Handle: value, Type: test.kind,
			Size: test.size}
		_, err = cudrv.GraphAddNodeV2(newGraph(t), nil, nil, 0, &p)
		require.ErrorIs(t, err, cudrv.ErrInvalidValue, "another graph's value")
		_, err = cudrv.GraphAddNodeV2(g, nil, nil, 0, &p)
		require.NoError(t, err, test.name)
		for i, body := range unsafe.Slice(p.Conditional().PhGraphOut, test.size) {
			addKernel(t, body, fn, int32(i))
		}
		second, err := cudrv.GraphConditionalHandleCreate(g, 0, 0, 1)
		require.NoError(t, err)
		inner := cudrv.GraphNodeParams{Type: cudrv.GraphNodeTypeConditional}
		*inner.Conditional() = cudrv.ConditionalNodeParams{Handle: second,
			Type: cudrv.GraphCondTypeWhile, Size: 1}
		_, err = cudrv.GraphAddNodeV2(*p.Conditional().PhGraphOut, nil, nil, 0, &inner)
		require.NoError(t, err, "a body uses a value of the graph around it")
		run(t, instantiate(t, g))
		assert.Equal(t, test.want, c.take(), test.name)
	}
}

func TestCaptureToGraph(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	var c counted
	m.Kernel("k", c.kernel)
	fn := cudaFunction(t, countedKernel)
	g := newGraph(t)
	one := addKernel(t, g, fn, 1)
	s := cudaStream(t, 1)
	require.NoError(t, cudrv.StreamBeginCaptureToGraph(s, g, &one, nil, 1,
		cudrv.StreamCaptureModeRelaxed))
	launchInt(t, fn, s, 2)
	all := nodesOf(t, g)
	require.Len(t, all, 2, "the graph has what is captured at once")
	three := addKernel(t, g, fn, 3, all[1])
	require.NoError(t, cudrv.StreamUpdateCaptureDependencies(s, &three, 1, 1))
	launchInt(t, fn, s, 4)
	got, err := cudrv.StreamEndCapture(s)
	require.NoError(t, err)
	assert.Equal(t, g, got)
	run(t, instantiate(t, g))
	assert.Equal(t, []int32{1, 2, 2, 3, 4, 4}, c.take(), "a launch by launchInt has two blocks")
}

func TestGraphDebugDotPrint(t *testing.T) {
	_, _ = cudaMachine(t, Options{}, newestCUDA)
	g := newGraph(t)
	addEmpty(t, g, addEmpty(t, g))
	path := filepath.Join(t.TempDir(), "graph.dot")
	require.NoError(t, cudrv.GraphDebugDotPrint(g, path, 0))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(text), "digraph dot {")
	assert.Contains(t, string(text), `"graph_1_node_1" -> "graph_1_node_2"`)
}
