package driver

import (
	"os"
	"strconv"
	"strings"
)

// hostMemory returns the size of the machine's memory in bytes; 0 if the system does not tell.
func hostMemory() uint64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			size := strings.TrimSuffix(strings.TrimSpace(rest), "kB")
			kib, err := strconv.ParseUint(strings.TrimSpace(size), 10, 64)
			if err == nil {
				return kib << 10
			}
		}
	}
	return 0
}
