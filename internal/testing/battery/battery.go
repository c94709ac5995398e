package battery

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// Injection is one way for a call to fail.
type Injection struct {
	Code    int32
	Sticky  bool // and everything after it, as after an illegal address
	Always  bool // and every later call of the same function
	Missing bool // the driver lacks the function
}

func (i Injection) String() string {
	switch {
	case i.Missing:
		return "missing"
	case i.Sticky:
		return fmt.Sprintf("%d for good", i.Code)
	case i.Always:
		return fmt.Sprintf("%d always", i.Code)
	}
	return fmt.Sprint(i.Code)
}

// Target is a call of an operation, the N-th of a function. The zero Target is none.
type Target struct {
	Call  string
	N     int
	Aside bool // only other threads call the function
}

// Trial is the outcome of one run of an operation.
type Trial struct {
	Err      error
	Panicked any
	Hit      bool // the fault hit a call
	Late     bool // it hit one only after the run
	Calls    []sim.Call
	Reports  []error // to the error handler
	Before   uintptr // current on the thread
	After    uintptr
	Closing  []error
	Misuse   []sim.Crash
	Strange  []string
	Thread   uint64 // of the operation
	Skipped  bool   // the driver lacks a capability
}

// Arm makes a call fail from now on. hit reports whether it has failed. A missing function is an
// option of the machine instead.
func (r *Rig) Arm(at Target, inj Injection) (hit func() bool) {
	if at.Call == "" {
		return func() bool { return false }
	}
	var hits atomic.Int32
	times := 1
	if inj.Always {
		times = -1
	}
	r.Machine.Fault(sim.Fault{Call: at.Call, At: at.N, Times: times, Code: inj.Code,
		Sticky: inj.Sticky, Before: func() { hits.Add(1) }})
	return func() bool { return hits.Load() > 0 }
}

// Count is the work of a battery.
type Count struct {
	Calls, Trials int
	Functions     map[string]bool
}

// Try lets each call of an operation fail in each way. Of a function it takes the first most calls,
// for the calls of a loop are alike. try runs the operation on a new machine and judges it.
func (c *Count) Try(t *testing.T, name string, most int, injections []Injection,
	try func(Target, Injection) (trial Trial, wrong []string),
) {
	clean, wrong := try(Target{}, Injection{})
	if clean.Skipped {
		return
	}
	if clean.Err != nil || len(clean.Closing)+len(wrong) > 0 {
		t.Fatalf("without a fault, %s: %v, close: %v, %v", name, clean.Err, clean.Closing, wrong)
	}
	if c.Functions == nil {
		c.Functions = map[string]bool{}
	}
	seen, own := map[string]int{}, map[string]bool{}
	for _, call := range clean.Calls {
		own[call.Name] = own[call.Name] || call.Thread == clean.Thread
	}
	for _, call := range clean.Calls {
		seen[call.Name]++
		at := Target{call.Name, seen[call.Name], !own[call.Name]}
		if at.N > most {
			continue
		}
		c.Calls++
		c.Functions[at.Call] = true
		for _, inj := range injections {
			if inj.Missing && at.N > 1 {
				continue
			}
			c.Trials++
			_, wrong := try(at, inj)
			for _, w := range wrong {
				t.Errorf("%s, %s call %d -> %s: %s", name, at.Call, at.N, inj, w)
			}
		}
	}
}

// Refused counts the handles that the driver was asked to destroy and refused to destroy. A refusal
// for want of a context does not count if the call was made again, as it is on CUDA.
func Refused(calls []sim.Call) (h sim.Handles) {
	for i, c := range calls {
		lateNews := c.Code >= 700 && c.Code < 800 && c.Code != 709 || c.Code == 999
		if c.Code == 0 || lateNews {
			continue
		}
		again := func(later sim.Call) bool { return later.Name == c.Name && later.Thread == c.Thread }
		entered := strings.HasPrefix(c.Name, "cuEvent") || strings.HasPrefix(c.Name, "cuStream")
		if entered && c.Code == 201 && slices.ContainsFunc(calls[i+1:], again) {
			continue
		}
		switch PlainName(c.Name) {
		case "EventDestroy":
			h.Events++
		case "StreamDestroy":
			h.Streams++
		case "GraphDestroy":
			h.Graphs++
		case "GraphExecDestroy":
			h.Execs++
		case "MemFree", "MemFreeHost", "Free", "HostFree":
			h.Memory++
		case "ModuleUnload":
			h.Modules++
			if strings.HasPrefix(c.Name, "cu") { // and with it the variable
				h.Memory++
			}
		}
	}
	return h
}

