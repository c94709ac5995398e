//go:build !linux && !windows

package poll

import "time"

// nap is one of Go's timers: kqueue takes its timeout in nanoseconds.
type nap struct {
	napState
	wake chan struct{}
}

func newNap() *nap { return &nap{wake: make(chan struct{}, 1)} }

func (n *nap) sleep(d time.Duration) {
	if d <= 0 || !n.enter() {
		return
	}
	defer n.leave()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-n.wake:
	case <-timer.C:
	}
}

func (n *nap) rouse() {
	if !n.napState.rouse() {
		return
	}
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

func tighten() {}
