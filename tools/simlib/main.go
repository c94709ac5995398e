// Command simlib builds shared libraries in which C programs and the vendors' own Python packages
// find the simulated GPUs of internal/testing/sim: libcuda.so.1 and libamdhip64.so, for
// linux/amd64 and linux/arm64. It needs a C compiler.
//
//	go run ./tools/simlib -o DIR                  # every profile
//	go run ./tools/simlib -o DIR -only cuda-13.5
//	go run ./tools/simlib -o DIR -arch arm64      # with the cross compiler of the distribution
//	LD_LIBRARY_PATH=DIR/cuda-13.5 ./a-c-program
//
// The folder DIR then holds a folder per profile, named as package sim names it, with a library
// under its vendor's name and a link with that name without a version, and libgpuevent-sim.so, in
// which the simulator is.
//
// A vendor's library is a small one in C and assembly, folder front. It exports what the header of
// its version declares, no more and no less. The first call of any function opens
// libgpuevent-sim.so, a Go library of build mode c-shared, folder core, and takes the addresses of
// the simulator's functions from it, to which the exported functions jump. So a process that uses
// both vendors' libraries has one Go runtime and one simulated machine, and a process that loads a
// library without calling it has neither. Functions that the simulator lacks return "not
// supported". What cuGetProcAddress says is what the front knows.
//
// # Environment
//
// GPUEVENT_SIM_DEVICES is the number of devices of each vendor, 2 if unset.
//
// GPUEVENT_SIM_REPORT names a file to which a process writes at its end what was called and how
// often, what of it the simulator lacks, and every use that would have crashed a real driver; %p in
// it stands for the number of the process.
//
// # Kernels
//
// The code of images is not run. Kernels of these names are Go functions of the library, see
// core/kernels.go: busy(unsigned long long nanoseconds), fill(unsigned n, unsigned value, unsigned
// *out), those of the conformance suite, among them saxpy(int n, float a, const float *x, float
// *y), and of the soak of compute. All others do nothing.
//
// # Limits
//
// The process that forks must do so before its first call, as with CUDA; calls of the child return
// 3 otherwise. There are no functions of old ABIs (cuMemAlloc of CUDA 3.1) and none with a default
// stream per thread (cuStreamQuery_ptsz), no cuGetExportTable, so the CUDA runtime does not work.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
)

func main() {
	out := flag.String("o", "", "the `folder` to write to")
	only := flag.String("only", "", "build these `profiles`, separated by commas")
	arch := flag.String("arch", runtime.GOARCH, "the `architecture` to build for")
	flag.Parse()
	if err := run(*out, *arch, *only); err != nil {
		fmt.Fprintln(os.Stderr, "simlib:", err)
		os.Exit(1)
	}
}

func run(out, arch, only string) error {
	if out == "" {
		return fmt.Errorf("no folder to write to: give -o")
	}
	profiles, err := choose(only)
	if err != nil {
		return err
	}
	paths, err := Build(out, arch, profiles)
	for _, p := range paths {
		fmt.Println(p)
	}
	return err
}

// choose returns the profiles of a list of names, all for an empty one.
func choose(list string) ([]Profile, error) {
	all := Profiles()
	if list == "" {
		return all, nil
	}
	var chosen []Profile
next:
	for _, name := range strings.Split(list, ",") {
		for _, p := range all {
			if p.Name() == name {
				chosen = append(chosen, p)
				continue next
			}
		}
		return nil, fmt.Errorf("no profile %q: there are %v", name, all)
	}
	return chosen, nil
}
