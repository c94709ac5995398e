// Package eventsim simulates GPUs for tests, so that code which uses package event can be tested
// on a machine without one: against two GPUs, kernels that fail, lost devices, memory that runs out
// and drivers of several versions.
//
//	func TestSchedulerSurvivesLostGPU(t *testing.T) {
//		m := eventsim.New(t, eventsim.Config{Devices: 2})
//		s := NewScheduler(m.Devices())
//		job := s.Start(...)
//		m.Lose(1, cudrv.ErrLaunchFailed)
//		...
//	}
//
// # Machines
//
// A [Machine] has devices, which are ordinary *event.Device values. Package event runs unchanged:
// its calls go through cudrv or hip into C functions of the simulator, which answer as the driver
// of the chosen version does, error codes and known faults included.
//
// Machines are independent: tests with a machine each may run in parallel. There are two limits.
// Machines of one backend that exist at the same time play the same version, for a process has one
// driver; [New] waits where a test running in parallel has another one. And devices of different
// machines can't wait for each other.
//
// # Work
//
// [Machine.Work] keeps a stream busy for a given time, [Machine.Gate] until the test opens the
// gate, and [Machine.FailWork] enqueues a kernel that fails. Streams, events, contexts, host
// functions, device memory and its limit, copies, fills, waits for values in memory, modules,
// launches and graphs of all these work as they do on a GPU. The code in an image is not run: a
// kernel is a Go function, from Source.Host of package compute or from [Machine.Kernel]. A launch
// of a kernel without one does nothing and fails the test. NVIDIA's simulated GPU has compute
// capability 9.0, AMD's is a gfx942: images for others are refused. A call of a function that the
// simulator lacks returns an error for which errors.Is with [cudrv.ErrSymbolNotFound] or
// [hip.ErrSymbolNotFound] holds.
//
// # Compilers
//
// While a machine exists, its vendor's compiler, NVRTC or hipRTC, is simulated as well, so that
// code which compiles its kernels can be tested without it. It finds the kernels in a C++ text and
// makes images that have them, for which [Machine.Kernel] gives the code. It checks that brackets
// match, and knows parameters that are numbers or pointers; the others it takes from the Go
// function, which Machine.Kernel or Source.Host has given. It has no preprocessor. All kernels have
// plain names, as in extern "C".
//
// # Time
//
// A machine's clock stands still until [Machine.Advance] moves it, so that elapsed times are exact
// and nothing depends on how fast the test runs. With Config.RealTime it is the system's clock, or
// one with an offset and a drift against it, as real devices have.
//
// Machines can't be made in a bubble of testing/synctest, and waits for devices panic there:
// package event polls drivers on the system's clock, which a bubble does not have. Tests with
// machines need no bubble, since Machine.Advance moves the time that devices have.
//
// # The process's devices
//
// [event.Default], [event.Devices] and [event.Open] don't find a machine's devices, unless it was
// made with Config.ProcessWide. Such a machine is alone: [New] waits for all others of its backend,
// and they wait for it. Packages cudrv and hip find a process-wide machine in all their functions.
// In another machine they find what a handle names and what is current on the thread, so they work
// inside [event.Device.Do]. But cudrv.Available, cudrv.DeviceGetCount and the like see a driver
// without devices, and device numbers differ from Device.Ordinal.
//
// While a backend is simulated, its real driver can't be reached: devices of package event that
// were found before return errors, and handles of the real driver are unknown. So tests on a real
// GPU don't run in parallel with tests on a simulated one of the same vendor in one process.
//
// # Platforms
//
// The package needs no vendor library. It supports linux, windows and darwin on amd64 and arm64.
// Its tests have been run on linux/amd64 only; on the others it is known to compile.
package eventsim
