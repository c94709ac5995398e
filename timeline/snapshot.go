package timeline

import (
	"cmp"
	"io"
	"slices"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// Snapshot is what was on a timeline at one moment, for writers of any kind.
type Snapshot struct {
	Origin  time.Time
	Devices []DeviceClock // in the order in which the timeline came to know them
	Items   []Item        // in the order in which they finished
	Stats   Stats
}

// DeviceClock is a device and what is known of its clock.
type DeviceClock struct {
	Device *event.Device
	Clock  Clock
}

// Snapshot returns what is finished. Call [Timeline.Flush] first for all that has ended.
func (tl *Timeline) Snapshot() *Snapshot {
	s := &Snapshot{Origin: tl.origin, Items: tl.ring.items(tl.origin), Stats: tl.Stats()}
	tl.mu.Lock()
	order := tl.order
	tl.mu.Unlock()
	for _, d := range order {
		c, _ := tl.Clock(d.device)
		s.Devices = append(s.Devices, DeviceClock{d.device, c})
	}
	return s
}

// WriteTrace writes what is finished as [Snapshot.WriteTrace] does.
func (tl *Timeline) WriteTrace(w io.Writer) error { return tl.Snapshot().WriteTrace(w) }

// WriteSVG writes what is finished as [Snapshot.WriteSVG] does.
func (tl *Timeline) WriteSVG(w io.Writer, p Picture) error { return tl.Snapshot().WriteSVG(w, p) }

// Lanes returns the lanes of the items, by device and number.
func (s *Snapshot) Lanes() []*Lane {
	newest := map[int]*Lane{} // a lane may have been renamed between two items
	for _, it := range s.Items {
		for _, l := range [...]*Lane{it.Lane, it.EndLane} {
			if l != nil {
				newest[l.ID] = l
			}
		}
	}
	lanes := make([]*Lane, 0, len(newest))
	for _, l := range newest {
		lanes = append(lanes, l)
	}
	slices.SortFunc(lanes, func(a, b *Lane) int {
		return cmp.Or(cmp.Compare(s.number(a.Device), s.number(b.Device)), cmp.Compare(a.ID, b.ID))
	})
	return lanes
}

// number returns a device's place among the snapshot's, from 1; 0 if it has none.
func (s *Snapshot) number(d *event.Device) int {
	return 1 + slices.IndexFunc(s.Devices, func(c DeviceClock) bool { return c.Device == d })
}
