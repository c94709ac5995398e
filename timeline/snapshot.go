package timeline

import (
	"cmp"
	"io"
	"maps"
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
	s := tl.about()
	if tl == nil {
		return s
	}
	s.Items = tl.ring.items(tl.origin)
	return s
}

// about returns a snapshot without items.
func (tl *Timeline) about() *Snapshot {
	if tl == nil {
		return &Snapshot{}
	}
	s := &Snapshot{Origin: tl.origin, Stats: tl.Stats()}
	tl.mu.Lock()
	order := tl.order
	tl.mu.Unlock()
	for _, d := range order {
		c, _ := tl.Clock(d.device)
		s.Devices = append(s.Devices, DeviceClock{d.device, c})
	}
	return s
}

// WriteTrace writes what is finished as [Snapshot.WriteTrace] does, and reads it from the timeline
// as it writes: it takes some 20 MB of memory for any number of spans.
func (tl *Timeline) WriteTrace(w io.Writer) error {
	if tl == nil {
		return new(Snapshot).WriteTrace(w)
	}
	if tl.isZero() {
		return ErrNoTimeline
	}
	return tl.about().writeTrace(w, newWalk(tl.origin, tl.ring.runs(tl.origin), groupSize))
}

// WriteSVG writes what is finished as [Snapshot.WriteSVG] does.
func (tl *Timeline) WriteSVG(w io.Writer, p Picture) error {
	if tl != nil && tl.isZero() {
		return ErrNoTimeline
	}
	return tl.Snapshot().WriteSVG(w, p)
}

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
	return s.sorted(newest)
}

// sorted returns lanes by device and number.
func (s *Snapshot) sorted(byID map[int]*Lane) []*Lane {
	lanes := slices.Collect(maps.Values(byID))
	slices.SortFunc(lanes, func(a, b *Lane) int {
		return cmp.Or(cmp.Compare(s.number(a.Device), s.number(b.Device)), cmp.Compare(a.ID, b.ID))
	})
	return lanes
}

// number returns a device's place among the snapshot's, from 1; 0 if it has none.
func (s *Snapshot) number(d *event.Device) int {
	return 1 + slices.IndexFunc(s.Devices, func(c DeviceClock) bool { return c.Device == d })
}
