package main

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// row is one operation, in every way that it can be made.
type row struct {
	api  string
	name string
	// prepare brings the driver and the events to where the operation begins. It is called before
	// each round, outside the clock.
	prepare func() error
	// calls are what one operation asks of the driver, in every way but package event's.
	calls tally
	// event says what package event asks of the driver at the least; the same as calls if nil.
	event  *tally
	ways   []way
	target *report.Target
}

// way is one way to make an operation n times.
type way struct {
	name string
	run  func(n int) error
}

// goWay makes an operation in a loop in Go: the same loop for all ways, and a call through a
// function value each turn, which loopRow measures.
func goWay(name string, operation func() error) way {
	return way{name, func(n int) error { return loop(n, operation) }}
}

func loop(n int, operation func() error) error {
	for range n {
		if err := operation(); err != nil {
			return err
		}
	}
	return nil
}

// essential are the kinds of calls of which package event must make as many as the others do. It
// may keep events instead of destroying them, and it asks for captures and contexts.
var essential = []int{callRecord, callQuery, callElapsed, callWait, callLaunch}

var errMiscounted = errors.New("another number of driver calls than there should be")

// check returns an error unless n operations of a way made the calls that they should.
func (r *row) check(way string, n int, made tally) error {
	if way != report.Event {
		if want := r.calls.times(n); made != want {
			return fmt.Errorf("%w: %v in %d operations instead of %v", errMiscounted, made, n, want)
		}
		return nil
	}
	want := r.calls.times(n)
	if r.event != nil {
		want = r.event.times(n)
	}
	for _, kind := range essential {
		if made[kind] != want[kind] {
			return fmt.Errorf("%w: %v in %d operations, of which number %d should be %d",
				errMiscounted, made, n, kind, want[kind])
		}
	}
	return nil
}

// way returns the named way, or nil.
func (r *row) way(name string) *way {
	for i := range r.ways {
		if r.ways[i].name == name {
			return &r.ways[i]
		}
	}
	return nil
}

// loopRow is what a loop in Go costs by itself: its turns, and the call of a function that
// does nothing.
func loopRow() row {
	return row{name: "loop", prepare: func() error { return nil }, ways: []way{
		goWay(report.Loop, func() error { return nil }),
	}}
}
