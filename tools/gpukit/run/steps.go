package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// least is the time of the run that a step needs to begin.
const least = 3 * time.Second

// errUsedUp is the reason why steps at the end did not run.
var errUsedUp = errors.New("the time of the run is used up: -limit allows more")

// run does all steps. Costs and drivers' behaviour are the same for devices of a kind, so only the
// first of each is measured.
func (k *kit) run(ctx context.Context) {
	r := &k.report
	k.step(ctx, "gpuinfo", "", time.Minute, k.gpuinfo)
	k.step(ctx, "devices", "", time.Minute, func(ctx context.Context, s *report.Step) {
		do(ctx, k, s, "devices", &r.Devices)
	})
	if len(r.Devices) == 0 { // even this step failed
		r.Devices = []report.Device{{Name: report.Host, Backend: report.Host,
			Model: fmt.Sprintf("%d CPUs", r.Machine.Cores), Architecture: r.Machine.Arch}}
	}
	k.choose()
	for _, d := range r.Devices {
		k.step(ctx, report.Conformance, d.Name, 3*time.Minute, k.conformance)
	}
	some := firsts(r.Devices)
	gpus := slices.DeleteFunc(slices.Clone(some), func(d report.Device) bool {
		return d.Backend == report.Host
	})
	for _, d := range gpus {
		k.step(ctx, "facts", d.Name, 2*time.Minute, func(ctx context.Context, s *report.Step) {
			do(ctx, k, s, "facts", &r.Facts)
		})
	}
	for _, d := range some {
		k.step(ctx, "bench", d.Name, 2*time.Minute, func(ctx context.Context, s *report.Step) {
			do(ctx, k, s, "bench", &r.Figures)
		})
	}
	if len(gpus) == 0 {
		gpus = some // the host
	}
	if k.length == 0 {
		r.Reduced = strings.TrimPrefix(r.Reduced+"; -soak=0 left the soak out", "; ")
		gpus = nil
	}
	for _, d := range gpus {
		for _, part := range soakParts {
			length := time.Duration(float64(k.length) * part.share)
			k.step(ctx, part.name, d.Name, length+soakGrace, func(ctx context.Context, s *report.Step) {
				do(ctx, k, s, part.name, &r.Tallies)
				if n := len(r.Tallies); n > 0 && r.Tallies[n-1].Name == s.Name &&
					r.Tallies[n-1].Device == s.Device && len(r.Tallies[n-1].Failures) > 0 {
					s.Outcome, s.Reason, s.Text = report.Failed, "the soak has findings", ""
				}
			})
		}
	}
	if ctx.Err() != nil && r.Stopped == "" {
		r.Stopped = "it was interrupted"
	}
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
	r.Devices = slices.DeleteFunc(r.Devices, func(d report.Device) bool {
		return !slices.Contains(k.devices, d.Name)
	})
	r.Reduced = "-devices named " + strings.Join(k.devices, ",")
}

// firsts are the first device of each kind.
func firsts(all []report.Device) (some []report.Device) {
	for _, d := range all {
		same := func(o report.Device) bool {
			return o.Backend == d.Backend && o.Model == d.Model && o.API == d.API && o.Driver == d.Driver
		}
		if !slices.ContainsFunc(some, same) {
			some = append(some, d)
		}
	}
	return some
}

// step does one step and adds it to the report, unless the flag leaves out its kind, which is the
// first word of its name. Without the devices nothing else is known.
func (k *kit) step(ctx context.Context, name, device string, limit time.Duration,
	do func(context.Context, *report.Step)) {
	r := &k.report
	kind, _, _ := strings.Cut(name, " ")
	if len(k.steps) > 0 && !slices.Contains(k.steps, kind) && kind != "devices" {
		r.Reduced = "-steps named " + strings.Join(k.steps, ",")
		return
	}
	s := report.Step{Name: name, Device: device, Outcome: report.Passed}
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
		fmt.Fprintf(k.out, "%-36s ", name+" "+device)
		s.Limit = limit.Seconds()
		do(ctx, &s)
		s.Seconds = time.Since(began).Seconds()
		line := fmt.Sprintf("%s, %.1f s", s.Outcome, s.Seconds)
		if t := s.Tests; t != nil {
			line += fmt.Sprintf(", %d tests passed, %d failed, %d skipped", t.Passed, t.Failed, t.Skipped)
		}
		if s.Reason != "" {
			line += ": " + s.Reason
		}
		fmt.Fprintln(k.out, strings.ToValidUTF8(line[:min(len(line), 200)], ""))
	}
	r.Steps = append(r.Steps, s)
}

