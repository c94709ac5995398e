package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/computesoak"
	"github.com/gpuevent/gpuevent/internal/testing/soak"
	"github.com/gpuevent/gpuevent/tools/gpukit/bench"
	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// errNotPossible is returned if the machine lacks what a part needs.
var errNotPossible = errors.New("not possible here")

// part is the work of a step that has a process of its own: a driver that crashes or hangs costs
// one step. Its list goes to a file as JSON.
type part struct {
	name, device, file, facts string
	limit                     time.Duration
}

// run does the part, and returns the exit status.
func (p part) run(stdout, stderr io.Writer) int {
	err := p.do(stdout)
	switch {
	case errors.Is(err, errNotPossible):
		fmt.Fprintln(stderr, strings.ReplaceAll(err.Error(), "\n", "; "))
		return statusNotPossible
	case err != nil:
		fmt.Fprintln(stderr, "gpu-kit:", err)
		return statusFailed
	}
	return 0
}

func (p part) do(stdout io.Writer) error {
	if p.name == "devices" {
		return p.write(devices())
	}
	for _, s := range soakParts {
		if s.name == p.name {
			return p.soak(s)
		}
	}
	d, err := event.Open(p.device)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotPossible, err)
	}
	switch p.name {
	case "facts":
		all, err := factsOf(d, p.facts)
		if err != nil {
			return err
		}
		return p.write(all)
	case "bench":
		return bench.Run(d, p.limit, stdout, func(all []report.Figure) error { return p.write(all) })
	}
	return fmt.Errorf("there is no part %q", p.name)
}

// write replaces the file.
func (p part) write(list any) error {
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	whole := filepath.Join(filepath.Dir(p.file), "."+filepath.Base(p.file)+".part")
	if err := os.WriteFile(whole, data, 0o600); err != nil {
		return err
	}
	return os.Rename(whole, p.file)
}

// devices are those of the machine, the host last.
func devices() (all []report.Device) {
	for _, d := range event.Devices() {
		x := report.Device{Name: d.String(), Backend: string(d.Backend()), Model: d.Name(),
			Architecture: d.Architecture()}
		switch d.Backend() {
		case event.CUDA:
			if v, err := cudrv.DriverVersion(); err == nil {
				x.API, x.Driver = "CUDA "+v.String(), firstLine("/sys/module/nvidia/version")
			}
			if h, err := cudrv.DeviceGet(int32(d.Ordinal())); err == nil {
				n, _ := cudrv.DeviceTotalMem(h)
				x.Memory = uint64(n)
			}
		case event.HIP:
			if v, err := hip.RuntimeVersion(); err == nil {
				x.API, x.Driver = "HIP "+v.String(), firstLine("/sys/module/amdgpu/version")
			}
			n, _ := hip.DeviceTotalMem(hip.Device(d.Ordinal()))
			x.Memory = uint64(n)
		}
		if x.Model == "" {
			x.Model = "unnamed"
		}
		x.Simulated = strings.HasPrefix(x.Model, "Simulated ")
		all = append(all, x)
	}
	return all
}

func firstLine(file string) string {
	line, _, _ := strings.Cut(read(file), "\n")
	return strings.TrimSpace(line)
}

// soakPart is a soak in a process of its own, since one that hangs can only be ended with its
// process. During captures in global mode drivers refuse most calls of all threads.
type soakPart struct {
	name    string
	share   float64 // of the time
	without []string
}

var soakParts = []soakPart{
	{"soak event without captures", 1. / 3, []string{"capture"}},
	{"soak event with captures", 1. / 6, []string{"global capture"}},
	{"soak event with global captures", 1. / 6, nil},
	{"soak compute", 1. / 3, nil},
}

// soakGrace is how much longer than its time a soak may take: to find that something hangs, and to
// close everything.
const soakGrace = 40 * time.Second

// soak uses event or compute at random, and holds every answer against a reference model.
func (p part) soak(s soakPart) error {
	t := report.Tally{Device: p.device, Name: p.name, Counts: map[string]int64{}}
	seed := uint64(time.Now().UnixNano()) >> 24
	began := time.Now()
	var wrong []string
	var config fmt.Stringer
	var impossible error
	if s.name == "soak compute" {
		r := computesoak.Run(computesoak.Config{Form: computesoak.Real, Devices: p.device, Seed: seed,
			Duration: p.limit})
		wrong, config, impossible = r.Wrong, r.Config, r.Impossible
		t.LeftOut, t.Seed = computesoak.LeftOut(), seed
		t.Counts["operations"] = r.Ops
		for kind, n := range r.Kinds {
			t.Counts[strings.ToLower(kind)] += n
		}
	} else {
		r := soak.Run(soak.Config{Form: soak.Real, Devices: p.device, Seed: seed, Duration: p.limit,
			Without: s.without})
		wrong, config, impossible = r.Wrong, r.Config, r.Impossible
		t.LeftOut, t.Seed = soak.LeftOut(), seed
		t.Counts = map[string]int64{"operations": r.Ops, "records": r.Records, "waits": r.Waits,
			"gates": r.Kinds["gate"], "captures": r.Kinds["capture"]}
	}
	for _, cause := range []error{soak.ErrOpen, soak.ErrNoGate, computesoak.ErrOpen,
		computesoak.ErrNoGate, compute.ErrNotInstalled} {
		if errors.Is(impossible, cause) {
			return fmt.Errorf("%w: %w", errNotPossible, impossible)
		}
	}
	for _, text := range wrong {
		t.Failures = append(t.Failures, report.Failure{Name: p.name + " " + p.device,
			Text: text + "\nrepeat with " + config.String()})
	}
	t.Seconds = time.Since(began).Seconds()
	return p.write([]report.Tally{t})
}
