package event

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// dispatcher runs the callbacks of each lane in order. A lane has one goroutine while it has
// callbacks.
var dispatcher = struct {
	sync.Mutex
	lanes map[any][]func()
}{lanes: map[any][]func(){}}

// dispatch queues callbacks, to be called with err after those that the lane already has.
func dispatch(lane any, callbacks []func(error), err error) {
	d := &dispatcher
	d.Lock()
	defer d.Unlock()
	queue, running := d.lanes[lane]
	for _, f := range callbacks {
		queue = append(queue, func() { f(err) })
	}
	d.lanes[lane] = queue
	if !running {
		go drain(lane)
	}
}

// drain runs a lane's callbacks until there are none left. If one ends the goroutine, another
// goroutine goes on.
func drain(lane any) {
	ended := false
	defer func() {
		if !ended {
			go drain(lane)
		}
	}()
	for {
		f := next(lane)
		if f == nil {
			ended = true
			return
		}
		protect(f)
	}
}

// next takes the lane's first callback, and removes the lane if there is none.
func next(lane any) func() {
	d := &dispatcher
	d.Lock()
	defer d.Unlock()
	queue := d.lanes[lane]
	if len(queue) == 0 {
		delete(d.lanes, lane)
		return nil
	}
	f := queue[0]
	queue[0] = nil
	d.lanes[lane] = queue[1:]
	return f
}

// protect keeps a panic of a callback from ending the process.
func protect(f func()) {
	defer func() {
		if v := recover(); v != nil {
			reportHere(fmt.Errorf("panic in a function set by Event.OnDone: %v\n%s", v, debug.Stack()))
		}
	}()
	f()
}
