package sim

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/kernel"
	"github.com/gpuevent/gpuevent/internal/testing/images"
)

// counted is a kernel that takes an int, and the ints that it was launched with.
type counted struct {
	mu  sync.Mutex
	all []int32
}

var countedKernel = images.Kernel{Name: "k", Params: []images.Param{images.Int32}}

func (c *counted) kernel(_ *kernel.Block, n int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, n)
}

func (c *counted) take() []int32 {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.all
	c.all = nil
	return all
}

func launchInt(t *testing.T, fn cudrv.Function, s cudrv.Stream, n int32) {
	t.Helper()
	p := cudrv.NewParams().Int32(n)
	defer p.Free()
	require.NoError(t, cudrv.LaunchKernel(fn, 2, 1, 1, 1, 1, 1, 0, s, p.Pointers(), nil))
}

// capturedInts captures launches, and instantiates the graph.
func capturedInts(t *testing.T, fn cudrv.Function, ns ...int32) (cudrv.Graph, cudrv.GraphExec) {
	t.Helper()
	s := cudaStream(t, 1)
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	for _, n := range ns {
		launchInt(t, fn, s, n)
	}
	g, err := cudrv.StreamEndCapture(s)
	require.NoError(t, err)
	x, err := cudrv.GraphInstantiateWithFlags(g, 0)
	require.NoError(t, err)
	return g, x
}

func nodesOf(t *testing.T, g cudrv.Graph) []cudrv.GraphNode {
	t.Helper()
	var n uintptr
	require.NoError(t, cudrv.GraphGetNodes(g, nil, &n))
	if n == 0 {
		return nil
	}
	nodes := make([]cudrv.GraphNode, n)
	require.NoError(t, cudrv.GraphGetNodes(g, &nodes[0], &n))
	return nodes
}

func run(t *testing.T, x cudrv.GraphExec) {
	t.Helper()
	require.NoError(t, cudrv.GraphLaunch(x, 0))
	require.NoError(t, cudrv.CtxSynchronize())
}

func TestCUDAGraphOfKernels(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	var c counted
	m.Kernel("k", c.kernel)
	fn := cudaFunction(t, countedKernel)
	g, x := capturedInts(t, fn, 1, 2)
	assert.Empty(t, c.take())
	run(t, x)
	assert.Equal(t, []int32{1, 1, 2, 2}, c.take(), "a block each, in order")

	nodes := nodesOf(t, g)
	require.Len(t, nodes, 2)
	assert.Equal(t, nodes, nodesOf(t, g))
	kind, err := cudrv.GraphNodeGetType(nodes[1])
	require.NoError(t, err)
	assert.Equal(t, cudrv.GraphNodeTypeKernel, kind)
	p, err := cudrv.GraphKernelNodeGetParamsV2(nodes[1])
	require.NoError(t, err)
	assert.Equal(t, fn, p.Func)
	assert.EqualValues(t, 2, p.GridDimX)
	assert.EqualValues(t, 2, *(*int32)(*p.KernelParams))

	value := int32(9)
	pointer := unsafe.Pointer(&value)
	p.KernelParams, p.GridDimX = &pointer, 1
	require.NoError(t, cudrv.GraphExecKernelNodeSetParamsV2(x, nodes[1], &p))
	value = 10
	run(t, x)
	assert.Equal(t, []int32{1, 1, 9}, c.take(), "the value was copied")
	p, err = cudrv.GraphKernelNodeGetParamsV2(nodes[1])
	require.NoError(t, err)
	assert.EqualValues(t, 2, *(*int32)(*p.KernelParams), "the graph is as before")

	_, other := capturedInts(t, fn, 3)
	assert.Equal(t, cudrv.ErrInvalidValue,
		bare(cudrv.GraphExecKernelNodeSetParamsV2(other, nodes[0], &p)), "a node of another graph")
	p.BlockDimX = 0
	assert.Equal(t, cudrv.ErrInvalidValue,
		bare(cudrv.GraphExecKernelNodeSetParamsV2(x, nodes[0], &p)))
	assert.Empty(t, m.Misuse())

	require.NoError(t, cudrv.GraphDestroy(g))
	assert.Equal(t, cudrv.ErrInvalidHandle, bare(second(cudrv.GraphNodeGetType(nodes[0]))))
	assert.Len(t, m.Misuse(), 1)
	run(t, x)
	assert.Equal(t, []int32{1, 1, 9}, c.take())
}

