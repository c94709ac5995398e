package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/tools/gpukit/peers"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// unpack writes files of package peers into a new folder, and returns that of the device's kernels.
func (k *kit) unpack(device string, names ...string) (dir, kernels string, err error) {
	if dir, err = os.MkdirTemp(k.temp, "peers-"); err != nil {
		return "", "", err
	}
	kernels = peers.KernelsPTX
	if strings.HasPrefix(device, "hip:") {
		kernels = peers.KernelsHIP
	}
	for _, name := range append(names, kernels) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(peers.Text(name)), 0o600); err != nil {
			return "", "", err
		}
	}
	return dir, filepath.Join(dir, kernels), nil
}

// onPath returns the first of some programs that is installed.
func onPath(names ...string) (string, bool) {
	for _, name := range names {
		if name == "" {
			continue
		}
		if path, err := exec.LookPath(name); err == nil {
			return path, true
		}
	}
	return "", false
}

func (k *kit) twin(ctx context.Context, limit time.Duration, s *report.Step) {
	cc, ok := onPath(os.Getenv("CC"), "cc", "gcc", "clang")
	if !ok {
		s.Outcome, s.Reason = report.NotPossible, "there is no C compiler: install gcc or clang"
		return
	}
	dir, kernels, err := k.unpack(s.Device, peers.Twin)
	if err != nil {
		s.Outcome, s.Reason = report.Failed, err.Error()
		return
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "twin")
	began := time.Now()
	r := k.start(ctx, limit, cc, "-O2", "-o", program, filepath.Join(dir, peers.Twin), "-ldl", "-lm")
	if !k.judge(s, r) {
		return
	}
	if s.Outcome == report.Failed {
		// without its headers, for example
		s.Outcome, s.Reason = report.NotPossible, "the C program does not compile: "+s.Reason
		return
	}
	limit -= time.Since(began)
	k.figures(ctx, limit, s, program, "-device", s.Device, "-time", seconds(limit), "-kernels",
		kernels, "-out", answerFile)
}

func (k *kit) script(ctx context.Context, limit time.Duration, s *report.Step) {
	python, ok := onPath("python3", "python")
	if !ok {
		s.Outcome, s.Reason = report.NotPossible, "there is no Python"
		return
	}
	dir, kernels, err := k.unpack(s.Device, peers.Script)
	if err != nil {
		s.Outcome, s.Reason = report.Failed, err.Error()
		return
	}
	defer os.RemoveAll(dir)
	k.figures(ctx, limit, s, python, filepath.Join(dir, peers.Script), "-device", s.Device,
		"-time", seconds(limit), "-kernels", kernels, "-out", answerFile)
}

// seconds is the time that a program gets of its limit.
func seconds(limit time.Duration) string {
	return strconv.Itoa(max(int((limit - 2*grace).Seconds()), 1))
}

// length is the same for programs in Go.
func length(limit time.Duration) string { return fmt.Sprint(max(limit-2*grace, time.Second)) }
