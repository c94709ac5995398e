package backend_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

// What the operations work on.
var (
	module   = backend.Module{Word: 0x30}
	function = backend.Function{Word: 0xf}
	graph    = backend.Graph{Word: 0x60}
	exec     = backend.Exec{Word: 0x70}
	node     = backend.Node{Word: 0xd}
	stream   = driver.Object{Word: 0x5}
	host     = unsafe.Pointer(&[]byte("host\x00")[0])
	cubin    = []byte("\x7fELF\x02\x01\x01\x33 no more than its beginning")
	ptx      = []byte(".version 8.0\n.target sm_80\n")
	shape    = backend.Config{Grid: kernel.Dim{X: 7, Y: 8, Z: 9}, Block: kernel.Dim{X: 32, Y: 2, Z: 1},
		Shared: 512}
)

func init() { // an ELF file for an NVIDIA GPU
	cubin = append(cubin[:16:16], 2, 0, 190, 0, 1, 0, 0, 0)
}

// operation is a method with its C calls. In the texts, CU and HIP are for one vendor.
type operation struct {
	name string
	do   func(b, peer backend.Backend) (any, error)
	cuda string // its calls on the newest driver
	hip  string
	want any
}

// frame returns a frame with the parameters 5 and 6.
func frame(b backend.Backend) *backend.Frame {
	p := b.Frame()
	p.AddWord(5)
	p.AddWord(6)
	return p
}

func launch(b backend.Backend, c backend.Config) (any, error) {
	p := frame(b)
	defer b.PutFrame(p)
	return nil, b.Launch(stream, function, &c, p)
}

func with(change func(*backend.Config)) backend.Config {
	c := shape
	change(&c)
	return c
}

func cluster(c *backend.Config) { c.Cluster = kernel.Dim{X: 2, Y: 1, Z: 1} }

