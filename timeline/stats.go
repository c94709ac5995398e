package timeline

import (
	"fmt"
	"sync/atomic"
)

// counts are what [Stats] reports.
type counts struct {
	finished, dropped, failed, captured, abandoned, attrs, early atomic.Uint64
	lanes                                                        int // under the timeline's lock
}

// Stats counts what a timeline has seen.
type Stats struct {
	Begun        uint64 // spans, marks and counter values that found a place
	Finished     uint64 // those that have their times
	Dropped      uint64 // for which there was no slot: see [ErrFull]
	Overwritten  uint64 // finished, and replaced by newer ones: see Options.Spans
	Failed       uint64 // without times, since a device, a stream or a record failed
	Captured     uint64 // without times, since they were recorded in a graph capture
	Abandoned    uint64 // not reached when the timeline was closed
	Early        uint64 // finished, and placed before their own Begin: see [Item.Bound]
	AttrsLeftOut uint64 // attributes beyond [MaxAttrs]
}

// Stats returns the counts so far.
func (tl *Timeline) Stats() Stats {
	if tl == nil {
		return Stats{}
	}
	c := &tl.count
	return Stats{Begun: tl.ids.Load(), Finished: c.finished.Load(), Dropped: c.dropped.Load(),
		Overwritten: tl.ring.overwritten(), Failed: c.failed.Load(), Captured: c.captured.Load(),
		Abandoned: c.abandoned.Load(), Early: c.early.Load(), AttrsLeftOut: c.attrs.Load()}
}

// String returns the counts in one line.
func (s Stats) String() string {
	text := fmt.Sprintf("%d begun, %d finished, %d dropped, %d overwritten, %d failed, %d captured, "+
		"%d abandoned", s.Begun, s.Finished, s.Dropped, s.Overwritten, s.Failed, s.Captured, s.Abandoned)
	if s.Early > 0 {
		text += fmt.Sprintf(", %d placed too early", s.Early)
	}
	return text
}
