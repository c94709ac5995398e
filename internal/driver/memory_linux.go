package driver

import (
	"os"
	"strconv"
	"strings"
)

// hostMemory reads the machine's total and free memory in bytes. Free is what programs can get
// without swapping, including the system's caches.
func hostMemory() (total, free uint64, ok bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, 0, false
	}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(line, ":")
		kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		if err != nil {
			continue
		}
		switch name {
		case "MemTotal":
			total = kib << 10
		case "MemAvailable":
			free = kib << 10
		}
	}
	return total, free, total != 0 && free != 0
}