// operations are all that do the same on both vendors.
func operations() []operation {
	const size = 64
	return []operation{
		{"Load cubin", func(b, _ backend.Backend) (any, error) {
			m, log, err := b.Load(cubin, backend.JIT{})
			return []any{m, log}, err
		}, "[ { cuModuleLoadData(_ at \x7fELF) } ]", "[ { hipModuleLoadData(_ at \x7fELF) } ]",
			[]any{module, ""}},
		{"Unload", func(b, _ backend.Backend) (any, error) { return nil, b.Unload(module) },
			"[ { cuModuleUnload(30) } ]", "[ { hipModuleUnload(30) } ]", nil},
		{"Function", func(b, _ backend.Backend) (any, error) { return b.Function(module, "saxpy") },
			"{ cuModuleGetFunction(_ 30 saxpy) }", "{ hipModuleGetFunction(_ 30 saxpy) }", function},
		{"Global", func(b, _ backend.Backend) (any, error) {
			at, n, err := b.Global(module, "table")
			return []uintptr{at, n}, err
		}, "{ cuModuleGetGlobal_v2(_ _ 30 table) }", "{ hipModuleGetGlobal(_ _ 30 table) }",
			[]uintptr{0x9000, 64}},
		{"Params", func(b, _ backend.Backend) (any, error) {
			p, ok, err := b.Params(function)
			return []any{p, ok}, err
		}, "{ cuFuncGetParamInfo(f 0 _ _) cuFuncGetParamInfo(f 1 _ _) cuFuncGetParamInfo(f 2 _ _) }",
			"{ hipKernelGetParamInfo(f 0 _ _) hipKernelGetParamInfo(f 1 _ _) " +
				"hipKernelGetParamInfo(f 2 _ _) }",
			[]any{[]image.Param{{Offset: 0, Size: 8}, {Offset: 8, Size: 4}}, true}},
		{"Occupancy", func(b, _ backend.Backend) (any, error) { return b.Occupancy(function, 256, 512) },
			"{ cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(_ f 256 512 0) }",
			"{ hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(_ f 256 512 0) }", 8},
		{"Suggest", func(b, _ backend.Backend) (any, error) {
			blocks, threads, err := b.Suggest(function, 512, 1024)
			return []int{blocks, threads}, err
		}, "{ cuOccupancyMaxPotentialBlockSizeWithFlags(_ _ f 0 512 1024 0) }",
			"{ hipModuleOccupancyMaxPotentialBlockSizeWithFlags(_ _ f 512 1024 0) }", []int{264, 768}},

		{"Launch", func(b, _ backend.Backend) (any, error) { return launch(b, shape) },
			"{ cuLaunchKernel(f 7 8 9 32 2 1 512 5 [5 6] 0) }",
			"{ hipModuleLaunchKernel(f 7 8 9 32 2 1 512 5 [5 6] 0) }", nil},
		{"Launch without parameters", func(b, _ backend.Backend) (any, error) {
			p := b.Frame()
			defer b.PutFrame(p)
			return nil, b.Launch(stream, function, &shape, p)
		}, "{ cuLaunchKernel(f 7 8 9 32 2 1 512 5 nil 0) }",
			"{ hipModuleLaunchKernel(f 7 8 9 32 2 1 512 5 nil 0) }", nil},
		{"Launch cooperatively", func(b, _ backend.Backend) (any, error) {
			return launch(b, with(func(c *backend.Config) { c.Cooperative = true }))
		}, "{ cuLaunchCooperativeKernel(f 7 8 9 32 2 1 512 5 [5 6]) }",
			"{ hipModuleLaunchCooperativeKernel(f 7 8 9 32 2 1 512 5 [5 6]) }", nil},

		{"Alloc", func(b, _ backend.Backend) (any, error) { return b.Alloc(size) },
			"[ { cuMemAlloc_v2(_ 64) } ]", "[ { hipMalloc(_ 64) } ]", uintptr(0xa000)},
		{"Free", func(b, _ backend.Backend) (any, error) { return nil, b.Free(0xa000) },
			"[ { cuMemFree_v2(a000) } ]", "[ { hipFree(a000) } ]", nil},
		{"AllocOn", func(b, _ backend.Backend) (any, error) { return b.AllocOn(stream, size) },
			"{ cuDeviceGetDefaultMemPool(_ 0) cuMemPoolSetAttribute(50 4 ffffffffffffffff) } " +
				"{ cuMemAllocAsync(_ 64 5) }",
			"{ hipDeviceGetDefaultMemPool(_ 0) hipMemPoolSetAttribute(50 4 ffffffffffffffff) } " +
				"{ hipMallocAsync(_ 64 5) }", uintptr(0xb000)},
		{"FreeOn", func(b, _ backend.Backend) (any, error) { return nil, b.FreeOn(stream, 0xb000) },
			"{ cuMemFreeAsync(b000 5) }", "{ hipFreeAsync(b000 5) }", nil},
		{"Trim", func(b, _ backend.Backend) (any, error) { return nil, trim(b) },
			"{ cuDeviceGetDefaultMemPool(_ 0) cuMemPoolTrimTo(50 0) }",
			"{ hipDeviceGetDefaultMemPool(_ 0) hipMemPoolTrimTo(50 0) }", nil},
		{"AllocPinned", func(b, _ backend.Backend) (any, error) { return b.AllocPinned(size) },
			"[ { cuMemHostAlloc(_ 64 1) } ]", "[ { hipHostMalloc(_ 64 1) } ]",
			unsafe.Pointer(&pinnedMemory)},
		{"FreePinned", func(b, _ backend.Backend) (any, error) {
			return nil, b.FreePinned(host)
		}, "[ { cuMemFreeHost(at host) } ]", "[ { hipHostFree(at host) } ]", nil},

		{"CopyIn", func(b, _ backend.Backend) (any, error) {
			return nil, b.CopyIn(stream, 0xa000, host, size)
		}, "{ cuMemcpyHtoDAsync_v2(a000 at host 64 5) }",
			"{ hipMemcpyHtoDAsync(a000 at host 64 5) }", nil},
		{"CopyOut", func(b, _ backend.Backend) (any, error) {
			return nil, b.CopyOut(stream, host, 0xa000, size)
		}, "{ cuMemcpyDtoHAsync_v2(at host a000 64 5) }",
			"{ hipMemcpyDtoHAsync(at host a000 64 5) }", nil},
		{"Copy", func(b, _ backend.Backend) (any, error) {
			return nil, b.Copy(stream, 0xa000, 0xb000, size)
		}, "{ cuMemcpyDtoDAsync_v2(a000 b000 64 5) }", "{ hipMemcpyDtoDAsync(a000 b000 64 5) }", nil},
		{"CopyPeer", func(b, peer backend.Backend) (any, error) {
			return nil, b.CopyPeer(stream, 0xa000, peer, 0xb000, b, size)
		}, "{ cuMemcpyPeerAsync(a000 c1 b000 c0 64 5) }",
			"{ hipMemcpyPeerAsync(a000 1 b000 0 64 5) }", nil},
		{"CanPeer", func(b, peer backend.Backend) (any, error) { return b.CanPeer(peer) },
			"cuDeviceCanAccessPeer(_ 0 1)", "hipDeviceCanAccessPeer(_ 0 1)", true},
		{"CanPeer itself", func(b, _ backend.Backend) (any, error) { return b.CanPeer(b) },
			"", "", true},
		{"Peer", func(b, peer backend.Backend) (any, error) { return nil, b.Peer(peer) },
			"{ cuCtxEnablePeerAccess(c1 0) } " +
				"{1 cuDeviceGetDefaultMemPool(_ 1) cuMemPoolSetAccess(50 [1 0 3] 1) }",
			"{ hipDeviceEnablePeerAccess(1 0) } " +
				"{1 hipDeviceGetDefaultMemPool(_ 1) hipMemPoolSetAccess(50 [1 0 3] 1) }", nil},
		{"Peer itself", func(b, _ backend.Backend) (any, error) { return nil, b.Peer(b) }, "", "", nil},
		{"Fill 1", func(b, _ backend.Backend) (any, error) {
			return nil, b.Fill(stream, 0xa000, 0x1ff, 1, size)
		}, "{ cuMemsetD8Async(a000 255 64 5) }", "{ hipMemsetD8Async(a000 255 64 5) }", nil},
		{"Fill 2", func(b, _ backend.Backend) (any, error) {
			return nil, b.Fill(stream, 0xa000, 0x1fffe, 2, size)
		}, "{ cuMemsetD16Async(a000 65534 64 5) }", "{ hipMemsetD16Async(a000 65534 64 5) }", nil},
		{"Fill 4", func(b, _ backend.Backend) (any, error) {
			return nil, b.Fill(stream, 0xa000, 0xffffffff, 4, size)
		}, "{ cuMemsetD32Async(a000 -1 64 5) }", "{ hipMemsetD32Async(a000 -1 64 5) }", nil},

		{"BeginCapture", func(b, _ backend.Backend) (any, error) { return nil, b.BeginCapture(stream) },
			"{ cuStreamBeginCapture_v2(5 1) }", "{ hipStreamBeginCapture(5 1) }", nil},
		{"EndCapture", func(b, _ backend.Backend) (any, error) { return b.EndCapture(stream) },
			"{ cuStreamEndCapture(5 _) }", "{ hipStreamEndCapture(5 _) }", graph},
		{"Last", func(b, _ backend.Backend) (any, error) { return b.Last(stream) },
			"{ cuStreamGetCaptureInfo_v3(5 _ _ _ _ _ _) }",
			"{ hipStreamGetCaptureInfo_v2(5 _ _ _ _ _) }", node},
		{"CaptureID", func(b, _ backend.Backend) (any, error) { return b.CaptureID(stream) },
			"{ cuStreamGetCaptureInfo_v3(5 _ _ _ _ _ _) }",
			"{ hipStreamGetCaptureInfo(5 _ _) }", uint64(5)},
		{"Instantiate", func(b, _ backend.Backend) (any, error) { return b.Instantiate(graph) },
			"{ cuGraphGetNodes(60 nil _) cuGraphInstantiateWithFlags(_ 60 0) }",
			"{ hipGraphGetNodes(60 nil _) hipGraphInstantiateWithFlags(_ 60 0) }", exec},
		{"LaunchGraph", func(b, _ backend.Backend) (any, error) {
			return nil, b.LaunchGraph(stream, exec)
		}, "{ cuGraphLaunch(70 5) }", "{ hipGraphLaunch(70 5) }", nil},
		{"SetKernel", func(b, _ backend.Backend) (any, error) {
			p := frame(b)
			defer b.PutFrame(p)
			return nil, b.SetKernel(exec, node, function, &shape, p)
		}, "{ cuGraphExecKernelNodeSetParams_v2(70 d 15 [7 8 9 32 2 1 512] [5 6] [0 0]) }",
			"{ hipGraphExecKernelNodeSetParams(70 d 15 [7 8 9] [32 2 1] 512 [5 6]) }", nil},
		{"Update", func(b, _ backend.Backend) (any, error) { return nil, b.Update(exec, graph) },
			"{ cuGraphExecUpdate_v2(70 60 _) }", "{ hipGraphExecUpdate(70 60 _ _) }", nil},
		{"DestroyGraph", func(b, _ backend.Backend) (any, error) { return nil, b.DestroyGraph(graph) },
			"{ cuGraphDestroy(60) }", "{ hipGraphDestroy(60) }", nil},
		{"DestroyExec", func(b, _ backend.Backend) (any, error) { return nil, b.DestroyExec(exec) },
			"{ cuGraphExecDestroy(70) }", "{ hipGraphExecDestroy(70) }", nil},
	}
}

