package report

// Tally is what a soak did on a device. A soak writes one with -out; its failures make it exit
// with 1.
type Tally struct {
	Device  string  `json:"device"`
	Name    string  `json:"name"` // "event", "compute"
	Seed    uint64  `json:"seed,omitempty"`
	Seconds float64 `json:"seconds"`
	// Counts are how often it did what: "records", "waits", "launches".
	Counts   map[string]int64 `json:"counts"`
	LeftOut  []string         `json:"left_out,omitempty"` // what a real device does not allow, and why
	Failures []Failure        `json:"failures,omitempty"`
}
