// Package backend is what package compute needs of a device: images, launches, memory and graphs,
// over the CUDA driver, the HIP runtime and the host's engine.
//
// A backend checks nothing that package compute has checked, and keeps no account. Each call enters
// the device's own context or device and restores the thread's. Errors are those of
// internal/driver: [driver.Error] for a failed call, [driver.Refusal] for what a driver lacks.
package backend

import (
	"fmt"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/image"
	"github.com/gpuevent/gpuevent/internal/kernel"
)

// Module is a loaded image, Function a kernel of it.
type (
	Module   struct{ Word uintptr }
	Function struct {
		Word uintptr
		Host *kernel.Func
	}
)

// Graph is a captured graph, Exec one that can be launched, Node a node of it.
type (
	Graph struct {
		Word uintptr
		Host any
	}
	Exec struct {
		Word uintptr
		Host any
	}
	Node struct {
		Word uintptr
		Host any
	}
)

// Config is the shape of a launch.
type Config struct {
	Grid, Block kernel.Dim
	Cluster     kernel.Dim // zero: none
	Shared      uint32     // dynamic shared memory per block, in bytes
	Cooperative bool
}

// Limits are what launches on a device are checked against. 0 means not known.
type Limits struct {
	Grid, Block       kernel.Dim
	Threads           uint32 // per block
	Shared            uint32 // per block, in bytes, without asking for more
	SharedMost        uint32 // per block, in bytes, for functions that ask for it
	Processors        uint32
	Warp              uint32
	Clusters          bool
	Cooperative       bool
	Pools             bool   // memory can be allocated in stream order
	GridTimesBlock    uint64 // most threads along one axis; AMD only
	ParameterBytes    uint32
	Major, Minor      int // compute capability; NVIDIA only
	DriverMajor       int // the CUDA release that the driver is for; NVIDIA only
	DriverMinor       int
	CanUpdateKernels  bool // of an instantiated graph
	FreesGraphMemory  bool // auto free on launch
	PointersAreShared bool // pinned memory has one address on host and device
}

// Attributes of a function. -1 means not known.
type Attributes struct {
	Registers    int // per thread
	Shared       int // static, per block, in bytes
	Local        int // per thread, in bytes
	Constant     int // in bytes
	MaxThreads   int // per block
	SharedMost   int // dynamic, per block, in bytes, as set at present
	BinaryTarget int // as in 90 for sm_90; NVIDIA only
}

// JIT are the options of a compilation by the driver at load time. Zero values are the driver's
// own.
type JIT struct {
	MaxRegisters int
	Optimization int // 1 to 4, -1 for none
	LineInfo     bool
	Debug        bool
}

// Backend is one device.
type Backend interface {
	Limits() (Limits, error)

	// Load loads an image. The image must stay as it is, in memory that does not move, until the
	// module is unloaded. The log is the driver's, of compiling PTX; it is set also if loading
	// fails.
	Load(image []byte, o JIT) (m Module, log string, err error)
	Unload(Module) error
	Function(m Module, name string) (Function, error)
	Global(m Module, name string) (address, bytes uintptr, err error)
	// Params returns what the driver tells of a function's parameters; ok is false if it can't.
	Params(Function) (params []image.Param, ok bool, err error)
	Attributes(Function) (Attributes, error)
	// AllowShared raises the limit of dynamic shared memory of a function.
	AllowShared(f Function, bytes int) error
	// Ready loads a function that the driver would otherwise load at its first launch.
	Ready(Function) error
	// Occupancy returns how many blocks run on a processor at once.
	Occupancy(f Function, threads, shared int) (int, error)
	// Suggest returns the block with the best occupancy, and the least grid that fills the device.
	Suggest(f Function, shared, limit int) (blocks, threads int, err error)
	// Clusters returns how many clusters run on the device at once.
	Clusters(f Function, c *Config) (int, error)

	// Frame returns memory for a launch, and PutFrame takes it back.
	Frame() *Frame
	PutFrame(*Frame)
	// Launch enqueues a launch with the frame's parameters, which are read during the call.
	Launch(s driver.Object, f Function, c *Config, p *Frame) error

	Alloc(bytes uintptr) (address uintptr, err error)
	Free(address uintptr) error
	// AllocOn and FreeOn do it in the order of a stream. See Limits.Pools.
	AllocOn(s driver.Object, bytes uintptr) (address uintptr, err error)
	FreeOn(s driver.Object, address uintptr) error
	// Trim gives the memory that the driver keeps for reuse back.
	Trim() error
	AllocPinned(bytes uintptr) (unsafe.Pointer, error)
	FreePinned(unsafe.Pointer) error

	// CopyIn, CopyOut and Copy enqueue copies from the host, to the host and on the device. The
	// host's memory must stay until the copy is done, unless the backend blocks until then.
	CopyIn(s driver.Object, to uintptr, from unsafe.Pointer, bytes uintptr) error
	CopyOut(s driver.Object, to unsafe.Pointer, from uintptr, bytes uintptr) error
	Copy(s driver.Object, to, from, bytes uintptr) error
	// CopyPeer enqueues a copy between two devices of one vendor, on a stream of this one.
	CopyPeer(s driver.Object, to uintptr, toDevice Backend, from uintptr, fromDevice Backend,
		bytes uintptr) error
	// CanPeer reports whether this device can read another's memory, and Peer enables it.
	CanPeer(other Backend) (bool, error)
	Peer(other Backend) error
	// Fill enqueues writing count values of 1, 2 or 4 bytes.
	Fill(s driver.Object, at uintptr, value uint32, size, count uintptr) error

	// BeginCapture begins a capture of the stream that is ended by the calling thread only, and
	// that no other thread's calls disturb. Lock the thread.
	BeginCapture(s driver.Object) error
	EndCapture(s driver.Object) (Graph, error)
	// CaptureID returns a number that all streams of the capture share, which the stream is part of.
	CaptureID(s driver.Object) (uint64, error)
	// Last returns the node that the capture on the stream has just added.
	Last(s driver.Object) (Node, error)
	Instantiate(Graph) (Exec, error)
	LaunchGraph(s driver.Object, x Exec) error
	// SetKernel changes the launch of a kernel node for later launches of the graph.
	SetKernel(x Exec, n Node, f Function, c *Config, p *Frame) error
	// Update makes an executable graph one like g; ErrDiffers if the driver can't.
	Update(x Exec, g Graph) error
	DestroyGraph(Graph) error
	DestroyExec(Exec) error
}

// New returns the backend of a device. It makes no driver call.
func New(d driver.Driver) (Backend, error) {
	gpu, _ := d.(driver.GPU)
	switch name := d.Info().Backend; {
	case name == driver.CUDA && gpu != nil:
		return newCUDA(gpu), nil
	case name == driver.HIP && gpu != nil:
		return newHIP(gpu), nil
	case name == driver.Host:
		return NewHost(d), nil
	default:
		return nil, &driver.Refusal{Cause: driver.ErrUnsupported,
			Detail: fmt.Sprintf("devices of backend %s run no kernels", name)}
	}
}
