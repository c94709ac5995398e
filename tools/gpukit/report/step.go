package report

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
	Name    string  `json:"name"`             // "gpuinfo", "conformance", "facts", "bench", "peers", "soak"
	Device  string  `json:"device,omitempty"` // "" if the step concerns no single device
	Outcome Outcome `json:"outcome"`
	Seconds float64 `json:"seconds"`
	Limit   float64 `json:"limit_seconds,omitempty"`
	Reason  string  `json:"reason,omitempty"` // of any outcome but passed
	Tests   *Tests  `json:"tests,omitempty"`
	// Text is what the step printed, if that is worth keeping.
	Text string `json:"text,omitempty"`
}

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
