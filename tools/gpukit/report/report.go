// Package report is the data of a run of the GPU kit, gpu-kit.json, and its page.
//
// Reports are committed, so they name no host, no user and no path of the machine: [Scrub] removes
// them from texts. The package imports the standard library only.
package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
)

// Report is one run of the kit.
type Report struct {
	Kit     string    `json:"kit"`   // the version that was built
	Began   time.Time `json:"began"` // in UTC
	Seconds float64   `json:"seconds"`
	Limit   float64   `json:"limit_seconds"`     // of the whole run
	Stopped string    `json:"stopped,omitempty"` // why the run ended early
	Reduced string    `json:"reduced,omitempty"` // why it did less than the kit does by default
	Machine Machine   `json:"machine"`
	Devices []Device  `json:"devices"` // all that were found; the host is the last
	Steps   []Step    `json:"steps"`   // in the order in which they ran
	Facts   []Fact    `json:"facts,omitempty"`
	Figures []Figure  `json:"figures,omitempty"`
	Tallies []Tally   `json:"tallies,omitempty"`
}

// JSON is the report as it is written to gpu-kit.json.
func (r *Report) JSON() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(r)
	return out.Bytes(), err
}

// Machine describes the machine, without its name.
type Machine struct {
	OS       string  `json:"os"`
	Arch     string  `json:"arch"`
	CPU      string  `json:"cpu"`
	Cores    int     `json:"cores"`
	Memory   uint64  `json:"memory_bytes,omitempty"`
	Kernel   string  `json:"kernel,omitempty"` // release of the operating system's
	System   string  `json:"system,omitempty"` // distribution
	Emulated bool    `json:"emulated,omitempty"`
	Load     float64 `json:"load,omitempty"` // average at the start; 0 if it is unknown
}

// Device is one that was found.
type Device struct {
	Name         string `json:"name"`    // "cuda:0", "hip:1", "host"
	Backend      string `json:"backend"` // "cuda", "hip", "host"
	Model        string `json:"model"`   // "NVIDIA H100 80GB HBM3"
	Architecture string `json:"architecture,omitempty"`
	Memory       uint64 `json:"memory_bytes,omitempty"`
	API          string `json:"api,omitempty"`    // "CUDA 12.8", "HIP 6.4.43484"
	Driver       string `json:"driver,omitempty"` // release of the kernel module: "550.54.14"
	Simulated    bool   `json:"simulated,omitempty"`
}

// Host is the backend, and the name, of the device that every machine has.
const Host = "host"

// Outcome is how a step ended.
type Outcome string

// The outcomes.
const (
	Passed      Outcome = "passed"
	Failed      Outcome = "failed"       // a check failed, or the program crashed
	TimedOut    Outcome = "timed out"    // it was killed at its limit
	NotPossible Outcome = "not possible" // what it needs is not on the machine
	NotRun      Outcome = "not run"      // the run ended before, or a flag left it out
)

// Step is one thing that the kit did.
type Step struct {
	Name    string  `json:"name"`             // "gpuinfo", "conformance", "facts", "bench", "soak event"
	Device  string  `json:"device,omitempty"` // "" if the step concerns no single device
	Outcome Outcome `json:"outcome"`
	Seconds float64 `json:"seconds"`
	Limit   float64 `json:"limit_seconds,omitempty"`
	Reason  string  `json:"reason,omitempty"` // of any outcome but passed
	Tests   *Tests  `json:"tests,omitempty"`
	Text    string  `json:"text,omitempty"` // printed by the step, if it is worth keeping
}

// Duration is the limit of the step.
func (s Step) Duration() time.Duration { return time.Duration(s.Limit * float64(time.Second)) }

// title is the step with its device.
func (s Step) title() string { return strings.TrimSpace(s.Name + " " + s.Device) }

// Conformance is the name of the step that runs the conformance suite.
const Conformance = "conformance"

// Tests are those that a step ran.
type Tests struct {
	Passed   int       `json:"passed"`
	Failed   int       `json:"failed"`
	Skipped  int       `json:"skipped"`
	Failures []Failure `json:"failures,omitempty"`
	Skips    []Skip    `json:"skips,omitempty"`
}

// Failure is a test, or another check, that failed.
type Failure struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Skip is a reason why tests were skipped.
type Skip struct {
	Reason string   `json:"reason"`
	Tests  []string `json:"tests"`
}

// Answer is the result of comparing a driver with a fact of docs/driver-facts.md.
type Answer string

// The answers.
const (
	Confirmed  Answer = "confirmed"
	Differs    Answer = "differs"
	NotAskable Answer = "not askable here"
)

// Fact is one of docs/driver-facts.md on a device.
type Fact struct {
	Device string `json:"device"`
	ID     string `json:"id"`
	Answer Answer `json:"answer"`
	Saw    string `json:"saw,omitempty"` // the driver's behaviour, or why it can't be probed
}

// Figure is the cost of an operation in one way. Times are in nanoseconds per operation.
type Figure struct {
	Device    string  `json:"device"`
	Operation string  `json:"operation"` // the same text for all ways: "record", "query pending"
	Way       string  `json:"way"`       // "raw", "event", "compute", "timeline"
	Median    float64 `json:"median_ns"`
	Best      float64 `json:"best_ns"`
	P99       float64 `json:"p99_ns,omitempty"`
	Runs      int     `json:"runs"`             // runs that the median is of
	PerRun    int     `json:"per_run"`          // operations of a run
	Allocs    float64 `json:"allocs,omitempty"` // per operation
	Note      string  `json:"note,omitempty"`
}

// Tally is the work of a soak on a device.
type Tally struct {
	Device   string           `json:"device"`
	Name     string           `json:"name"` // of the step: "soak event"
	Seed     uint64           `json:"seed,omitempty"`
	Seconds  float64          `json:"seconds"`
	Counts   map[string]int64 `json:"counts"`             // "records", "waits", "launches"
	LeftOut  []string         `json:"left_out,omitempty"` // what a real device does not allow, and why
	Failures []Failure        `json:"failures,omitempty"`
}
