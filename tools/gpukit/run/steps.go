package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// statusNotPossible is how the kit's programs say that the machine lacks what they need. The reason
// is the last line of the error output.
const statusNotPossible = 3

// libraries are the APIs to look for.
var libraries = []string{"cuda", "nvrtc", "nvml", "nccl", "hip", "hiprtc", "amdsmi", "rccl"}

// longestText is what is kept of a step's output.
const longestText = 32 << 10

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
		s.Outcome = report.NotPossible
		s.Reason = strings.TrimPrefix(lastLine(r.stderr), "not possible here: ")
	case r.status != 0:
		s.Outcome, s.Reason = report.Failed, fmt.Sprintf("exit status %d: %s", r.status,
			lastLine(r.stderr))
		s.Text = tail(r)
		return true
	default:
		return true
	}
	return false
}

// tail is the end of what a process printed.
func tail(r result) string { return shorten(strings.TrimSpace(r.stdout + "\n" + r.stderr)) }

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	if text == "" {
		return "without a word"
	}
	return text
}

// answerFile stands in a program's arguments for the file that it writes JSON to.
const answerFile = "<answer>"

// answer runs a program and reads the JSON that it wrote. What was written before a failure counts
// too.
func (k *kit) answer(ctx context.Context, limit time.Duration, s *report.Step, into any,
	program string, args ...string) bool {
	file := filepath.Join(k.temp, "answer.json")
	defer os.Remove(file)
	for i := range args {
		if args[i] == answerFile {
			args[i] = file
		}
	}
	r := k.start(ctx, limit, program, args...)
	ok := k.judge(s, r)
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil && ok && s.Outcome == report.Passed {
		s.Outcome, s.Reason = report.Failed, "its answer can't be read: "+err.Error()
	}
	return ok && err == nil
}

// ask asks one question.
func (k *kit) ask(ctx context.Context, limit time.Duration, s *report.Step, into any, what string,
	args ...string) bool {
	args = append(args, "-what", what, "-time", (limit - grace/2).String(), "-out", answerFile)
	return k.answer(ctx, limit, s, into, k.program("ask"), args...)
}

func (k *kit) gpuinfo(ctx context.Context, limit time.Duration, s *report.Step) {
	r := k.start(ctx, limit, k.program("gpuinfo"))
	k.judge(s, r)
	text := strings.TrimSpace(r.stdout + r.stderr)
	s.Text = text[:min(len(text), longestText)]
}

func (k *kit) askDevices(ctx context.Context, limit time.Duration, s *report.Step) {
	var all []report.Listed
	k.ask(ctx, limit, s, &all, "devices")
	for _, d := range all {
		k.report.Devices = append(k.report.Devices, d.Device)
		if d.Bus != "" {
			k.bus[strings.ToLower(d.Bus)] = d.Name
		}
	}
}

func (k *kit) askOthers(ctx context.Context, limit time.Duration, s *report.Step) {
	var all []report.Other
	k.ask(ctx, limit, s, &all, "others")
	for _, o := range all {
		if o.Device = k.bus[strings.ToLower(o.Device)]; o.Device != "" {
			k.report.Others = append(k.report.Others, o)
		}
	}
	if s.Outcome != report.Passed {
		k.report.OthersWhy = s.Reason
	}
}

func (k *kit) library(api string) work {
	return func(ctx context.Context, limit time.Duration, s *report.Step) {
		var a report.LibraryAnswer
		k.ask(ctx, limit, s, &a, "library", "-api", api)
		if s.Outcome != report.Passed {
			k.report.Libraries = append(k.report.Libraries, report.Library{API: api, Reason: s.Reason})
			return
		}
		k.report.Libraries = append(k.report.Libraries, a.Library)
		s.Tests = &a.Tests
		if a.Tests.Failed > 0 {
			s.Outcome, s.Reason = report.Failed, a.Tests.Failures[0].Text
		}
	}
}

// conformance runs the conformance suite of event and compute on a device.
func (k *kit) conformance(ctx context.Context, limit time.Duration, s *report.Step) {
	r := k.start(ctx, limit, k.program("conformance"), "-test.run=^TestDevice$", "-test.v",
		"-test.timeout="+(limit-grace/2).String(), "-eventtest.device="+s.Device)
	if !k.judge(s, r) && r.stdout == "" {
		return
	}
	t := tests(r.stdout, s.Outcome != report.Passed)
	s.Tests, s.Text = &t, ""
	switch {
	case t.Failed > 0 && s.Outcome == report.Failed:
		s.Reason = plural(t.Failed, "test") + " failed"
		if len(ending.FindString(r.stderr)) == 0 && strings.Contains(r.stderr, "goroutine ") {
			t.Failures[len(t.Failures)-1].Text += "\n" + shorten(r.stderr)
		}
	case s.Outcome == report.Failed:
		s.Text = tail(r)
	case s.Outcome == report.Passed && t.Passed == 0:
		s.Outcome, s.Reason = report.Failed, "it ran no test"
		s.Text = tail(r)
	}
}

func (k *kit) facts(ctx context.Context, limit time.Duration, s *report.Step) {
	var all []report.Fact
	if !k.ask(ctx, limit, s, &all, "facts", "-device", s.Device, "-page",
		filepath.Join(filepath.Dir(k.bin), "driver-facts.md")) {
		return
	}
	for _, f := range all {
		if about(s, f.Device) {
			k.report.Facts = append(k.report.Facts, f)
		}
	}
}

func (k *kit) bench(ctx context.Context, limit time.Duration, s *report.Step) {
	k.figures(ctx, limit, s, k.program("bench"), "-device", s.Device, "-time", length(limit), "-out",
		answerFile)
}

// figures runs a program that measures.
func (k *kit) figures(ctx context.Context, limit time.Duration, s *report.Step, program string,
	args ...string) {
	var all []report.Figure
	k.answer(ctx, limit, s, &all, program, args...)
	if err := report.CheckFigures(k.report.Devices, append(k.report.Figures, all...)); err != nil {
		s.Outcome, s.Reason = report.Failed, err.Error()
		return
	}
	k.report.Figures = append(k.report.Figures, all...)
}

func (k *kit) soak(ctx context.Context, limit time.Duration, s *report.Step) {
	var all []report.Tally
	k.answer(ctx, limit, s, &all, k.program("soak"), "-device", s.Device, "-time",
		min(k.length, max(limit-4*grace, time.Second)).String(), "-out", answerFile)
	for _, t := range all {
		if about(s, t.Device) {
			k.report.Tallies = append(k.report.Tallies, t)
		}
	}
	if n := failures(all); n > 0 && (s.Outcome == report.Passed || s.Outcome == report.Failed) {
		s.Outcome, s.Reason, s.Text = report.Failed, plural(n, "finding"), "" // the tallies have them
	}
}

// about wants an answer to be about the step's device.
func about(s *report.Step, device string) bool {
	if device == s.Device {
		return true
	}
	s.Outcome, s.Reason = report.Failed, fmt.Sprintf("it answered about %q", device)
	return false
}

func failures(all []report.Tally) (n int) {
	for _, t := range all {
		n += len(t.Failures)
	}
	return n
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
