// Package amdsmi binds AMD's system management library, AMD SMI, without cgo: every function, type
// and constant of amdsmi.h, for GPUs, CPUs and network cards. It is generated from the headers of
// AMD SMI 24.5.2 (ROCm 6.1.2) and 27.1 (ROCm 10.1). The library is for Linux.
//
// # Names
//
// A C name loses its prefix and takes Go's case: amdsmi_get_gpu_metrics_info is
// [GetGpuMetricsInfo], amdsmi_processor_handle is [ProcessorHandle], AMDSMI_INIT_AMD_GPUS is
// [InitAmdGpus], AMDSMI_STATUS_NO_PERM is [ErrNoPerm]. Each doc comment contains the exact C name,
// so a search for it finds the Go name. Constants that C declares without the prefix begin with
// Old: CLK_TYPE_SYS of 24.5.2 is [OldClkTypeSys], and AMDSMI_CLK_TYPE_SYS is [ClkTypeSys]. Some of
// the old ones have other numbers.
//
// # Initialization
//
// Call [Init] before anything else but [StatusCodeToString], and [ShutDown] at the end. Keep one
// Init per process, in one place: the library does not count them reliably, and a ShutDown ends the
// library for all. Handles of sockets and processors die with it. Init prints lines of its own on
// the standard output and error streams of the process.
//
//	err := amdsmi.Init(amdsmi.InitAmdGpus)
//	if errors.Is(err, amdsmi.ErrDriverNotLoaded) { … } // no AMD GPU, or no driver
//
// Processors are found socket by socket: [GetSocketHandles], then [GetProcessorHandles].
//
// # Calls
//
// What C returns through pointers, Go returns as results; the last result is an error. A call that
// fails returns a [*CallError], which names the C function and wraps its [Result]: compare with
// errors.Is, not with ==.
//
// Arrays come with a count that is both input and output. Call with a nil array to get the number,
// then with an array of that size; the number may have grown in between. A handful of structs is
// large, up to half a megabyte: these the caller passes by pointer.
//
// What a GPU or driver does not offer is [ErrNotSupported], or a member with all bits set. Setters
// need root.
//
// # Versions
//
// AMD promises no compatibility between major versions: sizes of structs, numbers of enumerators
// and parameters of functions change under the same names, and nothing in a struct tells. So a
// function that takes a struct, or numbers that changed, works only with libraries of the major
// versions whose form the Go types have; with all others, newer ones too, it returns [ErrLayout]
// before it calls C. Most need major version 27, that of ROCm 10. Of the versions between 24.5.2
// and 27.1 no headers were read: what is the same in both is taken to be the same there.
// Functions that take handles and plain numbers work with every version that has them.
//
// # Loading
//
// Importing the package does nothing. The first call opens the library ([Load] describes the
// search), and each function is looked up at its first call. Without a library, calls return
// [ErrLibraryNotFound], as a [*LibraryError] with every path that was tried. A function that the
// library lacks returns [ErrSymbolNotFound]. See [Has] and [Since].
//
// # Threads and memory
//
// Functions may be called from several goroutines, but for Init and ShutDown. A call that blocks in
// C, such as [GetGpuEventNotification], blocks its OS thread.
//
// Handles are numbers that the garbage collector does not track. Go memory whose address is passed
// stays alive and in place during the call; the library keeps none of it. Some calls return memory
// of the library's: the text in [LibVersion], telemetry from [AllocFabricTelemetry], arrays from
// [GetGpuPmMetricsInfo] and [GetGpuRegTableInfo], which [FreeNameValues] frees, and
// [GpuMetrics].ApuMetrics, which belongs to the OS thread and is overwritten by its next such call.
package amdsmi
