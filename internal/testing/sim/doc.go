// Package sim simulates GPUs for tests: engines of package host behind C functions with the ABI of
// the CUDA driver and of the HIP runtime.
//
// A [Machine] has a number of CUDA devices and as many HIP devices. [Machine.InstallCUDA] and
// [Machine.InstallHIP] replace the vendor's library by its functions, so that packages cudrv and
// hip, and everything built on them, reach it through the generated code and the real call path.
// Its answers and the functions that it exports depend on the profile: the version of the driver
// that it simulates.
//
// # Control
//
// A test holds streams up with [Machine.Gate], lets time pass on a clock that it chooses, makes
// calls fail with [Machine.FaultAt] and the like, breaks devices, and then checks what happened:
// calls and their order, live handles, the current context of each thread, misuse that would crash
// a real driver, calls that had to wait for a lock.
//
// # Fidelity
//
// If drivers differ, from each other, by version, or from what one would expect, the code checks
// for a [Quirk]: the table of quirks says which versions have it, and docs/driver-facts.md has the
// source. Both APIs check what the vendors check and trust what they trust, except that an invalid
// handle returns 400, and is noted as a [Crash] where the real library would have followed the
// pointer; so is every other use after which that library would have read freed memory or waited
// forever. Differences to know: the code of kernels is not run, and the memory of devices is the
// host's.
//
// # Memory
//
// Memory of a device has addresses that the process can't follow, never the same twice. It is taken
// from the host when it is first used, and filled with nonsense then and when it is freed. Calls
// refuse ranges that are not all in one allocation. What is freed, or not yet allocated, when the
// work comes to it, ends the work's context with 700. Both count as misuse, and so does use of
// memory of a pool that is not in the order of the streams. Sizes are exact to the byte: drivers
// round up.
//
// # Kernels
//
// Package image tells which kernels and parameters an image has. A launch copies the parameters'
// values as the driver does; then it is work of its stream: the Go function that was given for the
// kernel's name with [Machine.Kernel], or nothing. How many blocks fit on a processor is computed
// from the limits of an H100 and an MI300X, without the rules by which they allocate registers.
// HIP on a CPU takes AMD's code objects here.
//
// # Captures
//
// Captures and graphs are implemented above the engines. A stream that is captured adds nodes
// instead of using its queue; a launch puts the nodes on queues, one per branch.
//
// # Limits
//
// One driver per vendor is installed at a time; installs nest and are undone in reverse order. It
// serves one machine, or, as [Shared], several of one profile. C functions can't be freed, so they
// are made once per process and shared by all machines and profiles.
package sim
