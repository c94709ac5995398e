package event

// State is what an event is at one moment.
type State int

// The states of an event. One that was never recorded counts as done wherever the question is
// whether to wait, as it does for the drivers.
const (
	Unrecorded State = iota // never recorded
	Pending                 // the last record has not been reached by its stream
	Done                    // the last record has been reached
	// Failed: the device failed before the last record was reached. [Event.Err] tells why.
	Failed
	Captured // the last record went into a graph capture
	Closed   // the event was closed
)

var stateNames = [...]string{"Unrecorded", "Pending", "Done", "Failed", "Captured", "Closed"}

// String returns the state's name.
func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return "State(?)"
	}
	return stateNames[s]
}
