package soak

import (
	"fmt"

	"github.com/gpuevent/gpuevent/event"
)

// figures holds the package's own figures against what the soak did. Everything is closed or
// dropped.
func (w *world) figures() {
	var left string
	w.patiently(func() bool {
		left = ""
		for _, s := range event.Stats() {
			if s.Streams != 0 || s.Events != 0 || s.Pending != 0 {
				left += fmt.Sprintf("%s: %d streams, %d events, %d pending; ",
					s.Device, s.Streams, s.Events, s.Pending)
			}
		}
		return left == ""
	}, func() { w.find("event.Stats counts what is closed: %s", left) })
	var records uint64
	for _, s := range event.Stats() {
		records += s.Records
		if w.Seed%2 == 0 && s.Queries+s.Waits+s.StreamWaits+s.Wakes.Count != 0 {
			w.find("event.Stats of %s counts what it should not: %+v", s.Device, s)
		}
	}
	if made := uint64(w.recordsDone.Load()); records < made {
		w.find("event.Stats counts %d records of at least %d", records, made)
	}
}
