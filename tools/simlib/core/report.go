//go:build cgo

package main

import "C"

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// report is what a process writes at its end.
type report struct {
	Calls   map[string]int // by function
	Lacking map[string]int `json:",omitempty"` // of functions that are not simulated
	Latest  []string       // with their results, in the order of their ends
	Crashes []sim.Crash    `json:",omitempty"` // uses that would have crashed a real driver
	Misuse  []sim.Crash    `json:",omitempty"`
	Kernels []string       `json:",omitempty"` // why kernels failed
}

var (
	lackingMu sync.Mutex
	lacking   = map[string]int{}
)

//export simlib_lacking
func simlib_lacking(vendor, name *C.char, calls C.uint) {
	lackingMu.Lock()
	defer lackingMu.Unlock()
	lacking[text(name)] = int(calls)
}

// simlib_finish is called once by each library at the end of the process; the last one counts.
//
//export simlib_finish
func simlib_finish() {
	path := reportPath()
	if path == "" {
		return
	}
	m := machine()
	lackingMu.Lock()
	r := report{Calls: m.AllCalls(), Lacking: maps.Clone(lacking), Crashes: m.Crashes(),
		Misuse: m.Misuse()}
	lackingMu.Unlock()
	for _, c := range m.Log() {
		r.Latest = append(r.Latest, fmt.Sprintf("%s %d", c.Name, c.Code))
	}
	for _, err := range m.KernelFailures() {
		r.Kernels = append(r.Kernels, err.Error())
	}
	data, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		err = os.WriteFile(path, append(data, '\n'), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "simlib: no report:", err)
	}
}

// reportPath is where the report is wanted; "" if nowhere.
func reportPath() string {
	return strings.ReplaceAll(os.Getenv("GPUEVENT_SIM_REPORT"), "%p", strconv.Itoa(os.Getpid()))
}
