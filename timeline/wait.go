package timeline

import "github.com/gpuevent/gpuevent/event"

// Wait makes all work enqueued on a stream from now on wait for the end of a span. The span may be
// of another device. On the timeline the wait is a span of its own, from when the stream came to it
// to when it went on, and an arrow leads to it from the span.
func (tl *Timeline) Wait(s *event.Stream, span Span) error {
	if err := span.Err(); err != nil {
		return refused("Wait", s, err)
	}
	if span.off != nil {
		return tl.wait(s, 0, func() error { return span.off.wait(s) })
	}
	of := span.slot
	return tl.wait(s, span.id, func() error {
		of.hold.Lock() // keeps the slot's events from being used for another span
		defer of.hold.Unlock()
		switch {
		case !span.isCurrent():
			return nil // resolved: the end has passed
		case of.state.Load()&phases != slotEnded:
			return ErrOpen
		}
		return s.WaitEvent(of.endEvent())
	})
}

// WaitEvent makes all work enqueued on a stream from now on wait for the last record of an event.
// It is on the timeline as [Timeline.Wait] is; the arrow leads from where [Timeline.Record]
// recorded the event, and is missing if the event was recorded otherwise.
func (tl *Timeline) WaitEvent(s *event.Stream, e *event.Event) error {
	return tl.wait(s, tl.noted(e), func() error { return s.WaitEvent(e) })
}

// wait makes a stream wait between the two records of a span. The stream waits also if the
// timeline has no room for the span.
func (tl *Timeline) wait(s *event.Stream, from uint64, wait func() error) error {
	if tl == nil {
		if err := wait(); err != nil {
			return refused("Wait", s, err)
		}
		return nil
	}
	l, err := tl.lane(s)
	if err != nil {
		return refused("Wait", s, err)
	}
	sp := tl.begin(l, KindWait, 0, "wait", nil)
	if sp.err == nil {
		sp.slot.from = from
	}
	if err := wait(); err != nil {
		if sp.err == nil {
			tl.release(sp.slot)
		}
		return refused("Wait", s, err)
	}
	if sp.err == nil {
		_ = sp.End() // counted
	}
	return nil
}

// maxMarks is how many events of the user's are remembered.
const maxMarks = 4096

// note remembers a mark as an event's last record.
func (tl *Timeline) note(e *event.Event, id uint64) {
	tl.mu.Lock()
	defer tl.mu.Unlock()
	if tl.marks == nil {
		return // closed
	}
	if _, known := tl.marks[e]; !known && len(tl.marks) >= maxMarks {
		for old := range tl.marks { // closed ones, and if there are none, any
			if old.IsClosed() {
				delete(tl.marks, old)
			}
		}
		for old := range tl.marks {
			if len(tl.marks) < maxMarks {
				break
			}
			delete(tl.marks, old)
		}
	}
	tl.marks[e] = id
}

// noted returns the mark of an event's last record, 0 if there is none.
func (tl *Timeline) noted(e *event.Event) uint64 {
	if tl == nil {
		return 0
	}
	tl.mu.Lock()
	defer tl.mu.Unlock()
	return tl.marks[e]
}
