package timeline

import (
	"errors"
	"math"

	"github.com/gpuevent/gpuevent/event"
)

// resolve makes an item of a slot whose end is probably over. If one of its events is not, which
// happens when the begin is on another stream, or records of a stream overlap, the slot waits for
// that one alone. The thread is relaxed, so that the queries end no graph capture.
func (r *resolver) resolve(s *slot) {
	begin, end := s.begin, s.endEvent()
	done, err := end.IsDone()
	if done && end != begin {
		done, err = begin.IsDone()
		end = begin
	}
	if !done && err == nil {
		r.straggle(s, end)
		return
	}
	if k := s.unanchored(); err == nil && k != nil {
		if err = k.err; err == nil {
			r.stragglers[s] = s.id
			r.again(s) // after the anchor, which is on its way
			return
		}
	}
	if err == nil {
		err = r.times(s)
	}
	r.finish(s, err)
}

// straggle waits for an event of one slot.
func (r *resolver) straggle(s *slot, e *event.Event) {
	r.stragglers[s] = s.id
	err := e.OnDone(func(error) {
		r.again(s)
		r.poke()
	})
	if err != nil { // it has failed meanwhile
		r.again(s)
	}
}

// again has a straggler resolved by a later sweep.
func (r *resolver) again(s *slot) {
	r.mu.Lock()
	r.late = append(r.late, s)
	r.mu.Unlock()
}

// times places a slot's events on the host's clock.
func (r *resolver) times(s *slot) error {
	k := &s.device.keeper
	start, bound, err := k.place(s.begin)
	if err != nil {
		return err
	}
	stop := start
	switch end := s.endEvent(); {
	case end == s.begin:
	case s.partner != nil:
		var other float64
		if stop, other, err = s.partner.device.keeper.place(end); err != nil {
			return err
		}
		bound = max(bound, other)
	default:
		length, err := end.Sub(s.begin)
		if err != nil {
			return err
		}
		// More exact than the difference of two places. Its own error is part of the end's bound.
		stop = start + float64(length)*k.clock.rate
		bound += k.clock.off(float64(length)) + math.Abs(float64(length))*k.clock.unsure
	}
	early := 0.0
	if called := float64(s.called); start+bound < called {
		// The stream reached the begin after the call, so the device's times are wrong.
		early, bound = called-start-bound, called-start
		r.tl.count.early.Add(1)
	}
	r.scratch.start, r.scratch.end = int64(math.Round(start)), int64(math.Round(stop))
	r.scratch.bound, r.scratch.early = int64(math.Ceil(bound))+1, int64(early)
	return nil
}

// finish puts the item into the ring and frees its slot. The times of a slot without an error are
// in the scratch record.
func (r *resolver) finish(s *slot, err error) {
	it := &r.scratch
	it.kind, it.id, it.parent, it.from = s.kind, s.id, s.parent, s.from
	it.name, it.value, it.attrs = s.name, s.value, s.attrs
	it.lane, it.endLane = s.lane.label, s.endLane.label
	r.offer(it, err)
	tl := r.tl
	switch {
	case err == nil:
		tl.ring.put(it)
		tl.count.finished.Add(1)
	case errors.Is(err, event.ErrCaptured):
		tl.count.captured.Add(1)
		s.device.discard(s) // a graph may record its events
		if s.partner != nil {
			s.partner.device.discard(s.partner)
		}
		return
	default:
		tl.count.failed.Add(1)
	}
	r.freed = append(r.freed, s)
}
