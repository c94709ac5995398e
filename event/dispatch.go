package event

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// dispatcher runs the callbacks of each lane in order, one goroutine a lane while it has any.
var dispatcher = struct {
	sync.Mutex
	lanes map[any][]func()
}{lanes: map[any][]func(){}}

// dispatch has callbacks called with err, behind those of the same lane that wait for their turn.
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

// drain runs a lane's callbacks until there are none. Should one end the goroutine, another one
// carries on.
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

// next takes the lane's first callback, and gives the lane up if there is none.
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
