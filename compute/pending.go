package compute

import (
	"sync"
	"time"
)

// pending counts what goes on in the background. Unlike a sync.WaitGroup it may be waited for while
// others begin.
type pending struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when n becomes 0; nil without a waiter
}

func (p *pending) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
}

func (p *pending) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n--; p.n == 0 && p.none != nil {
		close(p.none)
		p.none = nil
	}
}

// wait waits until nothing is pending, but not longer than limit.
func (p *pending) wait(limit time.Duration) {
	p.mu.Lock()
	if p.n == 0 {
		p.mu.Unlock()
		return
	}
	if p.none == nil {
		p.none = make(chan struct{})
	}
	none := p.none
	p.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-none:
	case <-timer.C:
	}
}

// background runs f, which may wait for the device, on a goroutine of its own.
func (d *device) background(f func()) {
	d.pending.begin()
	go func() {
		defer d.pending.end()
		f()
	}()
}

// relaxed calls f so that its driver calls don't end a capture of the calling thread.
func (d *device) relaxed(f func() error) (err error) {
	d.driver.Relaxed(func() { err = f() })
	return err
}
