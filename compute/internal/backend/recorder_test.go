package backend_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute/internal/backend"
	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/driver"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/fake"
)

// words is the most arguments that a function of the recorder has.
const words = 11

// prototype is a C function of a recorder.
type prototype struct {
	// args has a letter for each argument:
	//
	//	o, i   a word or an int that the function writes, the next of its outputs
	//	p, d   a word or an int
	//	s      a text
	//	others as [formats] say
	args string
	// makes and ends name what the function creates or destroys; its handle is the first output or
	// the first argument.
	makes, ends string
	outside     bool // it needs no current device
	do          func(*recorder, *[words]uintptr) int32
}

// vendor is what differs between two recorders.
type vendor struct {
	api       *dl.Library
	profile   func(testing.TB, string) *fake.Library
	newest    string
	functions map[string]prototype
	outputs   map[string][]uint64
	// attributes of its devices
	attributes map[int]int32
	get, set   string
	devices    [2]uintptr // what is current for each device
	open       func(first, n int) ([]driver.Driver, error)

	mu      sync.Mutex
	slots   map[string]uintptr
	symbols map[string][]string
	now     atomic.Pointer[recorder]
}

// Codes that mean the same for both vendors.
const (
	invalidValue = 1
	noMemory     = 2
	notFound     = 500
	enabled      = 704 // peer access, already
	differs      = 910
	unknownError = 999
)

// theirs is what is current on a thread before a call.
const theirs = 0x77

// recorder is a vendor's library that notes its calls. It prints the entry of device 0 as "{" and
// of device 1 as "{1", and the return to the thread's own as "}". Between "[" and "]" the thread
// heeds no captures.
type recorder struct {
	v       *vendor
	lib     *fake.Library
	release string
	params  int      // how many parameters a launch has
	nodes   []uint64 // of a graph
	unknown []int    // attributes of functions
	// attributes of devices; all others are unknown
	attributes map[int]int32
	jit        map[uint32]uintptr // options of the last compilation, the logs left out
	text       string             // what it compiled
	errorLog   string
	jitCode    int32
	outputs    map[string][]uint64
	codes      map[string]int32 // of functions that fail
	failing    map[int]int32    // codes of calls that fail, by their number

	mu      sync.Mutex
	current map[uintptr]uintptr
	log     []string
	calls   []string // symbols
	alive   map[string]int
}

// record installs a recorder that plays a release without some of its functions.
func record(t *testing.T, v *vendor, release string, without ...string) *recorder {
	t.Helper()
	has := v.symbolsOf(t, release)
	r := &recorder{v: v, lib: fake.New("fake "+v.api.API+" "+release, has...), release: release,
		params: 2, codes: map[string]int32{},
		attributes: maps.Clone(v.attributes)}
	r.reset()
	for _, symbol := range has {
		if _, ok := v.functions[symbol]; ok {
			r.lib.Address(symbol, v.slot(symbol))
		}
	}
	r.lib.Drop(without...)
	r.lib.Install(t, v.api)
	v.now.Store(r)
	return r
}

// symbolsOf returns the functions of a release, which are read once.
func (v *vendor) symbolsOf(t *testing.T, release string) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.symbols == nil {
		v.symbols = map[string][]string{}
	}
	if v.symbols[release] == nil {
		lib := v.profile(t, release)
		defer lib.Close()
		v.symbols[release] = lib.Symbols()
	}
	return v.symbols[release]
}

// reset forgets the calls.
func (r *recorder) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current, r.alive = map[uintptr]uintptr{}, map[string]int{}
	r.log, r.calls = nil, nil
	r.outputs = maps.Clone(r.v.outputs)
}

// slot returns the C function of a symbol. There is one for all recorders of a vendor, of which one
// is installed at a time.
func (v *vendor) slot(symbol string) uintptr {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.slots == nil {
		v.slots = map[string]uintptr{}
	}
	if v.slots[symbol] == 0 {
		v.slots[symbol] = ccall.NewCallback(func(a, b, c, d, e, f, g, h, i, j, k uintptr) uintptr {
			return v.now.Load().called(symbol, &[words]uintptr{a, b, c, d, e, f, g, h, i, j, k})
		})
	}
	return v.slots[symbol]
}

