package report

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Limits of what is believed. An operation of a benchmark ends within a minute, and a run within a
// day.
const (
	slowest = float64(time.Minute)
	longest = 24 * 60 * 60.0 // seconds
	tooMany = 1e12
)

// first is the day before which there was no kit.
var first = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var (
	deviceName = regexp.MustCompile(`^(host|(cuda|hip):\d{1,4})$`)
	factName   = regexp.MustCompile(`^(cuda|amd|chip|gpu)(-[a-z0-9]+)+$`)
	outcomes   = []Outcome{Passed, Failed, TimedOut, NotPossible, NotRun}
	answers    = []Answer{Confirmed, Differs, NotAskable}
)

// checker collects what is wrong with a report.
type checker struct {
	devices map[string]bool
	err     error // the first
}

// Check reports what is wrong with a report, as an error of one of the kinds above.
func (r *Report) Check() error {
	if len(r.Devices) == 0 {
		return ErrNoDevice
	}
	c := &checker{devices: map[string]bool{}}
	c.head(r)
	for _, d := range r.Devices {
		c.device(d)
	}
	for _, s := range r.Steps {
		c.step(s)
	}
	for _, f := range r.Facts {
		c.known(f.Device, "the fact "+f.ID)
		c.want(factName.MatchString(f.ID), "%q is no id of a fact", f.ID)
		c.want(slices.Contains(answers, f.Answer), "the fact %s has the answer %q", f.ID, f.Answer)
	}
	c.figures(r.Figures)
	for _, t := range r.Tallies {
		c.known(t.Device, "the soak "+t.Name)
		c.seconds(t.Seconds, "the soak "+t.Name)
		for what, n := range t.Counts {
			c.want(n >= 0 && float64(n) < tooMany, "the soak %s counts %d %s", t.Name, n, what)
		}
	}
	for _, o := range r.Others {
		c.known(o.Device, "the list of other processes")
		c.want(o.Processes >= 0 && o.Busy >= 0 && o.Busy <= 100,
			"%s has %d other processes and is %d %% busy", o.Device, o.Processes, o.Busy)
	}
	if c.err != nil {
		return c.err
	}
	return r.private()
}

// want notes an absurdity unless ok.
func (c *checker) want(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf("%w: %s", ErrAbsurd, fmt.Sprintf(format, args...))
	}
}

func (c *checker) head(r *Report) {
	c.want(!r.Began.Before(first) && r.Began.Before(time.Now().Add(48*time.Hour)),
		"it began at %s", r.Began.Format(time.RFC3339))
	c.want(r.Kit != "", "no version of the kit")
	c.seconds(r.Seconds, "the run")
	c.seconds(r.Limit, "the limit")
	m := r.Machine
	c.want(m.OS != "" && m.Arch != "", "the machine has no operating system or architecture")
	c.want(m.Cores > 0 && m.Cores < 1<<20, "the machine has %d cores", m.Cores)
}

func (c *checker) device(d Device) {
	c.want(deviceName.MatchString(d.Name), "%q is no name of a device", d.Name)
	backend, _, _ := strings.Cut(d.Name, ":")
	c.want(backend == d.Backend, "the device %s has the backend %q", d.Name, d.Backend)
	c.want(!c.devices[d.Name], "the device %s is listed twice", d.Name)
	c.want(d.Model != "", "the device %s has no model", d.Name)
	c.devices[d.Name] = true
}

// known wants a device of the report.
func (c *checker) known(device, what string) {
	c.want(c.devices[device], "%s is of %q, which is no device of the report", what, device)
}

func (c *checker) step(s Step) {
	c.want(s.Name != "", "a step has no name")
	if s.Device != "" {
		c.known(s.Device, "the step "+s.Name)
	}
	c.want(slices.Contains(outcomes, s.Outcome), "the step %s has the outcome %q", s.Name, s.Outcome)
	c.want(s.Outcome == Passed || s.Reason != "", "the step %s is %q without a reason", s.Name,
		s.Outcome)
	c.seconds(s.Seconds, "the step "+s.Name)
	if t := s.Tests; t != nil {
		c.want(t.Passed >= 0 && t.Failed >= 0 && t.Skipped >= 0, "the step %s has negative counts",
			s.Name)
		c.want(s.Outcome != Passed || t.Failed == 0 && len(t.Failures) == 0,
			"the step %s passed with %d failed tests", s.Name, max(t.Failed, len(t.Failures)))
	}
}

func (c *checker) seconds(s float64, what string) {
	c.want(s >= 0 && s <= longest, "%s took %v s", what, s) // NaN is neither
}

// figures wants numbers that a clock can show, and each figure once.
func (c *checker) figures(all []Figure) {
	type key struct{ device, operation, way string }
	seen := map[key]bool{}
	for _, f := range all {
		what := fmt.Sprintf("%s of %s on %s", f.Operation, f.Way, f.Device)
		c.known(f.Device, "the figure "+what)
		c.want(f.Operation != "" && f.Way != "", "a figure has no operation or way")
		k := key{f.Device, f.Operation, f.Way}
		c.want(!seen[k], "%s is there twice", what)
		seen[k] = true
		c.want(f.Median > 0 && f.Median <= slowest, "%s takes %v ns", what, f.Median)
		c.want(f.Best > 0 && f.Best <= f.Median, "%s takes %v ns at best, and %v ns in the median",
			what, f.Best, f.Median)
		c.want(f.P99 == 0 || f.P99 >= f.Median && f.P99 <= slowest,
			"the 99th percentile of %s is %v ns, and the median %v ns", what, f.P99, f.Median)
		c.want(f.CPU >= 0 && f.CPU <= slowest, "%s takes %v ns of processor time", what, f.CPU)
		c.want(f.Allocs >= 0 && f.Allocs < 1e6 && !math.IsNaN(f.Allocs), "%s allocates %v times", what,
			f.Allocs)
		c.want(f.Runs > 0 && f.PerRun > 0, "%s has %d runs of %d", what, f.Runs, f.PerRun)
	}
}

// private wants no path of the machine in any text.
func (r *Report) private() (err error) {
	walk(r, func(text string) string {
		if at := path.FindStringSubmatch(text); at != nil && err == nil {
			err = fmt.Errorf("%w: %q", ErrPrivate, at[2]+at[3])
		}
		return text
	})
	return err
}

// CheckFigures reports what is wrong with figures of some devices.
func CheckFigures(devices []Device, all []Figure) error {
	c := &checker{devices: map[string]bool{}}
	for _, d := range devices {
		c.devices[d.Name] = true
	}
	c.figures(all)
	return c.err
}
