package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// stepNames are the kinds of steps, in their order.
var stepNames = []string{"gpuinfo", "devices", "others", "libraries", report.Conformance, "facts",
	"bench", "peers", "soak"}

// least is what has to be left of the run's time for a step to begin.
const least = 3 * time.Second

// errUsedUp is the reason why steps at the end did not run.
var errUsedUp = errors.New("the time of the run is used up: -limit allows more")

// run does all steps.
func (k *kit) run(ctx context.Context) {
	r := &k.report
	k.step(ctx, "gpuinfo", "", time.Minute, k.gpuinfo)
	k.step(ctx, "devices", "", time.Minute, k.askDevices)
	if len(r.Devices) == 0 {
		r.Devices = []report.Device{hostAlone(r.Machine)}
	}
	k.step(ctx, "others", "", time.Minute, k.askOthers)
	for _, api := range libraries {
		k.step(ctx, "libraries "+api, "", time.Minute, k.library(api))
	}
	k.choose()
	devices := r.Devices
	for _, d := range devices {
		k.step(ctx, report.Conformance, d.Name, 3*time.Minute, k.conformance)
	}
	some := firsts(devices)
	gpus := slices.DeleteFunc(slices.Clone(some), func(d report.Device) bool {
		return d.Backend == report.Host
	})
	if len(gpus) == 0 {
		for _, name := range []string{"facts", "peers"} {
			k.step(ctx, name, "", time.Minute, noGPU)
		}
	}
	for _, d := range gpus {
		k.step(ctx, "facts", d.Name, 2*time.Minute, k.facts)
	}
	for _, d := range some {
		k.step(ctx, "bench", d.Name, 2*time.Minute, k.bench)
	}
	for _, d := range gpus {
		k.step(ctx, "peers C", d.Name, 2*time.Minute, k.twin)
	}
	if len(gpus) > 0 {
		k.soaks(ctx, gpus)
	} else {
		k.soaks(ctx, some) // the host
	}
	for _, d := range gpus { // last: packages of Python can take long to load
		k.step(ctx, "peers Python", d.Name, 3*time.Minute, k.script)
	}
	if ctx.Err() != nil && r.Stopped == "" {
		r.Stopped = "it was interrupted"
	}
}

// hostAlone stands for the devices if even asking for them failed.
func hostAlone(m report.Machine) report.Device {
	return report.Device{Name: report.Host, Backend: report.Host,
		Model: fmt.Sprintf("%d CPUs", m.Cores), Architecture: m.Arch}
}

// choose keeps the devices that the flag names.
func (k *kit) choose() {
	if len(k.devices) == 0 {
		return
	}
	r := &k.report
	for _, name := range k.devices {
		if !slices.ContainsFunc(r.Devices, func(d report.Device) bool { return d.Name == name }) {
			r.Steps = append(r.Steps, report.Step{Name: "devices", Outcome: report.Failed,
				Reason: fmt.Sprintf("-devices names %s, and there is no such device", name)})
		}
	}
	kept := slices.DeleteFunc(slices.Clone(r.Devices), func(d report.Device) bool {
		return !has(k.devices, d.Name)
	})
	if len(kept) == 0 {
		return // the failure says so
	}
	r.Devices = kept
	r.Others = slices.DeleteFunc(r.Others, func(o report.Other) bool {
		return !has(k.devices, o.Device)
	})
	r.Reduced = "-devices named " + k.devices.String()
}

// firsts are the first device of each kind: what drivers do and what calls cost is the same for
// others of the kind.
func firsts(all []report.Device) (some []report.Device) {
	for _, d := range all {
		same := func(o report.Device) bool {
			return o.Backend == d.Backend && o.Model == d.Model && o.Driver == d.Driver
		}
		if !slices.ContainsFunc(some, same) {
			some = append(some, d)
		}
	}
	return some
}

func noGPU(_ context.Context, _ time.Duration, s *report.Step) {
	s.Outcome, s.Reason = report.NotPossible, "there is no usable GPU"
}

func (k *kit) soaks(ctx context.Context, devices []report.Device) {
	if k.length == 0 {
		k.report.Reduced = strings.TrimPrefix(k.report.Reduced+"; -soak=0 left the soak out", "; ")
		return
	}
	for _, d := range devices {
		k.step(ctx, "soak", d.Name, k.length+time.Minute, k.soak)
	}
}

// work fills in a step. It gets the time that is left for it.
type work func(ctx context.Context, limit time.Duration, s *report.Step)

// step does one and adds it to the report, unless the flag leaves out its kind, which is the first
// word of its name. Without the devices nothing else is known.
func (k *kit) step(ctx context.Context, name, device string, limit time.Duration, do work) {
	r := &k.report
	kind, _, _ := strings.Cut(name, " ")
	if len(k.steps) > 0 && !has(k.steps, kind) && kind != "devices" {
		r.Reduced = "-steps named " + k.steps.String()
		return
	}
	s := report.Step{Name: name, Device: device, Outcome: report.Passed}
	title := strings.TrimSpace(name + " " + device)
	limit = min(limit, time.Until(k.end))
	began := time.Now()
	switch {
	case r.Stopped != "":
		s.Outcome, s.Reason = report.NotRun, "the run ended before: "+r.Stopped
	case ctx.Err() != nil:
		r.Stopped = "it was interrupted"
		s.Outcome, s.Reason = report.NotRun, r.Stopped
	case limit < least:
		s.Outcome, s.Reason = report.NotRun, errUsedUp.Error()
		r.Reduced = errUsedUp.Error()
	default:
		fmt.Fprintf(k.out, "%-22s ", title)
		s.Limit = limit.Seconds()
		do(ctx, limit, &s)
		s.Seconds = time.Since(began).Seconds()
		fmt.Fprintln(k.out, progress(s))
	}
	r.Steps = append(r.Steps, s)
}

// progress is a step's end in one line.
func progress(s report.Step) string {
	line := fmt.Sprintf("%s, %.1f s", s.Outcome, s.Seconds)
	if t := s.Tests; t != nil {
		line += fmt.Sprintf(", %d tests passed, %d failed, %d skipped", t.Passed, t.Failed, t.Skipped)
	}
	if s.Reason != "" {
		line += ": " + s.Reason
	}
	if len(line) > lineLength {
		line = strings.ToValidUTF8(line[:lineLength], "") + "..."
	}
	return line
}

// lineLength is how much of a reason is shown while the kit runs; the report has all.
const lineLength = 200
