// Package nvml binds the whole NVIDIA Management Library, without cgo: every function, type and
// constant of nvml.h, which read and set the state of GPUs: utilization, memory, temperature,
// power, clocks, errors, processes, MIG and vGPUs. It is generated from the headers of all
// releases since CUDA 11.7.
//
// # Initialization
//
// [Init] comes first, [Shutdown] last. The library counts: each Init needs one Shutdown, and only
// the last one ends it, so independent parts of a program can each do their own pair. After the
// last one, all handles are invalid. Without Init, calls return [ErrUninitialized], but
// [SystemGetNVMLVersion] and [ErrorString] work.
//
// # Names
//
// A C name loses its prefix and suffix: nvmlDeviceGetName is [DeviceGetName], nvmlDevice_t is
// [Device], NVML_TEMPERATURE_GPU is [TemperatureGpu], NVML_ERROR_NOT_SUPPORTED is
// [ErrNotSupported]. Each doc comment contains the exact C name, so a search for it finds the Go
// name. A Go name always means the same exported symbol.
//
// Some functions exist in several versions. The plain Go name is what the plain C name means to a
// C program: [Init] is nvmlInit_v2, because nvml.h renames it. The older forms are there, too:
// [InitV1], [DeviceGetComputeRunningProcessesV2]. Where C has a plain function beside later ones,
// the plain name is the first form: [DeviceGetMemoryInfo] and [DeviceGetMemoryInfoV2].
//
// # Calls
//
// What C returns through pointers, Go returns as results; the last result is an error. A call that
// fails returns a [*CallError], which names the C function and wraps its [Result]:
//
//	power, err := nvml.DeviceGetPowerUsage(dev)
//	if errors.Is(err, nvml.ErrNotSupported) { … }
//
// So compare with errors.Is, not with ==. Few devices have all sensors: take [ErrNotSupported] as
// an absent value, not as a failure. Repeated errors allocate nothing.
//
// # Structs with a version
//
// Many structs begin with a member Version, which says how large the caller's struct is. If it is
// wrong, the call returns [ErrArgumentVersionMismatch], and so it does if the driver is older than
// the struct. Each such struct has a constructor that sets it:
//
//	mem := nvml.NewMemoryV2()
//	err := nvml.DeviceGetMemoryInfoV2(dev, &mem)
//
// A plain name such as [Temperature] is another name of the version that the newest header calls
// so. Use the name with the number in code that is to stay as it is.
//
// # Arrays
//
// Where C fills an array, the count beside it is read and written: the length of the array before
// the call, the number of elements behind it. If the array is too small, the call returns
// [ErrInsufficientSize] and stores the number needed, and because processes and instances come and
// go, the next call may need more. [List] does that loop:
//
//	procs, err := nvml.List(func(n *uint32, first *nvml.ProcessInfo) error {
//		return nvml.DeviceGetComputeRunningProcesses(dev, n, first)
//	})
//
// Structs that point to an array of the caller, such as [ProcessDetailListV1], work likewise.
// Their member is an ordinary Go pointer, and the array may be local.
//
// Some drivers R535 fill [ProcessInfo] arrays with elements of another size. If process ids look
// implausible, ask with [DeviceGetComputeRunningProcessesV2] or
// [DeviceGetRunningProcessDetailList].
//
// # Fields
//
// [DeviceGetFieldValues] reads many values in one call. Each element has its own result in
// NvmlReturn, and its ValueType says which member of Value holds the number. The headers of CUDA
// 12.5, 12.6 and 12.9 gave some fields other numbers; the comments of the constants say which.
//
// # Loading
//
// Importing the package does nothing. The first call opens the library, which comes with the
// driver ([Load] describes the search), and each function is looked up at its first call. Without
// a library, calls return [ErrLibraryNotFound], as a [*LibraryError] with every path that was
// tried; with a library but no driver, Init returns [ErrDriverNotLoaded]. [IsNoDevice] is true for
// both. A function that an older driver lacks returns [ErrSymbolNotFound], which names the CUDA
// releases between which it was introduced. See [Has], [Since], [Available].
//
// # Threads
//
// NVML has no current device. All functions are safe for concurrent use. A call that blocks in C
// blocks its OS thread: give [EventSetWait] a time limit. [DeviceSetCpuAffinity] binds an OS
// thread, so lock the goroutine to its thread first.
//
// # Memory
//
// Handles are numbers that the garbage collector does not track: free what you create. Go memory
// whose address is passed stays alive and in place during the call; the library keeps none of it.
package nvml