// trim knows the limits first.
func trim(b backend.Backend) error {
	if _, err := b.Limits(); err != nil {
		return err
	}
	return b.Trim()
}

// vendors runs a test for each, one after the other. A test that holds both libraries takes CUDA's
// first.
func vendors(t *testing.T, f func(*testing.T, *vendor, func(operation) string)) {
	t.Run("CUDA", func(t *testing.T) {
		f(t, nvidia, func(o operation) string { return o.cuda })
	})
	t.Run("HIP", func(t *testing.T) {
		f(t, amd, func(o operation) string { return o.hip })
	})
}

// withoutLimits drops the questions for attributes of devices from the calls.
func withoutLimits(calls string) string {
	return strings.TrimSpace(attribute.ReplaceAllString(calls, ""))
}

var attribute = regexp.MustCompile(`\b\w+DeviceGetAttribute\([^)]*\) ?`)

func TestCallsOfEachOperation(t *testing.T) {
	t.Parallel()
	vendors(t, func(t *testing.T, v *vendor, calls func(operation) string) {
		for _, o := range operations() {
			t.Run(o.name, func(t *testing.T) {
				r := record(t, v, v.newest)
				b, peer := r.devices(t)
				got, err := o.do(b, peer)
				require.NoError(t, err)
				assert.Equal(t, o.want, got)
				assert.Equal(t, calls(o), withoutLimits(r.took()))
				threads, _ := r.left()
				assert.Empty(t, threads)
			})
		}
	})
}

