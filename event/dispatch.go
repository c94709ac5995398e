package event

import (
	"fmt"
	"runtime/debug"
	"sync"
)

// dispatcher runs the callbacks of each lane in order, one goroutine a lane while it has any.
var dispatcher = struct {
	mu    sync.Mutex
	lanes map[any][]func()
}{lanes: map[any][]func(){}}

// dispatch has callbacks called with err, behind those of the same lane that wait for their turn.
func dispatch(lane any, callbacks []func(error), err error) {
	d := &dispatcher
	d.mu.Lock()
	defer d.mu.Unlock()
	queue, running := d.lanes[lane]
	for _, f := range callbacks {
		queue = append(queue, func() { protect(f, err) })
	}
	d.lanes[lane] = queue
	if !running {
		go drain(lane)
	}
}

func drain(lane any) {
	d := &dispatcher
	for {
		d.mu.Lock()
		queue := d.lanes[lane]
		if len(queue) == 0 {
			delete(d.lanes, lane)
			d.mu.Unlock()
			return
		}
		d.lanes[lane] = []func(){}
		d.mu.Unlock()
		for _, f := range queue {
			f()
		}
	}
}

// protect keeps a panic of a callback from ending the process.
func protect(f func(error), err error) {
	defer func() {
		if v := recover(); v != nil {
			report(fmt.Errorf("panic in a function set by Event.OnDone: %v\n%s", v, debug.Stack()))
		}
	}()
	f(err)
}