// judge notes how a process ended. It reports whether it did its work to the end.
func (k *kit) judge(s *report.Step, r result) bool {
	switch {
	case errors.Is(r.err, errUnkillable):
		s.Outcome, s.Reason = report.TimedOut, r.err.Error()
		k.report.Stopped = r.err.Error()
	case r.stopped:
		s.Outcome, s.Reason = report.NotRun, "it was interrupted"
		k.report.Stopped = s.Reason
	case r.timedOut:
		s.Outcome = report.TimedOut
		s.Reason = fmt.Sprintf("it did not end within %.0f s, and was killed", s.Limit)
		s.Text = tail(r)
	case errors.Is(r.err, fs.ErrNotExist):
		s.Outcome, s.Reason = report.Failed, "the kit is incomplete: "+r.err.Error()
	case r.err != nil:
		s.Outcome, s.Reason, s.Text = report.Failed, "it ended with "+r.err.Error(), tail(r)
	case r.status == statusNotPossible:
		s.Outcome, s.Reason = report.NotPossible, lastLine(r.stderr)
	case r.status != 0:
		s.Outcome, s.Text = report.Failed, tail(r)
		s.Reason = fmt.Sprintf("exit status %d: %s", r.status, lastLine(r.stderr))
		return true
	default:
		return true
	}
	return false
}

// tail is the end of a process's output.
func tail(r result) string { return shorten(strings.TrimSpace(r.stdout + "\n" + r.stderr)) }

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return "without a word"
	}
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// do runs a part of this program in a process of its own, and adds the list that it wrote to one of
// the report. The items that were written before a failure count too.
func do[T any](ctx context.Context, k *kit, s *report.Step, part string, into *[]T) {
	file := filepath.Join(k.temp, "answer.json")
	defer os.Remove(file)
	limit := s.Duration() - 2*grace
	if strings.HasPrefix(part, "soak") {
		limit = s.Duration() - soakGrace
	}
	r := k.start(ctx, s.Duration(), k.program("gpu-kit"), "-do", part, "-device", s.Device,
		"-out", file, "-time", max(limit, time.Second).String())
	ok := k.judge(s, r)
	var more []T
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &more)
	}
	*into = append(*into, more...)
	if err != nil && ok && s.Outcome == report.Passed {
		s.Outcome, s.Reason = report.Failed, "its answer can't be read: "+err.Error()
	}
}

func (k *kit) gpuinfo(ctx context.Context, s *report.Step) {
	r := k.start(ctx, s.Duration(), k.program("bin/gpuinfo"))
	k.judge(s, r)
	s.Text = tail(r)
}

// conformance runs the conformance suite of event and compute on a device.
func (k *kit) conformance(ctx context.Context, s *report.Step) {
	r := k.start(ctx, s.Duration(), k.program("bin/conformance"), "-test.run=^TestDevice$", "-test.v",
		"-test.timeout="+(s.Duration()-grace/2).String(), "-eventtest.device="+s.Device)
	if !k.judge(s, r) && r.stdout == "" {
		return
	}
	t := tests(r.stdout, s.Outcome != report.Passed)
	s.Tests, s.Text = &t, ""
	switch {
	case t.Failed > 0 && s.Outcome == report.Failed:
		s.Reason = fmt.Sprintf("%d tests failed", t.Failed)
		if strings.Contains(r.stderr, "goroutine ") {
			t.Failures[len(t.Failures)-1].Text += "\n" + shorten(r.stderr)
		}
	case s.Outcome == report.Failed:
		s.Text = tail(r)
	case s.Outcome == report.Passed && t.Passed == 0:
		s.Outcome, s.Reason, s.Text = report.Failed, "it ran no test", tail(r)
	}
}
