// Package sim is a software GPU for tests: engines of package host behind C functions that speak
// the ABI of the CUDA driver and of the HIP runtime.
//
// A [Machine] has a number of CUDA devices and as many HIP devices. [Machine.InstallCUDA] and
// [Machine.InstallHIP] put its functions in the place of the vendor's library, so that packages
// cudrv and hip, and all that is built on them, reach it through the generated code and the real
// call path. What a machine answers, and which functions it exports, depends on the profile: the
// version of the driver that it plays.
//
// # Control
//
// A test holds streams up with [Machine.Gate], lets time pass with the clock of its choosing, makes
// calls fail with [Machine.FaultAt] and its kin, breaks devices, and then looks at what happened:
// calls and their order, live handles, the current context of each thread, misuse that would crash
// a real driver, calls that had to wait for a lock.
//
// # Fidelity
//
// Where the drivers differ, from each other, by version, or from what is reasonable, the code asks
// for a [Quirk]: the table of quirks says which versions have it, docs/driver-facts.md where that is
// known from. Both faces check what the vendors check and trust what they trust, except that an
// invalid handle gives 400, and is noted as a [Crash] where the real library would have followed the
// pointer; so is every other use after which that library would have read freed memory or waited
// for ever. Differences to know: kernels do not exist, memory is the host's, and a stream's work is
// host functions, memory operations, gates and delays.
//
// # Captures
//
// Captures and graphs stand above the engines, which know nothing of them. A stream that is
// captured adds nodes instead of using its queue; a launch lays the nodes on queues, one per branch.
//
// # Limits
//
// One driver per vendor is installed at a time; installs nest and are undone in reverse order. It
// serves one machine, or, as [Shared], several of one profile. C functions are made once per process
// and shared by all machines and profiles, for they can't be freed.
package sim
