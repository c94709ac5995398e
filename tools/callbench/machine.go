package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// machine describes where this runs, without a name of its own.
func machine() report.Machine {
	return report.Machine{
		CPU:      cpuModel(),
		Cores:    runtime.NumCPU(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Go:       runtime.Version(),
		Compiler: compiler(),
	}
}

// cpuModel is the processor's name as Linux tells it.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(text)) {
		key, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(key) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return "unknown processor"
}

// compiler is the C compiler's name and version. cgo uses $CC, or gcc.
func compiler() string {
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "gcc"
	}
	version, err := exec.Command(cc, "-dumpfullversion", "-dumpversion").Output()
	if err != nil {
		return "unknown C compiler"
	}
	return filepath.Base(cc) + " " + strings.TrimSpace(string(version))
}
