package host

import "fmt"

// State is what is known about an event or a point.
type State uint8

// States of an event. A point is only ever Pending, Done or Failed.
const (
	Unrecorded State = iota // never recorded
	Pending                 // recorded; its queue has not reached it yet
	Done                    // its queue has reached it
	Failed                  // its queue or engine failed first
	Closed                  // closed
	Captured                // recorded in a capture
)

var stateNames = [...]string{"Unrecorded", "Pending", "Done", "Failed", "Closed", "Captured"}

// String returns the state's name.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return fmt.Sprintf("State(%d)", uint8(s))
}
