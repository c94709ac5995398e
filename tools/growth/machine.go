package main

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/tools/results/growth"
)

// machine describes where this runs, without a name of its own.
func machine() growth.Machine {
	return growth.Machine{
		CPU:      cpuModel(),
		Cores:    runtime.NumCPU(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Go:       runtime.Version(),
	}
}

// cpuModel is the processor's name, where the system is Linux.
func cpuModel() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		key, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(key) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return "an unknown processor"
}

// clockCost is what a reading of the clock takes, in nanoseconds. Every timed loop has one.
func clockCost() float64 {
	const n = 100_000
	var runs []float64
	for range 9 {
		began := time.Now()
		for range n {
			_ = time.Now()
		}
		runs = append(runs, float64(time.Since(began))/n)
	}
	slices.Sort(runs)
	return runs[len(runs)/2]
}