// Each call of each operation fails once: the error names it, the thread has its own context or
// device again, and what was created before is destroyed.
func TestEachCallFailsOnce(t *testing.T) {
	t.Parallel()
	vendors(t, func(t *testing.T, v *vendor, _ func(operation) string) {
		for _, o := range operations() {
			t.Run(o.name, func(t *testing.T) {
				r := record(t, v, v.newest)
				b, peer := r.devices(t)
				_, err := o.do(b, peer)
				require.NoError(t, err)
				_, alive := r.left()
				for n := 0; ; n++ {
					one, other := r.devices(t) // new ones, which remember nothing
					r.failing = map[int]int32{n: unknownError}
					_, err := o.do(one, other)
					calls := r.calls
					r.failing = nil
					threads, left := r.left()
					assert.Empty(t, threads, "after call %d fails", n)
					if n >= len(calls) {
						require.NoError(t, err)
						break
					}
					symbol := calls[n]
					if back := symbol == v.set && n > 0 && calls[n-1] != v.get; back {
						assert.NoError(t, err, "a failed restore is tried again")
						assert.Equal(t, alive, left)
						continue
					}
					if ends[o.name] && (symbol == v.get || symbol == v.set) {
						assert.NoError(t, err, "what ends an object tries again")
						continue
					}
					if strings.Contains(symbol, "CaptureMode") {
						assert.NoError(t, err, "the thread heeds captures then, no more")
						assert.Equal(t, alive, left)
						continue
					}
					var e *driver.Error
					require.ErrorAs(t, err, &e, "call %d, %s", n, symbol)
					assert.Equal(t, base(symbol), base(e.Call))
					assert.False(t, e.TookEffect)
					assert.True(t, errors.Is(err, cudrv.ErrUnknown) || errors.Is(err, hip.ErrUnknown))
					for what, count := range left {
						assert.LessOrEqual(t, count, 0, "%s is left after %s failed", what, symbol)
					}
				}
			})
		}
	})
}

