package report

// Answer is what a driver answered to the probe of a fact.
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
	Saw    string `json:"saw,omitempty"` // what the driver did, or why it can't be asked
}
