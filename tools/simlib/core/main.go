// Command core is the simulator as a Go library for C, which the fronts of both vendors' libraries
// open. The comment of tools/simlib describes it.
package main

/*
#include <stdint.h>
*/
import "C"

import (
	"os"
	"strconv"
	"sync"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/libs"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// A Go library of this mode has a main function, which is not called.
func main() {}

// machine is the one that the process has, with the devices of both vendors.
var machine = sync.OnceValue(func() *sim.Machine {
	m := sim.NewMachine(options())
	addKernels(m)
	return m
})

// loaded are the versions of the libraries in the process.
var loaded sync.Map

//export simlib_begin
func simlib_begin(vendor, version *C.char) C.int {
	name, wanted := text(vendor), text(version)
	if was, known := loaded.LoadOrStore(name, wanted); known {
		return truth(was == wanted)
	}
	if name == "cuda" {
		machine().InstallCUDA(wanted)
	} else {
		machine().InstallHIP(wanted)
	}
	return 1
}

// simlib_enter does nothing: the runtime knows the calling thread after it.
//
//export simlib_enter
func simlib_enter() {}

//export simlib_find
func simlib_find(vendor, symbol *C.char) C.uintptr_t {
	library := &libs.HIP
	if text(vendor) == "cuda" {
		library = &libs.CUDA
	}
	name := text(symbol)
	if !library.Has(name) {
		return 0
	}
	address, _ := (&dl.Proc{Lib: library, Symbol: name}).Addr()
	return C.uintptr_t(address)
}

// text copies a text of C's.
func text(s *C.char) string { return ccall.TextAt(uintptr(unsafe.Pointer(s))) }

func truth(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// logLimit is how many of the latest calls the report has.
const logLimit = 1000

// options are those that the environment asks for.
func options() sim.Options {
	o := sim.Options{Log: reportPath() != "", LogLimit: logLimit}
	if n, err := strconv.Atoi(os.Getenv("GPUEVENT_SIM_DEVICES")); err == nil {
		if o.Devices = n; n == 0 {
			o.Devices = -1
		}
	}
	return o
}