func TestCUDAGraphUpdate(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	var c counted
	m.Kernel("k", c.kernel)
	fn := cudaFunction(t, countedKernel)
	own, x := capturedInts(t, fn, 1, 2)
	same, _ := capturedInts(t, fn, 3, 4)
	shorter, _ := capturedInts(t, fn, 5)
	s := cudaStream(t, 1)
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	launchInt(t, fn, s, 6)
	require.NoError(t, cudrv.MemsetD32Async(floats(t, 1), 0, 1, s))
	otherType, err := cudrv.StreamEndCapture(s)
	require.NoError(t, err)

	info, err := cudrv.GraphExecUpdateV2(x, same)
	require.NoError(t, err)
	assert.Equal(t, cudrv.GraphExecUpdateSuccess, info.Result)
	run(t, x)
	assert.Equal(t, []int32{3, 3, 4, 4}, c.take())
	p, err := cudrv.GraphKernelNodeGetParamsV2(nodesOf(t, own)[0])
	require.NoError(t, err)
	require.NoError(t, cudrv.GraphExecKernelNodeSetParamsV2(x, nodesOf(t, own)[0], &p))
	run(t, x)
	assert.Equal(t, []int32{1, 1, 4, 4}, c.take(), "nodes are those of the graph it was made from")

	info, err = cudrv.GraphExecUpdateV2(x, shorter)
	assert.Equal(t, cudrv.ErrGraphExecUpdateFailure, bare(err))
	assert.Equal(t, cudrv.GraphExecUpdateErrorTopologyChanged, info.Result)
	info, err = cudrv.GraphExecUpdateV2(x, otherType)
	assert.Equal(t, cudrv.ErrGraphExecUpdateFailure, bare(err))
	assert.Equal(t, cudrv.GraphExecUpdateErrorNodeTypeChanged, info.Result)
	assert.Equal(t, nodesOf(t, otherType)[1], info.ErrorNode)
	run(t, x)
	assert.Equal(t, []int32{1, 1, 4, 4}, c.take(), "a failure changes nothing")
	assert.Empty(t, m.Misuse())
}

func TestCUDAGraphOutlivesItsModule(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	fn := cudaFunction(t, countedKernel)
	_, x := capturedInts(t, fn, 1)
	module, err := cudrv.FuncGetModule(fn)
	require.NoError(t, err)
	require.NoError(t, cudrv.ModuleUnload(module))
	assert.Equal(t, cudrv.ErrInvalidHandle, bare(cudrv.GraphLaunch(x, 0)))
	assert.Len(t, m.Misuse(), 1)
}