// PlainName is a C function's name without prefix and version.
func PlainName(call string) string {
	call = strings.TrimPrefix(strings.TrimPrefix(call, "cu"), "hip")
	for _, suffix := range []string{"_v2", "_v3", "_v4", "R0600"} {
		call = strings.TrimSuffix(call, suffix)
	}
	return call
}

// Excused returns why any operation may survive the failure of a call, or "".
func (t Trial) Excused(at Target, inj Injection) string {
	call := PlainName(at.Call)
	switch call {
	case "DeviceGetUuid", "GetDeviceProperties", "RuntimeGetVersion":
		return "an old driver may lack it"
	case "DeviceGetAttribute":
		if inj.Code == 1 || strings.HasPrefix(at.Call, "hip") {
			return "an old driver does not know the attribute"
		}
	case "ThreadExchangeStreamCaptureMode":
		return "a query is safe without it unless a capture is in progress"
	}
	switches := call == "CtxSetCurrent" || call == "SetDevice"
	if inj.Sticky && (switches || call == "CtxGetCurrent" || call == "GetDevice") {
		return "later calls fail as well, and are reported"
	}
	// Calls that are made again: in a context if the driver insists on one, to give a thread its
	// own back.
	if inj.Code == 201 || switches {
		failed := false
		for _, c := range t.Calls {
			switch {
			case c.Name != at.Call:
			case c.Code == inj.Code:
				failed = true
			case c.Code == 0 && failed:
				return "it was made again"
			}
		}
	}
	return ""
}

// Judge returns the mistakes of a trial that do not depend on its error.
func (t Trial) Judge(at Target, inj Injection) (wrong []string) {
	if t.Panicked != nil {
		return []string{fmt.Sprintf("panic: %v", t.Panicked)}
	}
	call := PlainName(at.Call)
	restoring := (t.Hit || t.Late) && (call == "CtxSetCurrent" || call == "SetDevice") &&
		(inj.Always || inj.Sticky)
	if t.Before != t.After && !restoring {
		wrong = append(wrong,
			fmt.Sprintf("the thread had %#x current before and %#x after", t.Before, t.After))
	}
	if len(t.Strange) > 0 && !restoring {
		wrong = append(wrong, fmt.Sprint(t.Strange))
	}
	for _, c := range t.Misuse {
		wrong = append(wrong, fmt.Sprintf("misuse: %v", c))
	}
	return wrong
}

// JudgeError returns what an error lacks, of which a failed call is the cause.
func JudgeError(err error, b event.Backend, at Target, inj Injection) (wrong []string) {
	complain := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf(format, args...))
	}
	if inj.Missing {
		if !errors.Is(err, cudrv.ErrSymbolNotFound) && !errors.Is(err, hip.ErrSymbolNotFound) &&
			!errors.Is(err, event.ErrUnsupported) {
			complain("not the error of a missing function: %v", err)
		}
		if !errors.Is(err, event.ErrUnsupported) && !strings.Contains(err.Error(), at.Call) {
			complain("the error does not name the function: %v", err)
		}
		return wrong
	}
	if want := Result(b, inj.Code); !errors.Is(err, want) {
		complain("the error is not %v: %v", want, err)
	}
	// a broken device may have failed another call first
	if !namesCall(err, at.Call) && !inj.Sticky {
		complain("the error does not name the call: %v", err)
	}
	for _, d := range DriverErrors(err) {
		for _, text := range []string{": " + d.Call + ": ", codeText(d.Code)} {
			if strings.Count(d.Error(), text) != 1 {
				complain("the error does not contain %q once: %v", text, d)
			}
		}
	}
	return wrong
}

// Result is a vendor's error of a code.
func Result(b event.Backend, code int32) error {
	if b == event.CUDA {
		return cudrv.Result(code)
	}
	return hip.Result(code)
}

// codeText is the part of a driver error's text for its code.
func codeText(code error) string {
	switch code := code.(type) {
	case cudrv.Result:
		return " (" + strconv.Itoa(int(code)) + "): "
	case hip.Result:
		return " (" + strconv.Itoa(int(code)) + "): "
	}
	return code.Error()
}

// namesCall reports whether the failed call can be read from an error. A typed error has it in a
// field.
func namesCall(err error, call string) bool {
	typed := DriverErrors(err)
	for _, d := range typed {
		if d.Call == call {
			return true
		}
	}
	return len(typed) == 0 && strings.Contains(err.Error(), call)
}

// DriverErrors are all failed calls in a tree of errors.
func DriverErrors(err error) (found []*event.DriverError) {
	if err == nil {
		return nil
	}
	if d, ok := err.(*event.DriverError); ok {
		found = append(found, d)
	}
	switch u := err.(type) {
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			found = append(found, DriverErrors(e)...)
		}
	default:
		found = append(found, DriverErrors(errors.Unwrap(err))...)
	}
	return found
}
