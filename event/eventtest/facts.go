package eventtest

import (
	"slices"
	"strings"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// Outcome is the result of a probe.
type Outcome string

// The outcomes.
const (
	Confirmed     Outcome = "confirmed"
	Contradicted  Outcome = "contradicted"
	NotApplicable Outcome = "not applicable"
)

// FactResult is what a probe found about a fact of docs/driver-facts.md on a device.
type FactResult struct {
	ID      string
	Outcome Outcome
	Saw     string // what the driver did, or why the fact could not be probed
}

// fact is one that can be probed without harm.
type fact struct {
	id    string
	probe func(*probe)
}

// facts are all of them.
var facts = slices.Concat(captureFacts, cudaCaptureFacts, amdCaptureFacts, streamFacts, eventFacts,
	ipcFacts, hostFuncFacts, deviceFacts, memoryFacts, chipFacts)

// FactProbes returns the ids of the facts that [Facts] probes.
func FactProbes() []string {
	var ids []string
	for _, f := range facts {
		ids = append(ids, f.id)
	}
	return ids
}

// Facts compares a GPU's driver with docs/driver-facts.md, with raw calls on objects of its own. It
// leaves nothing behind. It never tries what would crash a driver. If a call hangs it stops, and
// the remaining facts are not probed.
func Facts(d *event.Device) []FactResult {
	var results []FactResult
	c, vendor, err := callsOf(d)
	for _, f := range facts {
		r := FactResult{ID: f.id, Outcome: NotApplicable}
		switch {
		case err != nil:
			r.Saw = err.Error()
		case !f.concerns(vendor):
			r.Saw = "the device's driver is " + vendorNames[vendor]
		default:
			r, err = f.ask(c, answerWithin)
		}
		results = append(results, r)
	}
	return results
}

// The vendors, as in the beginnings of ids.
const (
	cudaVendor = "cuda"
	amdVendor  = "amd"
	chipVendor = "chip"
	gpuVendors = "gpu" // CUDA and AMD
)

var vendorNames = map[string]string{
	cudaVendor: "CUDA", amdVendor: "AMD's HIP", chipVendor: "HIP on a CPU",
}

// alsoOnCPU are facts of AMD that hold for HIP on a CPU as well.
var alsoOnCPU = []string{"amd-empty-allocation", "amd-last-error-real", "amd-null-stream-flags"}

func (f fact) concerns(vendor string) bool {
	of, _, _ := strings.Cut(f.id, "-")
	if vendor == chipVendor && slices.Contains(alsoOnCPU, f.id) {
		return true
	}
	return of == vendor || of == gpuVendors && vendor != chipVendor
}

// answerWithin is how long a probe may take. Everything it waits for ends earlier unless the driver
// hangs.
const answerWithin = 30 * time.Second

// ask runs the probe. It returns an error if the driver hangs.
func (f fact) ask(c calls, within time.Duration) (FactResult, error) {
	answer := make(chan FactResult, 1)
	go func() { answer <- f.run(c) }()
	select {
	case r := <-answer:
		return r, nil
	case <-time.After(within):
		err := hungError(f.id)
		return FactResult{f.id, NotApplicable, err.Error()}, err
	}
}

type hungError string

func (e hungError) Error() string {
	return "the driver did not answer to the probe of " + string(e)
}
