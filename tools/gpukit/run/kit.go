package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// kit is one run.
type kit struct {
	options
	out    io.Writer // where progress is shown
	dir    string    // the folder of the kit
	temp   string    // the run's folder for what steps leave; removed at the end
	began  time.Time
	end    time.Time
	grace  time.Duration // from being asked to end to being killed
	report report.Report
}

// errIncomplete is returned if a program of the kit is missing.
var errIncomplete = errors.New("the kit is incomplete: unpack the archive again, and start " +
	"./gpu-kit in its folder")

// open makes a kit whose other programs lie in the folder bin beside this one.
func open(o options, out io.Writer) (*kit, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return nil, err
	}
	return openAt(filepath.Dir(self), o, out)
}

func openAt(dir string, o options, out io.Writer) (*kit, error) {
	k := &kit{options: o, out: out, dir: dir, began: time.Now(), grace: grace}
	if _, err := os.Stat(k.program("bin/conformance")); err != nil {
		return nil, fmt.Errorf("%w (%w)", errIncomplete, err)
	}
	k.end = k.began.Add(o.limit)
	var err error
	if k.temp, err = os.MkdirTemp("", "gpu-kit-"); err != nil {
		return nil, err
	}
	k.report = report.Report{Kit: version, Began: k.began.UTC().Truncate(time.Second),
		Limit: o.limit.Seconds(), Machine: machine()}
	return k, nil
}

func (k *kit) program(name string) string { return filepath.Join(k.dir, filepath.FromSlash(name)) }

// close removes the files of the run.
func (k *kit) close() { _ = os.RemoveAll(k.temp) }

// write writes the report and its page.
func (k *kit) write() error {
	r := &k.report
	r.Seconds = time.Since(k.began).Seconds()
	report.NewScrub(k.names()...).Report(r)
	data, err := r.JSON()
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"gpu-kit.json": data,
		"gpu-kit.md": []byte(r.Markdown())} {
		if err := os.WriteFile(filepath.Join(k.folder, name), text, 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintln(k.out)
	for _, line := range r.Verdict() {
		fmt.Fprintln(k.out, line)
	}
	fmt.Fprintln(k.out, "gpu-kit.md is the page; gpu-kit.json is the file to send.")
	return nil
}

// failed reports whether a step failed.
func (k *kit) failed() bool {
	return slices.ContainsFunc(k.report.Steps, func(s report.Step) bool {
		return s.Outcome == report.Failed || s.Outcome == report.TimedOut
	})
}

// stepNames are the kinds of steps, in their order.
var stepNames = []string{"gpuinfo", "devices", report.Conformance, "facts", "bench", "soak"}

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