// called is a call from C.
func (r *recorder) called(symbol string, a *[words]uintptr) uintptr {
	r.mu.Lock()
	defer r.mu.Unlock()
	code := r.codes[symbol]
	if at, ok := r.failing[len(r.calls)]; ok {
		code = at
	}
	r.calls = append(r.calls, symbol)
	thread := fake.ThreadID()
	now, ok := r.current[thread]
	if !ok {
		now = theirs
	}
	switch symbol {
	case r.v.get:
		if code == 0 {
			put(a[0], r.v.functions[symbol].args[0], uint64(now))
		}
		return uintptr(code)
	case r.v.set:
		if code == 0 {
			r.current[thread] = a[0]
		}
		r.log = append(r.log, r.place(a[0]))
		return uintptr(code)
	}
	f := r.v.functions[symbol]
	if strings.HasSuffix(symbol, "ThreadExchangeStreamCaptureMode") {
		mode := (*uint32)(ccall.Pointer(a[0]))
		r.log = append(r.log, map[uint32]string{0: "]", 2: "["}[*mode])
		*mode = 0
		return uintptr(code)
	}
	if !strings.HasSuffix(symbol, "GetVersion") { // asked for messages as well
		r.log = append(r.log, symbol+"("+r.print(f, a)+")")
	}
	if !f.outside && now != r.v.devices[0] && now != r.v.devices[1] {
		r.log = append(r.log, fmt.Sprintf("outside, in %#x", now))
	}
	if code == 0 {
		code = r.write(symbol, f, a)
	}
	if code != 0 {
		return uintptr(code)
	}
	if f.makes != "" {
		r.alive[f.makes]++
	}
	if f.ends != "" {
		r.alive[f.ends]--
	}
	return 0
}

func (r *recorder) place(now uintptr) string {
	switch now {
	case r.v.devices[0]:
		return "{"
	case r.v.devices[1]:
		return "{1"
	case theirs:
		return "}"
	}
	return fmt.Sprintf("{%#x", now)
}

// write writes the function's outputs, and returns its code.
func (r *recorder) write(symbol string, f prototype, a *[words]uintptr) int32 {
	if f.do != nil {
		return f.do(r, a)
	}
	out := r.outputs[symbol]
	for i, letter := range f.args {
		if letter != 'o' && letter != 'i' || len(out) == 0 {
			continue
		}
		put(a[i], byte(letter), out[0])
		out = out[1:]
	}
	return 0
}

// What some functions do depends on their arguments.

// version writes the release as the vendor counts it.
func (r *recorder) version(a *[words]uintptr) int32 {
	var major, minor uint64
	_, _ = fmt.Sscanf(r.release, "%d.%d", &major, &minor)
	if r.v.api == &libs.CUDA {
		put(a[0], 'i', 1000*major+10*minor)
	} else {
		put(a[0], 'i', 10_000_000*major+100_000*minor)
	}
	return 0
}

func (r *recorder) deviceGet(a *[words]uintptr) int32 { put(a[0], 'i', uint64(a[1])); return 0 }

func (r *recorder) retain(a *[words]uintptr) int32 {
	put(a[0], 'o', uint64(r.v.devices[a[1]]))
	return 0
}

func (r *recorder) attribute(a *[words]uintptr) int32 {
	v, ok := r.attributes[int(a[1])]
	if !ok {
		return invalidValue
	}
	put(a[0], 'i', uint64(v))
	return 0
}

// functionAttribute answers 100 and its number.
func (r *recorder) functionAttribute(a *[words]uintptr) int32 {
	if slices.Contains(r.unknown, int(a[1])) {
		return invalidValue
	}
	put(a[0], 'i', 100+uint64(a[1]))
	return 0
}

// param has two parameters: of 8 bytes at 0 and of 4 at 8.
func (r *recorder) param(a *[words]uintptr) int32 {
	if a[1] > 1 {
		return invalidValue
	}
	put(a[2], 'o', uint64(8*a[1]))
	put(a[3], 'o', uint64(8-4*a[1]))
	return 0
}

