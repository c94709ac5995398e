package soak

import (
	"fmt"
	"sync"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

// The operations here look at when waits end: not later than what they wait for, nor earlier.

// timely reports whether a stream goes on as soon as its gate is open: nothing fails, and the host
// functions of other streams do not stand in the way.
func (w *worker) timely() bool { return w.Form == Plain || w.Form == Kill }

// held has a stream wait until open is called.
func (w *worker) held(d *device, st *event.Stream) (open func(), ok bool) {
	let := make(chan struct{})
	release := d.holds.begin()
	err := st.HostFunc(func() error { <-let; return nil })
	if err != nil {
		w.created("HostFunc", d, err)
	}
	return sync.OnceFunc(func() { close(let); release(w.watch.Load()) }), err == nil
}

// renew records an event anew behind another gate while somebody waits for the record before.
// The wait must end with the record that was the last one when it began.
func (w *worker) renew() bool {
	s, st := w.privateStream()
	if s == nil || !w.timely() || w.stalling.Load() > 0 {
		return false
	}
	o, err := s.dev.dev.NewEvent()
	if err != nil {
		w.created("NewEvent", s.dev, err)
		return false
	}
	defer w.used(o, s.dev)
	stalls := w.stalled.Load()
	w.begin(opRenew, nil, s)
	defer func() { w.over(nil) }()
	var channels [2]<-chan struct{}
	var passed [2]<-chan struct{} // closed once the stream has passed the record
	var opens [2]func()
	for i := range channels {
		open, ok := w.held(s.dev, st)
		defer open()
		if opens[i] = open; !ok {
			return true
		}
		if err := o.Record(st); err != nil {
			w.created("Record", s.dev, err)
			return true
		}
		channels[i], passed[i] = o.Done(), w.through(st)
	}
	for i, c := range channels {
		opens[i]()
		if !w.soon(passed[i]) {
			return true
		}
		if !w.soon(c) && w.strict(s.dev) && stalls == w.stalled.Load() {
			w.overdueChannel(c, "a channel of Done of %v stays open after the stream has passed "+
				"its record, number %d of 2", o, i+1)
			return true
		}
		if i == 0 && over(channels[1]) && w.strict(s.dev) {
			w.find("a channel of Done of %v is closed; its record is behind a closed gate", o)
			return true
		}
	}
	return true
}

func over(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// apart lets several streams go at once. One query may hang at that moment, which keeps one wait
// from ending.
func (w *worker) apart() bool {
	d := w.device()
	if d.blocksCaller || !d.caps.Has(event.CapHostFunc) || d.failing.Load() || !w.timely() {
		return false
	}
	w.begin(opApart, nil, nil)
	defer func() { w.over(nil) }()
	var channels []<-chan struct{}
	var opens []func()
	for range 3 {
		st, err := d.dev.NewStream() // which waits for no default stream
		if err != nil {
			w.created("NewStream", d, err)
			return true
		}
		defer func() {
			if err := st.Close(); err != nil {
				w.lost.Add(1)
				w.created("Stream.Close", d, err)
			}
		}()
		open, ok := w.held(d, st)
		opens = append(opens, open)
		defer open()
		if !ok {
			return true
		}
		o, err := st.RecordNew()
		if err != nil {
			w.created("RecordNew", d, err)
			return true
		}
		defer w.used(o, d)
		channels = append(channels, o.Done())
	}
	for _, open := range opens {
		open()
	}
	open := 0
	closed := func() bool {
		open = 0
		for _, c := range channels {
			if !over(c) {
				open++
			}
		}
		return open == 0
	}
	for began := w.watch.Load(); w.watch.Load()-began <= soonest; time.Sleep(turn / 4) {
		if closed() {
			return true
		}
	}
	if open > 1 && w.strict(d) {
		w.overdue(func() string {
			return fmt.Sprintf("%d of %d channels of Done on %s stay open after their streams "+
				"were let go; a query that hangs explains one", open, len(channels), d.name)
		}, func() bool { return closed() || open == 1 })
	}
	return true
}