// ends are the operations that end an object.
var ends = map[string]bool{"Free": true, "FreePinned": true, "Unload": true, "DestroyGraph": true,
	"DestroyExec": true}

// creates are the functions whose results are destroyed again.
var creates = map[string]bool{
	"cuModuleLoadData": true, "hipModuleLoadData": true, "cuModuleLoadDataEx": true,
	"cuMemAlloc": true, "hipMalloc": true, "cuMemAllocAsync": true, "hipMallocAsync": true,
	"cuMemHostAlloc": true, "hipHostMalloc": true,
	"cuStreamEndCapture": true, "hipStreamEndCapture": true,
	"cuGraphInstantiate": true, "hipGraphInstantiate": true,
	"cuGraphInstantiateWithFlags": true, "hipGraphInstantiateWithFlags": true,
}

// base is a function's name without its form.
func base(symbol string) string {
	for _, form := range []string{"_v2", "_v3"} {
		symbol = strings.TrimSuffix(symbol, form)
	}
	return symbol
}

// Who can't get a thread's own context back gets an error, and none of what was created.
func TestThreadThatIsNotRestored(t *testing.T) {
	t.Parallel()
	vendors(t, func(t *testing.T, v *vendor, _ func(operation) string) {
		for _, o := range operations() {
			t.Run(o.name, func(t *testing.T) {
				r := record(t, v, v.newest)
				b, peer := r.devices(t)
				_, err := o.do(b, peer)
				require.NoError(t, err)
				calls := r.calls
				backs := 0
				for n, symbol := range calls {
					if symbol != v.set || calls[n-1] == v.get {
						continue
					}
					backs++
					one, other := r.devices(t)
					r.failing = map[int]int32{n: unknownError, n + 1: unknownError}
					_, err := o.do(one, other)
					r.failing = nil
					var e *driver.Error
					require.ErrorAs(t, err, &e)
					assert.Equal(t, v.set, e.Call)
					assert.Equal(t, !creates[base(calls[n-1])], e.TookEffect)
					assert.Contains(t, e.Detail, "is current on this thread now instead of")
					_, left := r.left()
					for what, count := range left {
						assert.LessOrEqual(t, count, 0, what)
					}
				}
				if slices.Contains(calls, v.get) {
					assert.Positive(t, backs)
				}
			})
		}
	})
}