// compile notes the options, and writes the logs.
func (r *recorder) compile(a *[words]uintptr) int32 {
	options := unsafe.Slice((*uint32)(ccall.Pointer(a[3])), a[2])
	values := unsafe.Slice((*uintptr)(ccall.Pointer(a[4])), a[2])
	r.jit = map[uint32]uintptr{}
	for i, o := range options {
		r.jit[o] = values[i]
	}
	for buffer, log := range map[uint32]string{3: "ptxas info\n", 5: r.errorLog} {
		to := unsafe.Slice((*byte)(ccall.Pointer(r.jit[buffer])), r.jit[buffer+1])
		to[copy(to, log)] = 0
		delete(r.jit, buffer)
	}
	r.text = ccall.TextAt(a[1])
	put(a[0], 'o', 0x31)
	return r.jitCode
}

func (r *recorder) graphNodes(a *[words]uintptr) int32 {
	if a[1] != 0 {
		for i, n := range r.nodes {
			put(a[1]+uintptr(8*i), 'o', n)
		}
	}
	put(a[2], 'o', uint64(len(r.nodes)))
	return 0
}

// nodeType is the node's number.
func (r *recorder) nodeType(a *[words]uintptr) int32 { put(a[1], 'i', uint64(a[0])); return 0 }

func put(at uintptr, letter byte, v uint64) {
	if at == 0 {
		return
	}
	if letter == 'i' {
		*(*int32)(ccall.Pointer(at)) = int32(v)
		return
	}
	*(*uint64)(ccall.Pointer(at)) = v
}