func TestCUDACaptureTellsItsGraph(t *testing.T) {
	for _, profile := range CUDAProfiles() {
		t.Run(profile, func(t *testing.T) {
			m, _ := cudaMachine(t, Options{}, profile)
			fn := cudaFunction(t, countedKernel)
			s := cudaStream(t, 1)
			tell := func() (status cudrv.StreamCaptureStatus, g cudrv.Graph, nodes []cudrv.GraphNode) {
				var deps *cudrv.GraphNode
				var n uintptr
				var err error
				if versionNumber(profile) >= versionNumber("12.3") {
					var edges *cudrv.GraphEdgeData
					status, _, g, deps, edges, n, err = cudrv.StreamGetCaptureInfoV3(s)
					for _, e := range unsafe.Slice(edges, n) { // one for each node
						assert.Zero(t, e)
					}
				} else {
					status, _, g, n, err = cudrv.StreamGetCaptureInfoV2(s, &deps)
				}
				require.NoError(t, err)
				return status, g, append(nodes, unsafe.Slice(deps, n)...)
			}
			status, _, _ := tell()
			assert.Equal(t, cudrv.StreamCaptureStatusNone, status)
			require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
			status, g, nodes := tell()
			assert.Equal(t, cudrv.StreamCaptureStatusActive, status)
			assert.Empty(t, nodes)
			launchInt(t, fn, s, 1)
			launchInt(t, fn, s, 2)
			_, again, nodes := tell()
			assert.Equal(t, g, again)
			require.Len(t, nodes, 1)
			all := nodesOf(t, g)
			require.Len(t, all, 2)
			assert.Equal(t, all[1], nodes[0])
			update := func(flags cudrv.StreamUpdateCaptureDependenciesFlags) error {
				if versionNumber(profile) >= versionNumber("12.3") {
					plain, special := cudrv.GraphEdgeData{}, cudrv.GraphEdgeData{FromPort: 1}
					assert.Equal(t, cudrv.ErrNotSupported, bare(
						cudrv.StreamUpdateCaptureDependenciesV2(s, &all[0], &special, 1, flags)))
					return cudrv.StreamUpdateCaptureDependenciesV2(s, &all[0], &plain, 1, flags)
				}
				return cudrv.StreamUpdateCaptureDependencies(s, &all[0], 1, flags)
			}
			require.NoError(t, update(cudrv.StreamSetCaptureDependencies))
			_, _, nodes = tell()
			assert.Equal(t, all[:1], nodes)
			require.NoError(t, update(cudrv.StreamAddCaptureDependencies))
			_, _, nodes = tell()
			assert.Equal(t, all[:1], nodes)
			assert.Equal(t, cudrv.ErrInvalidValue, bare(update(7)))
			ended, err := cudrv.StreamEndCapture(s)
			require.NoError(t, err)
			assert.Equal(t, g, ended)
			assert.Equal(t, cudrv.ErrIllegalState, bare(update(cudrv.StreamSetCaptureDependencies)))
			assert.Equal(t, all, nodesOf(t, g))
			require.NoError(t, cudrv.GraphDestroy(g))
			assert.Empty(t, m.Misuse())
			assert.Zero(t, m.CUDALive().Graphs)
			assert.Empty(t, m.cuda.handles.live(func(o *object) bool { return o.kind == nodeKind }))
		})
	}
}

func TestSpoiltCaptureLeavesNoHandles(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, "11.8")
	fn := cudaFunction(t, countedKernel)
	s := cudaStream(t, 1)
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	launchInt(t, fn, s, 1)
	var deps *cudrv.GraphNode
	_, _, g, _, err := cudrv.StreamGetCaptureInfoV2(s, &deps)
	require.NoError(t, err)
	assert.NotZero(t, g)
	assert.Error(t, cudrv.StreamQuery(s))
	_, err = cudrv.StreamEndCapture(s)
	assert.Equal(t, cudrv.ErrStreamCaptureInvalidated, bare(err))
	assert.Empty(t, m.cuda.handles.live(func(o *object) bool {
		return o.kind == nodeKind || o.kind == graphKind
	}))
}

