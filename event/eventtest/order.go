package eventtest

import (
	"github.com/gpuevent/gpuevent/event"
)

var orderBehaviours = []behaviour{
	{"order/stream-waits-for-event", nil, func(k *kit) {
		s1, s2 := k.stream(), k.stream()
		g := k.gate(s1)
		before := k.record(s2)
		k.NoError(s2.WaitEvent(k.record(s1))) // returns at once
		after := k.record(s2)
		k.NoError(before.Sync(), "work that was there before is not held up")
		k.isDone(false, after)
		g.open()
		k.NoError(after.Sync())
	}},
	{"order/many-streams-wait-for-one-event", nil, func(k *kit) {
		s := k.stream()
		g := k.gate(s)
		e := k.record(s)
		var after []*event.Event
		for range 3 {
			t := k.stream()
			k.NoError(t.WaitEvent(e))
			after = append(after, k.record(t))
		}
		for _, a := range after {
			k.isDone(false, a)
		}
		g.open()
		k.NoError(event.WaitAll(k.ctx(), after...))
	}},
	{"order/record-again-leaves-waiting-streams-alone", nil, func(k *kit) {
		held, idle, s := k.stream(), k.stream(), k.stream()
		g := k.gate(held)
		e := k.record(held)
		k.NoError(s.WaitEvent(e))
		after := k.record(s)
		k.NoError(e.Record(idle))
		k.NoError(e.Sync())
		k.isDone(true, e)
		k.isDone(false, after)
		g.open()
		k.NoError(after.Sync())
	}},
	{"order/wait-before-first-record-is-no-delay", nil, func(k *kit) {
		held, s, e := k.stream(), k.stream(), k.event()
		k.NoError(s.WaitEvent(e))
		g := k.gate(held)
		k.NoError(e.Record(held))
		k.NoError(k.record(s).Sync())
		g.pass()
	}},
	{"order/done-event-adds-nothing", nil, func(k *kit) {
		s1, s2 := k.stream(), k.stream()
		e := k.record(s1)
		k.NoError(e.Sync())
		g := k.gate(s1)
		k.NoError(s2.WaitEvent(e))
		k.NoError(k.record(s2).Sync())
		g.pass()
	}},
	{"order/stream-waits-for-stream", nil, func(k *kit) {
		s1, s2 := k.stream(), k.stream()
		g1 := k.gate(s1)
		before := k.record(s2)
		k.NoError(s2.WaitStream(s1))
		g2 := k.gate(s1) // enqueued after the call, so not waited for
		after := k.record(s2)
		k.NoError(before.Sync())
		k.isDone(false, after)
		g1.open()
		k.NoError(after.Sync())
		k.isDone(false, s1)
		g2.pass()
	}},
	{"order/stream-waits-for-default-stream", nil, func(k *kit) {
		d, s := k.Device.DefaultStream(), k.stream()
		g := k.gate(d)
		k.NoError(s.WaitStream(d))
		after := k.record(s)
		k.isDone(false, after)
		g.open()
		k.NoError(after.Sync())
	}},
	{"order/across-devices", []need{second}, func(k *kit) {
		there, here := k.streamOn(k.Second), k.stream()
		g := k.gate(there)
		e := k.record(there)
		k.NoError(here.WaitEvent(e))
		byEvent := k.record(here)
		here2 := k.stream()
		k.NoError(here2.WaitStream(there))
		byStream := k.record(here2)
		k.isDone(false, byEvent)
		k.isDone(false, byStream)
		g.open()
		k.NoError(byEvent.Sync())
		k.NoError(byStream.Sync())
	}},
	{"order/across-backends", []need{other, crossing}, func(k *kit) {
		for _, pair := range [][2]*event.Device{{k.Device, k.Other}, {k.Other, k.Device}} {
			there, here, here2 := k.streamOn(pair[0]), k.streamOn(pair[1]), k.streamOn(pair[1])
			g := k.gate(there)
			e := k.record(there)
			k.NoError(here.WaitEvent(e))
			byEvent := k.record(here)
			k.NoError(here2.WaitStream(there))
			byStream := k.record(here2)
			closed := k.record(there)
			here3 := k.streamOn(pair[1])
			k.NoError(here3.WaitEvent(closed))
			byClosed := k.record(here3)
			k.NoError(closed.Close())
			k.isDone(false, byEvent)
			k.isDone(false, byStream)
			k.isDone(false, byClosed) // closing the event releases no stream
			g.open()
			k.NoError(byEvent.Sync())
			k.NoError(byStream.Sync())
			k.NoError(byClosed.Sync())
			k.NoError(here.WaitEvent(k.eventOn(pair[0])), "an unrecorded event delays nothing")
			k.NoError(here.WaitEvent(e), "nor does one that is done")
			k.NoError(here.Sync())
		}
	}},
	{"order/other-device-is-asked-from-anywhere", []need{second}, func(k *kit) {
		here, there := k.stream(), k.streamOn(k.Second)
		g := k.gate(there)
		e0, e1 := k.record(here, event.WithTiming()), k.record(there, event.WithTiming())
		k.NoError(e0.Sync())
		for range 4 {
			k.within("a look from another goroutine", func() {
				done, err := e1.IsDone()
				k.NoError(err)
				k.False(done)
				done, err = e0.IsDone()
				k.NoError(err)
				k.True(done)
			})
		}
		g.open()
		k.NoError(e1.Sync())
		end := k.record(there, event.WithTiming())
		k.NoError(end.Sync())
		_, err := end.Sub(e1)
		k.NoError(err)
	}},
}
