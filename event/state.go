package event

// State is the state of an event at one moment.
type State int

// The states of an event. To wait functions, as to the drivers, an unrecorded event is done.
const (
	Unrecorded State = iota // never recorded
	Pending                 // the stream has not passed the last record
	Done                    // the stream has passed the last record
	// Failed: the last record has failed, or the event can't be queried. [Event.Err] returns why.
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
