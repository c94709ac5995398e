// Package batch implements the batches of cudrv and hip: lists of calls, made in one crossing into
// C.
package batch

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/gpuevent/gpuevent/internal/ccall"
	"github.com/gpuevent/gpuevent/internal/dl"
	"github.com/gpuevent/gpuevent/internal/params"
)

// List is an ordered list of calls. The zero value is empty. One goroutine at a time may use it.
type List struct {
	steps   []ccall.Step
	procs   []*dl.Proc
	missing *Error
	blocks  []*params.Block // copies, of which the first used ones belong to calls
	used    int
}

// Error reports which call of a batch failed. Earlier calls took effect; later ones were not made.
// If the library lacks a function, no call was made.
type Error struct {
	Index int    // of the call, counted from 0
	Len   int    // the number of calls in the batch
	Call  string // the C function
	Err   error  // why it failed; or that the library or the function is missing
	Made  bool   // the call was made
}

// Error names the call by its number; Err names its function.
func (e *Error) Error() string {
	what := "none of its calls was made"
	if e.Made {
		what = fmt.Sprintf("the %d before it took effect, the %d behind it were not made",
			e.Index, e.Len-e.Index-1)
	}
	return fmt.Sprintf("call %d of a batch of %d: %v; %s", e.Index, e.Len, e.Err, what)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Add adds a call. Words are numbers and handles: memory that they point to is not kept alive.
func (l *List) Add(p *dl.Proc, words ...uintptr) {
	addr, err := p.Addr()
	if err != nil && l.missing == nil {
		l.missing = &Error{Index: len(l.steps), Call: p.Symbol, Err: err}
	}
	n := len(l.steps)
	if n == cap(l.steps) {
		l.grow()
	}
	l.steps = l.steps[:n+1]
	if len(words) == 2 {
		l.steps[n].SetShort(addr, words[0], words[1], 0)
	} else {
		l.steps[n].Set(addr, words...)
	}
	l.procs = append(l.procs, p)
}

// grow makes room for more calls.
func (l *List) grow() {
	bigger := make([]ccall.Step, len(l.steps), max(8, 2*cap(l.steps)))
	copy(bigger, l.steps)
	l.steps = bigger
}

// Params copies the parameters of a launch into the list and returns the argument for C.
func (l *List) Params(b *params.Block) uintptr {
	if b == nil || b.Len() == 0 {
		return 0
	}
	if l.used == len(l.blocks) {
		l.blocks = append(l.blocks, new(params.Block))
	}
	own := l.blocks[l.used]
	l.used++
	own.Set(b)
	return ccall.Ptr(unsafe.Pointer(own.Pointers()))
}

// Len returns the number of calls.
func (l *List) Len() int { return len(l.steps) }

// Reset removes all calls and keeps the memory.
func (l *List) Reset() {
	l.steps, l.procs, l.missing, l.used = l.steps[:0], l.procs[:0], nil, 0
}

// Run makes the calls up to the first that fails, and returns its error, which callError makes from
// the function and the result code. Run may be called again.
func (l *List) Run(callError func(p *dl.Proc, code int32) error) *Error {
	if l.missing != nil {
		e := *l.missing
		e.Len = len(l.steps)
		return &e
	}
	ok := ccall.Run(l.steps)
	runtime.KeepAlive(l)
	if ok {
		return nil
	}
	i := ccall.FirstFailed(l.steps)
	p := l.procs[i]
	return &Error{i, len(l.steps), p.Symbol, callError(p, l.steps[i].Code), true}
}