func (r *recorder) print(f prototype, a *[words]uintptr) string {
	var all []string
	for i, letter := range f.args {
		text := "_"
		switch letter {
		case 'o', 'i', 'O': // the last is never written
		case 'p':
			text = fmt.Sprintf("%x", a[i])
		case 'd':
			text = fmt.Sprint(int32(a[i]))
		case 's':
			text = ccall.TextAt(a[i])
		default:
			text = formats[letter](r, ccall.Pointer(a[i]))
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

// at reads what lies at an offset.
func at[T any](p unsafe.Pointer, offset uintptr) T { return *(*T)(unsafe.Add(p, offset)) }

// formats print what arguments point to.
var formats = map[rune]func(*recorder, unsafe.Pointer) string{
	// an image or other memory of the host
	'I': func(_ *recorder, p unsafe.Pointer) string { return "at " + ccall.GoString(p)[:4] },
	// a pointer that is nil or not
	'n': func(_ *recorder, p unsafe.Pointer) string {
		if p == nil {
			return "nil"
		}
		return "list"
	},
	// the parameters of a launch
	'k': func(r *recorder, p unsafe.Pointer) string { return r.values(p) },
	// a pool's threshold
	't': func(_ *recorder, p unsafe.Pointer) string { return fmt.Sprintf("%x", at[uint64](p, 0)) },
	// access rights
	'a': func(_ *recorder, p unsafe.Pointer) string { return fmt.Sprint(at[[3]int32](p, 0)) },
	// a CUlaunchConfig
	'c': func(_ *recorder, p unsafe.Pointer) string {
		text := fmt.Sprint(at[[7]uint32](p, 0), " on ", at[uint64](p, 32))
		attributes := at[unsafe.Pointer](p, 40)
		for i := range uintptr(at[uint32](p, 48)) {
			text += fmt.Sprint(" ", at[uint32](attributes, 72*i), ":",
				at[[3]uint32](attributes, 72*i+8))
		}
		return text
	},
	// a CUDA_KERNEL_NODE_PARAMS
	'1': func(r *recorder, p unsafe.Pointer) string { return r.node(p) },
	// and its second form
	'2': func(r *recorder, p unsafe.Pointer) string {
		return r.node(p) + fmt.Sprint(" ", at[[2]uint64](p, 56))
	},
	// a hipKernelNodeParams
	'h': func(r *recorder, p unsafe.Pointer) string {
		return fmt.Sprint(at[uint64](p, 24), at[[3]uint32](p, 32), at[[3]uint32](p, 0),
			at[uint32](p, 56), " ") + r.values(at[unsafe.Pointer](p, 48))
	},
}

// node prints a CUDA_KERNEL_NODE_PARAMS.
func (r *recorder) node(p unsafe.Pointer) string {
	return fmt.Sprint(at[uint64](p, 0), at[[7]uint32](p, 8), " ") +
		r.values(at[unsafe.Pointer](p, 40))
}

// values prints the parameters of a launch, words all of them.
func (r *recorder) values(p unsafe.Pointer) string {
	if p == nil {
		return "nil"
	}
	values := []uint64{}
	for i := range uintptr(r.params) {
		values = append(values, *at[*uint64](p, 8*i))
	}
	return fmt.Sprint(values)
}

// took returns the calls since the last time.
func (r *recorder) took() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := strings.Join(r.log, " ")
	r.log, r.calls = nil, nil
	return text
}

// left returns what threads have that is not their own, and what is alive.
func (r *recorder) left() (threads []uintptr, alive map[string]int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, now := range r.current {
		if now != theirs {
			threads = append(threads, now)
		}
	}
	alive = map[string]int{}
	for what, n := range r.alive {
		if n != 0 {
			alive[what] = n
		}
	}
	return threads, alive
}

// devices opens the recorder's two devices.
func (r *recorder) devices(t *testing.T) (one, other backend.Backend) {
	t.Helper()
	ds, err := r.v.open(0, 2)
	require.NoError(t, err)
	one, err = backend.New(ds[0])
	require.NoError(t, err)
	other, err = backend.New(ds[1])
	require.NoError(t, err)
	for _, d := range ds {
		if in, ok := d.(driver.GPU); ok { // has a context from here on
			require.NoError(t, in.Enter(func() error { return nil }))
		}
	}
	r.reset()
	return one, other
}

// Memory of the drivers, which does not move.
var (
	nodesMemory  = [2]uint64{0xd, 0xe}
	pinnedMemory = [64]byte{0: 'p', 1: 'i', 2: 'n', 3: 's'}

	lastNodes = uintptr(unsafe.Pointer(&nodesMemory))
	pinned    = uintptr(unsafe.Pointer(&pinnedMemory))
)

var nvidia = &vendor{
	api: &libs.CUDA, profile: fake.CUDA, newest: "13.0",
	get: "cuCtxGetCurrent", set: "cuCtxSetCurrent",
	devices: [2]uintptr{0xc0, 0xc1}, open: driver.OpenCUDADevices,
	attributes: map[int]int32{1: 1024, 2: 1024, 3: 1024, 4: 64, 5: math.MaxInt32, 6: 65535, 7: 65535,
		8: 49152, 10: 32, 16: 132, 41: 1, 75: 9, 76: 0, 95: 1, 97: 232448, 115: 1, 120: 1},
	outputs: map[string][]uint64{
		"cuModuleLoadData": {0x30}, "cuModuleLoadDataEx": {0x31}, "cuModuleGetFunction": {0xf},
		"cuModuleGetGlobal_v2":                                 {0x9000, 64},
		"cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": {8},
		"cuOccupancyMaxPotentialBlockSizeWithFlags":            {264, 768},
		"cuOccupancyMaxActiveClusters":                         {16},
		"cuMemAlloc_v2":                                        {0xa000},
		"cuMemAllocAsync":                                      {0xb000},
		"cuMemHostAlloc":                                       {uint64(pinned)},
		"cuDeviceGetDefaultMemPool":                            {0x50}, "cuDeviceCanAccessPeer": {1},
		"cuStreamEndCapture": {0x60}, "cuGraphInstantiateWithFlags": {0x70},
		"cuGraphInstantiate_v2":     {0x71},
		"cuStreamGetCaptureInfo_v2": {1, 5, 0x60, uint64(lastNodes), 1},
		"cuStreamGetCaptureInfo_v3": {1, 5, 0x60, uint64(lastNodes), 1},
	},
	functions: map[string]prototype{
		"cuCtxGetCurrent":                   {args: "o", outside: true},
		"cuCtxSetCurrent":                   {args: "p", outside: true},
		"cuThreadExchangeStreamCaptureMode": {args: "p", outside: true},
		"cuDriverGetVersion":                {args: "i", outside: true, do: (*recorder).version},
		"cuDeviceGet":                       {args: "id", outside: true, do: (*recorder).deviceGet},
		"cuDevicePrimaryCtxRetain":          {args: "od", outside: true, do: (*recorder).retain},
		"cuDeviceGetAttribute":              {args: "idd", outside: true, do: (*recorder).attribute},
		"cuDeviceCanAccessPeer":             {args: "idd", outside: true},

		"cuModuleLoadData":     {args: "oI", makes: "module"},
		"cuModuleLoadDataEx":   {args: "oIdnn", makes: "module", do: (*recorder).compile},
		"cuModuleUnload":       {args: "p", ends: "module"},
		"cuModuleGetFunction":  {args: "ops"},
		"cuModuleGetGlobal_v2": {args: "oops"},
		"cuFuncGetAttribute":   {args: "idp", do: (*recorder).functionAttribute},
		"cuFuncSetAttribute":   {args: "pdd"},
		"cuFuncLoad":           {args: "p"},
		"cuFuncGetParamInfo":   {args: "pdoo", do: (*recorder).param},
		"cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": {args: "ipddd"},
		"cuOccupancyMaxPotentialBlockSizeWithFlags":            {args: "iippddd"},
		"cuOccupancyMaxActiveClusters":                         {args: "ipc"},

		"cuLaunchKernel":            {args: "pdddddddpkp"},
		"cuLaunchCooperativeKernel": {args: "pdddddddpk"},
		"cuLaunchKernelEx":          {args: "cpkp"},

		"cuMemAlloc_v2":             {args: "od", makes: "memory"},
		"cuMemFree_v2":              {args: "p", ends: "memory"},
		"cuMemHostAlloc":            {args: "odd", makes: "pinned"},
		"cuMemFreeHost":             {args: "I", ends: "pinned"},
		"cuDeviceGetDefaultMemPool": {args: "od"},
		"cuMemPoolSetAttribute":     {args: "pdt"},
		"cuMemPoolTrimTo":           {args: "pd"},
		"cuMemPoolSetAccess":        {args: "pad"},
		"cuMemAllocAsync":           {args: "odp", makes: "memory"},
		"cuMemFreeAsync":            {args: "pp", ends: "memory"},
		"cuMemcpyHtoDAsync_v2":      {args: "pIdp"},
		"cuMemcpyDtoHAsync_v2":      {args: "Ipdp"},
		"cuMemcpyDtoDAsync_v2":      {args: "ppdp"},
		"cuMemcpyPeerAsync":         {args: "ppppdp"},
		"cuMemsetD8Async":           {args: "pddp"},
		"cuMemsetD16Async":          {args: "pddp"},
		"cuMemsetD32Async":          {args: "pddp"},
		"cuCtxEnablePeerAccess":     {args: "pd"},

		"cuStreamBeginCapture_v2":           {args: "pd"},
		"cuStreamEndCapture":                {args: "po", makes: "graph"},
		"cuStreamGetCaptureInfo_v2":         {args: "pioooo"},
		"cuStreamGetCaptureInfo_v3":         {args: "pioooOo"},
		"cuGraphGetNodes":                   {args: "pno", do: (*recorder).graphNodes},
		"cuGraphNodeGetType":                {args: "pi", do: (*recorder).nodeType},
		"cuGraphInstantiateWithFlags":       {args: "opd", makes: "exec"},
		"cuGraphInstantiate_v2":             {args: "oponp", makes: "exec"},
		"cuGraphLaunch":                     {args: "pp"},
		"cuGraphDestroy":                    {args: "p", ends: "graph"},
		"cuGraphExecDestroy":                {args: "p", ends: "exec"},
		"cuGraphExecKernelNodeSetParams":    {args: "pp1"},
		"cuGraphExecKernelNodeSetParams_v2": {args: "pp2"},
		"cuGraphExecUpdate":                 {args: "ppoi"},
		"cuGraphExecUpdate_v2":              {args: "ppi"},
	},
}

var amd = &vendor{
	api: &libs.HIP, profile: fake.HIP, newest: "7.15",
	get: "hipGetDevice", set: "hipSetDevice",
	devices: [2]uintptr{0, 1}, open: driver.OpenHIPDevices,
	attributes: map[int]int32{56: 1024, 26: 1024, 27: 1024, 28: 1024, 29: math.MaxInt32, 30: 65536,
		31: 65536, 74: 65536, 63: 304, 87: 64, 10: 1, 88: 1, 85: 1},
	outputs: map[string][]uint64{
		"hipModuleLoadData": {0x30}, "hipModuleGetFunction": {0xf},
		"hipModuleGetGlobal": {0x9000, 64},
		"hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": {8},
		"hipModuleOccupancyMaxPotentialBlockSizeWithFlags":            {264, 768},
		"hipMalloc": {0xa000}, "hipMallocAsync": {0xb000}, "hipHostMalloc": {uint64(pinned)},
		"hipDeviceGetDefaultMemPool": {0x50}, "hipDeviceCanAccessPeer": {1},
		"hipStreamEndCapture": {0x60}, "hipGraphInstantiateWithFlags": {0x70},
		"hipStreamGetCaptureInfo":    {1, 5},
		"hipStreamGetCaptureInfo_v2": {1, 5, 0x60, uint64(lastNodes), 1},
	},
	functions: map[string]prototype{
		"hipGetDevice":                       {args: "i", outside: true},
		"hipSetDevice":                       {args: "d", outside: true},
		"hipThreadExchangeStreamCaptureMode": {args: "p", outside: true},
		"hipRuntimeGetVersion":               {args: "i", outside: true, do: (*recorder).version},
		"hipDriverGetVersion":                {args: "i", outside: true, do: (*recorder).version},
		"hipDeviceGetAttribute":              {args: "idd", outside: true, do: (*recorder).attribute},
		"hipDeviceCanAccessPeer":             {args: "idd", outside: true},

		"hipModuleLoadData":     {args: "oI", makes: "module"},
		"hipModuleUnload":       {args: "p", ends: "module"},
		"hipModuleGetFunction":  {args: "ops"},
		"hipStreamQuery":        {args: "p"},
		"hipModuleGetGlobal":    {args: "oops"},
		"hipFuncGetAttribute":   {args: "idp", do: (*recorder).functionAttribute},
		"hipKernelGetParamInfo": {args: "pdoo", do: (*recorder).param},
		"hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": {args: "ipddd"},
		"hipModuleOccupancyMaxPotentialBlockSizeWithFlags":            {args: "iipddd"},

		"hipModuleLaunchKernel":            {args: "pdddddddpkp"},
		"hipModuleLaunchCooperativeKernel": {args: "pdddddddpk"},

		"hipMalloc":                  {args: "od", makes: "memory"},
		"hipFree":                    {args: "p", ends: "memory"},
		"hipHostMalloc":              {args: "odd", makes: "pinned"},
		"hipHostFree":                {args: "I", ends: "pinned"},
		"hipDeviceGetDefaultMemPool": {args: "od"},
		"hipMemPoolSetAttribute":     {args: "pdt"},
		"hipMemPoolTrimTo":           {args: "pd"},
		"hipMemPoolSetAccess":        {args: "pad"},
		"hipMallocAsync":             {args: "odp", makes: "memory"},
		"hipFreeAsync":               {args: "pp", ends: "memory"},
		"hipMemcpyHtoDAsync":         {args: "pIdp"},
		"hipMemcpyDtoHAsync":         {args: "Ipdp"},
		"hipMemcpyDtoDAsync":         {args: "ppdp"},
		"hipMemcpyPeerAsync":         {args: "pdpddp"},
		"hipMemsetD8Async":           {args: "pddp"},
		"hipMemsetD16Async":          {args: "pddp"},
		"hipMemsetD32Async":          {args: "pddp"},
		"hipDeviceEnablePeerAccess":  {args: "dd"},

		"hipStreamBeginCapture":           {args: "pd"},
		"hipStreamEndCapture":             {args: "po", makes: "graph"},
		"hipStreamGetCaptureInfo":         {args: "pio"},
		"hipStreamGetCaptureInfo_v2":      {args: "pioooo"},
		"hipGraphGetNodes":                {args: "pno", do: (*recorder).graphNodes},
		"hipGraphNodeGetType":             {args: "pi", do: (*recorder).nodeType},
		"hipGraphInstantiateWithFlags":    {args: "opd", makes: "exec"},
		"hipGraphLaunch":                  {args: "pp"},
		"hipGraphDestroy":                 {args: "p", ends: "graph"},
		"hipGraphExecDestroy":             {args: "p", ends: "exec"},
		"hipGraphExecKernelNodeSetParams": {args: "pph"},
		"hipGraphExecUpdate":              {args: "ppoi"},
	},
}
