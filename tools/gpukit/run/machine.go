package main

import (
	"net"
	"os"
	"os/user"
	"runtime"
	"strconv"
	"strings"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// machine is what the operating system says. What it does not say stays empty.
func machine() report.Machine {
	m := report.Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(),
		CPU: "a processor without a name"}
	cpu := read("/proc/cpuinfo")
	for _, key := range []string{"model name", "Model", "CPU part"} {
		if v := entry(cpu, key, ":"); v != "" {
			m.CPU = v
			if key == "CPU part" {
				m.CPU = "ARM part " + v + " of implementer " + entry(cpu, "CPU implementer", ":")
			}
			break
		}
	}
	// an emulator passes on the host's own file
	m.Emulated = runtime.GOARCH == "arm64" && entry(cpu, "vendor_id", ":") != ""
	if kib, _, ok := strings.Cut(entry(read("/proc/meminfo"), "MemTotal", ":"), " "); ok {
		n, _ := strconv.ParseUint(kib, 10, 64)
		m.Memory = n << 10
	}
	m.Kernel = strings.TrimSpace(read("/proc/sys/kernel/osrelease"))
	m.System = strings.Trim(entry(read("/etc/os-release"), "PRETTY_NAME", "="), `"`)
	load, _, _ := strings.Cut(read("/proc/loadavg"), " ")
	m.Load, _ = strconv.ParseFloat(load, 64)
	return m
}

func read(file string) string {
	text, _ := os.ReadFile(file)
	return string(text)
}

// entry is the value of the first line with a key.
func entry(text, key, separator string) string {
	for line := range strings.Lines(text) {
		k, v, ok := strings.Cut(line, separator)
		if ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// names are what must not get into the report: the machine's and the user's names, and folders.
func (k *kit) names() []string {
	names := []string{k.temp, k.dir, os.Getenv("USER"), os.Getenv("LOGNAME"),
		os.Getenv("SUDO_USER")}
	if host, err := os.Hostname(); err == nil {
		first, _, _ := strings.Cut(host, ".")
		names = append(names, host, first)
	}
	if u, err := user.Current(); err == nil {
		names = append(names, u.Username, u.Name, u.HomeDir)
	}
	if home, err := os.UserHomeDir(); err == nil {
		names = append(names, home)
	}
	if dir, err := os.Getwd(); err == nil {
		names = append(names, dir)
	}
	addresses, _ := net.InterfaceAddrs()
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() {
			names = append(names, n.IP.String())
		}
	}
	return names
}
