package eventtest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// probe is the toolkit of probes. It notes what it sees and undoes what it does.
type probe struct {
	calls
	saw   []string
	wrong bool
	undo  []func()
	gone  map[uintptr]bool // destroyed by the probe itself
}

// unfit ends a probe that can't be made.
type unfit string

// run runs the probe on a thread of its own, inside the device's context and in the capture mode in
// which threads start.
func (f fact) run(c calls) FactResult {
	p := &probe{calls: c, gone: map[uintptr]bool{}}
	why := ""
	err := c.inside(func() error {
		if mode, err := c.exchangeMode(uint32(global)); err == nil {
			defer func() { _, _ = c.exchangeMode(mode) }()
		}
		why = p.attempt(f.probe)
		return nil
	})
	switch saw := strings.Join(p.saw, "; "); {
	case err != nil:
		return FactResult{f.id, NotApplicable, err.Error()}
	case why != "":
		return FactResult{f.id, NotApplicable, why}
	case p.wrong:
		return FactResult{f.id, Contradicted, saw}
	default:
		return FactResult{f.id, Confirmed, saw}
	}
}

// attempt returns why the probe could not be made; "" if it could.
func (p *probe) attempt(f func(*probe)) (why string) {
	defer func() {
		for i := len(p.undo) - 1; i >= 0; i-- {
			p.undo[i]()
		}
	}()
	defer func() {
		if u := recover(); u != nil {
			reason, ok := u.(unfit)
			if !ok {
				panic(u)
			}
			why = string(reason)
		}
	}()
	f(p)
	return ""
}

// skip ends the probe.
func (p *probe) skip(format string, args ...any) { panic(unfit(fmt.Sprintf(format, args...))) }

// later registers something to undo when the probe ends, last in first out.
func (p *probe) later(f func()) { p.undo = append(p.undo, f) }

// note adds to what was seen. What differs from the fact contradicts it.
func (p *probe) note(asTheFactSays bool, format string, args ...any) {
	p.saw = append(p.saw, fmt.Sprintf(format, args...))
	p.wrong = p.wrong || !asTheFactSays
}

// code notes the result of a call, which should be one of want.
func (p *probe) code(what string, err error, want ...int32) {
	got := codeIn(err)
	if got == missingCode {
		p.skip("%s: %v", what, err)
	}
	ok := false
	for _, w := range want {
		ok = ok || got == w
	}
	p.note(ok, "%s %d", what, got)
}

// needs ends the probe if something unrelated to the fact failed.
func (p *probe) needs(what string, err error) {
	if err != nil {
		p.skip("%s: %v", what, err)
	}
}

// stream makes a stream that does not synchronize with the legacy default stream.
func (p *probe) stream() uintptr { return p.streamWith(1) }

// blockingStream makes a stream that synchronizes with the legacy default stream.
func (p *probe) blockingStream() uintptr { return p.streamWith(0) }

func (p *probe) streamWith(flags uint32) uintptr {
	s, err := p.createStream(flags, 0)
	p.needs("create a stream", err)
	p.later(func() {
		if !p.gone[s] {
			_ = p.destroyStream(s)
		}
	})
	return s
}

// The flags of events that both vendors share.
const (
	blockingSync  = 1
	disableTiming = 2
	interprocess  = 4
)

func (p *probe) event(flags uint32) uintptr {
	e, err := p.createEvent(flags)
	p.needs("create an event", err)
	p.later(func() {
		if !p.gone[e] {
			_ = p.destroyEvent(e)
		}
	})
	return e
}

// recorded makes an event that is recorded on s.
func (p *probe) recorded(s uintptr) uintptr {
	e := p.event(disableTiming)
	p.needs("record an event", p.record(e, s))
	return e
}

// capture begins one on s.
func (p *probe) capture(s uintptr, mode captureMode) *probeCapture {
	p.needs("begin a capture", p.beginCapture(s, uint32(mode)))
	c := &probeCapture{p: p, s: s}
	p.later(func() { _ = c.finish() })
	return c
}

// probeCapture is a capture that the probe began.
type probeCapture struct {
	p     *probe
	s     uintptr
	ended bool
}

// finish ends the capture, destroys its graph and returns the driver's result.
func (c *probeCapture) finish() error {
	if c.ended {
		return nil
	}
	c.ended = true
	graph, err := c.p.endCapture(c.s)
	if err == nil {
		_ = c.p.destroyGraph(graph)
	}
	return err
}

// holdFor bounds how long a gate holds a stream up.
const holdFor = 10 * time.Second

// gate holds s up with a host function until it is opened, at most for holdFor.
func (p *probe) gate(s uintptr) (open func()) {
	opened, passed := make(chan struct{}), make(chan struct{})
	open = sync.OnceFunc(func() { close(opened) })
	p.needs("hold a stream up with a host function", p.hold(s, func() {
		select {
		case <-opened:
		case <-time.After(holdFor):
		}
		close(passed)
	}))
	p.later(func() {
		open()
		<-passed
	})
	return open
}

// elsewhere runs f on another thread, inside the device's context.
func (p *probe) elsewhere(f func()) {
	done := make(chan error)
	go func() { done <- p.inside(func() error { f(); return nil }) }()
	p.needs("enter the device on another thread", <-done)
}

// shortly is how long to wait for a call that should not return.
const shortly = 60 * time.Millisecond

// returns calls f on another thread. It reports whether f returns within a time, and gives a
// function that waits until it does.
func (p *probe) returns(within time.Duration, f func()) (bool, func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = p.inside(func() error { f(); return nil })
	}()
	wait := func() { <-done }
	p.later(wait)
	select {
	case <-done:
		return true, wait
	case <-time.After(within):
		return false, wait
	}
}

// eventually queries until the answer is no longer "not ready".
func (p *probe) eventually(ask func() error) error { return p.askFor(holdFor, ask) }

// soon is eventually for answers that may stay "not ready" until the end of the probe.
func (p *probe) soon(ask func() error) error { return p.askFor(10*shortly, ask) }

func (p *probe) askFor(d time.Duration, ask func() error) error {
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		if err := ask(); codeIn(err) != notReadyCode || time.Since(began) > d {
			return err
		}
	}
}

// The codes that the two vendors share.
const (
	successCode        = 0
	invalidValueCode   = 1
	invalidDeviceCode  = 101
	invalidContextCode = 201
	invalidHandleCode  = 400
	notReadyCode       = 600
	destroyedCode      = 709
	registeredCode     = 712
	notPermittedCode   = 800
	notSupportedCode   = 801
	unsupportedCode    = 900 // while a stream captures
	invalidatedCode    = 901
	unmatchedCode      = 903
	unjoinedCode       = 904
	isolationCode      = 905
	implicitCode       = 906
	capturedCode       = 907
	wrongThreadCode    = 908

	otherCode   = -1 // an error without a code
	missingCode = -2 // the library has no such function
)

// The statuses of a stream that captures, and of one whose capture has failed.
const (
	activeStatus = 1
	spoiltStatus = 2
)

// coded is a result of either vendor.
type coded interface{ Name() string }

func codeIn(err error) int32 {
	var c coded
	switch {
	case err == nil:
		return successCode
	case isMissing(err):
		return missingCode
	case errors.As(err, &c):
		return numberOf(c)
	}
	return otherCode
}