func TestGraphNodeTypes(t *testing.T) {
	m, _ := cudaMachine(t, Options{}, newestCUDA)
	s := cudaStream(t, 1)
	x, y := floats(t, 4), floats(t, 4)
	e := cudaEvent(t, 0)
	require.NoError(t, cudrv.StreamBeginCapture(s, cudrv.StreamCaptureModeRelaxed))
	require.NoError(t, cudrv.MemsetD8Async(x, 0, 16, s))
	require.NoError(t, cudrv.MemcpyDtoDAsync(y, x, 16, s))
	require.NoError(t, cudrv.LaunchHostFunc(s, func() {}))
	require.NoError(t, cudrv.EventRecordWithFlags(e, s, cudrv.EventRecordExternal))
	require.NoError(t, cudrv.StreamWaitEvent(s, e, cudrv.EventWaitExternal))
	at, err := cudrv.MemAllocAsync(16, s)
	require.NoError(t, err)
	require.NoError(t, cudrv.MemFreeAsync(at, s))
	m.Work(uintptr(s), func() {})
	g, err := cudrv.StreamEndCapture(s)
	require.NoError(t, err)
	var got []cudrv.GraphNodeType
	for _, n := range nodesOf(t, g) {
		kind, err := cudrv.GraphNodeGetType(n)
		require.NoError(t, err)
		got = append(got, kind)
		assert.Equal(t, cudrv.ErrInvalidValue, bare(second(cudrv.GraphKernelNodeGetParamsV2(n))))
	}
	assert.Equal(t, []cudrv.GraphNodeType{cudrv.GraphNodeTypeMemset, cudrv.GraphNodeTypeMemcpy,
		cudrv.GraphNodeTypeHost, cudrv.GraphNodeTypeEventRecord, cudrv.GraphNodeTypeWaitEvent,
		cudrv.GraphNodeTypeMemAlloc, cudrv.GraphNodeTypeMemFree, cudrv.GraphNodeTypeEmpty}, got)
}

func TestHIPGraphOfKernels(t *testing.T) {
	eachHIP(t, Options{}, func(t *testing.T, m *Machine, p *profile) {
		if p.plays(chipCapturesRunAtOnce) || p.plays(amdLaunchNotCaptured) {
			return // its graphs are empty: see the quirks' probes
		}
		var c counted
		m.Kernel("k", c.kernel)
		fn := hipFunction(t, countedKernel)
		s := hipStream(t)
		capture := func(n int32) hip.Graph {
			require.NoError(t, hip.StreamBeginCapture(s, hip.StreamCaptureModeRelaxed))
			require.NoError(t, hip.ModuleLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, s,
				hip.NewParams().Int32(n).Pointers(), nil))
			if !p.plays(chipIsCapturingUnsupported) {
				status, _, g, deps, n, err := hip.StreamGetCaptureInfoV2(s)
				require.NoError(t, err)
				assert.Equal(t, hip.StreamCaptureStatusActive, status)
				assert.NotZero(t, g)
				require.EqualValues(t, 1, n)
				kind, err := hip.GraphNodeGetType(*deps)
				require.NoError(t, err)
				assert.Equal(t, hip.GraphNodeTypeKernel, kind)
			}
			g, err := hip.StreamEndCapture(s)
			require.NoError(t, err)
			return g
		}
		g := capture(1)
		x, err := hip.GraphInstantiateWithFlags(g, 0)
		require.NoError(t, err)
		run := func() {
			require.NoError(t, hip.GraphLaunch(x, s))
			require.NoError(t, hip.StreamSynchronize(s))
		}
		run()
		assert.Equal(t, []int32{1}, c.take())
		nodes := make([]hip.GraphNode, 1)
		n := uintptr(1)
		require.NoError(t, hip.GraphGetNodes(g, &nodes[0], &n))
		node, err := hip.GraphKernelNodeGetParams(nodes[0])
		require.NoError(t, err)
		value := int32(5)
		pointer := unsafe.Pointer(&value)
		node.KernelParams = &pointer
		require.NoError(t, hip.GraphExecKernelNodeSetParams(x, nodes[0], &node))
		run()
		assert.Equal(t, []int32{5}, c.take())
		_, result, err := hip.GraphExecUpdate(x, capture(7))
		require.NoError(t, err)
		assert.Equal(t, hip.GraphExecUpdateSuccess, result)
		run()
		assert.Equal(t, []int32{7}, c.take())
		assert.Empty(t, m.Misuse())
	})
}
