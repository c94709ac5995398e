package eventtest

import (
	"errors"
	"math"
	"testing"

	"github.com/gpuevent/gpuevent/event"
)

// flaw is something that keeps an event from being timed. The flaws are in order of precedence.
type flaw struct {
	name   string
	cause  error
	remedy string
	need   need                                       // nil if there is none
	make   func(k *kit, s *event.Stream) *event.Event // s is held up by a gate
	both   bool                                       // the error is about the pair
}

var flaws = []flaw{
	{"closed", event.ErrClosed, "create a new event", nil, func(k *kit, s *event.Stream) *event.Event {
		e := k.event(event.WithTiming())
		k.NoError(e.Close())
		return e
	}, false},
	{"other-backend", event.ErrBackendMismatch, "time both ends on one device", other,
		func(k *kit, s *event.Stream) *event.Event {
			return timedAndDone(k, k.Other)
		}, true},
	{"other-device", event.ErrDeviceMismatch, "time both ends on one device", second,
		func(k *kit, s *event.Stream) *event.Event {
			return timedAndDone(k, k.Second)
		}, true},
	{"untimed", event.ErrTimingDisabled, "WithTiming()", nil,
		func(k *kit, s *event.Stream) *event.Event {
			e := k.event()
			k.NoError(e.Record(k.stream()))
			return e
		}, false},
	{"unrecorded", event.ErrNotRecorded, "record it on a stream first", nil,
		func(k *kit, s *event.Stream) *event.Event {
			return k.event(event.WithTiming())
		}, false},
	{"captured", event.ErrCaptured, "outside a capture", can(event.CapCapture),
		func(k *kit, s *event.Stream) *event.Event {
			e := k.event(event.WithTiming())
			c := k.capture(k.stream(), relaxed)
			k.NoError(e.Record(c.s))
			c.end()
			return e
		}, false},
	{"incomplete", event.ErrNotReady, "Event.Wait or Event.Sync", nil,
		func(k *kit, s *event.Stream) *event.Event {
			return k.record(s, event.WithTiming())
		}, false},
}

func (f flaw) lacking(x Target) string {
	if f.need == nil {
		return ""
	}
	return f.need(x)
}

func timedAndDone(k *kit, d *event.Device) *event.Event {
	e := k.record(k.streamOn(d), event.WithTiming())
	k.NoError(e.Sync())
	return e
}

// diagnose puts each flaw on either side, alone and in pairs. The error must be that of the first
// flaw in order and name the event at fault and the remedy. Only an incomplete event may be
// queried.
func diagnose(k *kit) {
	held := k.stream()
	k.gate(held)
	good := timedAndDone(k, k.Device)
	sound := flaw{name: "sound", make: func(*kit, *event.Stream) *event.Event { return good }}
	all := append([]flaw{sound}, flaws...)
	for i, a := range all {
		for j, b := range all {
			switch { // each flaw that the target can't show is skipped once
			case i == 0 && j == 0, i != 0 && a.lacking(k.Target) != "", i > 0 && b.lacking(k.Target) != "":
				continue
			}
			k.t.Run(a.name+"-start-"+b.name+"-end", func(t *testing.T) {
				k := &kit{checks{t}, k.Target, t, k.broken}
				if why := b.lacking(k.Target); why != "" {
					t.Skip(why)
				}
				start, end := a.make(k, held), b.make(k, held)
				var err error
				asked := k.callsOf(func() { _, err = end.Sub(start) })
				checkDiagnosis(k, a, b, i, j, start, end, err, asked)
			})
		}
	}
}

func checkDiagnosis(k *kit, a, b flaw, i, j int, start, end *event.Event, err error, asked int) {
	first, startAtFault, endAtFault := a, true, false
	switch {
	case i == j:
		endAtFault = true
	case i == 0 || j != 0 && j < i:
		first, startAtFault, endAtFault = b, false, true
	}
	if i == j && first.both { // two events of the same other device can be compared
		k.NoError(err)
		return
	}
	if a.both && b.both { // of two different devices: the backend comes first
		first = flaws[1]
	}
	if first.both {
		startAtFault, endAtFault = true, true
	}
	k.refused(err, first.cause, first.remedy)
	var e *event.Error
	k.True(errors.As(err, &e))
	k.Equal("Event.Sub", e.Op)
	names := map[bool]func(any, any, ...any){true: k.Contains, false: k.NotContains}
	names[startAtFault](e.Object, "start "+start.String())
	names[endAtFault](e.Object, "end "+end.String())
	for _, f := range flaws {
		if f.cause != first.cause {
			k.NotErrorIs(err, f.cause)
		}
	}
	limit := 0
	if first.cause == event.ErrNotReady {
		limit = 2 // one query for each event
	}
	k.LessOrEqual(asked, limit, "driver calls")
}

// callsOf calls f three times and returns the fewest driver calls that it made, since native events
// of closed events may be destroyed meanwhile. It returns 0 if calls are not counted.
func (k *kit) callsOf(f func()) int {
	count := k.Calls
	if count == nil {
		count = func() int { return 0 }
	}
	fewest := math.MaxInt
	for range 3 {
		before := count()
		f()
		fewest = min(fewest, count()-before)
	}
	return fewest
}
