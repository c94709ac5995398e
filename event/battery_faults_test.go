package event_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// injection is one way for a call to fail.
type injection struct {
	code    int32
	sticky  bool // and everything after it, as after an illegal address
	always  bool // and every later call of the same function
	missing bool // the driver lacks the function
}

func (i injection) String() string {
	switch {
	case i.missing:
		return "missing"
	case i.sticky:
		return fmt.Sprintf("%d for good", i.code)
	case i.always:
		return fmt.Sprintf("%d always", i.code)
	}
	return fmt.Sprint(i.code)
}

func injections() []injection {
	if testing.Short() {
		return []injection{{code: 2}, {code: 201}, {code: 700, sticky: true}, {code: 1, always: true},
			{missing: true}}
	}
	return []injection{
		{code: 1}, {code: 2}, {code: 3}, {code: 4}, {code: 101}, {code: 201}, {code: 400}, {code: 700},
		{code: 709}, {code: 719}, {code: 801}, {code: 999},
		{code: 700, sticky: true}, {code: 719, sticky: true},
		{code: 1, always: true}, {code: 201, always: true}, {code: 719, always: true},
		{missing: true},
	}
}

// target is a call of an operation: the n-th of a function.
type target struct {
	call  string
	n     int
	aside bool // only other threads call the function
}

// trial is what happened when an operation ran.
type trial struct {
	err      error
	panicked any
	early    bool // while preparing
	hitEarly bool // the fault hit a call of the preparation, in flight on another thread
	hit      bool // the fault hit a call
	late     bool // it hit one only when nobody listened any more
	calls    []sim.Call
	objects  []string
	reports  []error
	before   uintptr
	after    uintptr
	live     sim.Handles
	kept     int // handles that the driver refused to destroy
	created  sim.Handles
	closing  []error
	misuse   []sim.Crash
	strange  []string
	skipped  bool
	thread   uint64 // of the operation
}

// maxOccurrence bounds how many calls of one function of one operation are tried: those of a loop
// are all alike.
const maxOccurrence = 4

// attempt runs an operation on a new machine, with at most one fault, on a thread with something
// current. A fault that hit no call in time says nothing: another try.
func attempt(f face, op operation, b binding, at target, inj injection) (tr trial) {
	o := sim.Options{SameProcessIPC: true, Log: true}
	if inj.missing && at.call != "" {
		o.Missing = []string{at.call}
	}
	for range 10 {
		if tr = attemptOn(f, op, b, o, at, inj); tr.hit || at.call == "" {
			break
		}
	}
	return tr
}

func attemptOn(
	f face, op operation, b binding, o sim.Options, at target, inj injection,
) (tr trial) {
	r := newRig(f, o)
	defer r.remove()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	var hits atomic.Int32
	hit := func() bool { return hits.Load() > 0 || inj.missing && r.m.Missed(at.call) }
	defer func() { tr.late = !tr.hit && hit() }()
	mine := uint64(0)
	func() {
		defer func() {
			switch v := recover().(type) {
			case nil:
			case setupFailure:
				tr.err, tr.early = v.err, true
			default:
				tr.panicked = fmt.Sprintf("%v\n%s", v, stack())
			}
		}()
		r.bind(b)
		mine = thisThread(r) // now, for later others call as well
		tr.thread = mine
		if !op.cold {
			ensure(event.Unavailable(f.backend))
			if op.needs != 0 && !r.device(0).Capabilities().Has(op.needs) {
				tr.skipped = true
				return
			}
		}
		run, objects := op.prepare(r)
		tr.objects = objects
		tr.before = r.current()
		if at.call != "" && !inj.missing {
			times := 1
			if inj.always {
				times = -1
			}
			r.m.Fault(sim.Fault{Call: at.call, At: at.n, Times: times, Code: inj.code, Sticky: inj.sticky,
				Before: func() { hits.Add(1) }})
		}
		r.m.ClearLog()
		tr.hitEarly = hits.Load() > 0
		tr.err = run()
		tr.after = r.current()
		if op.replaces {
			eventually(func() bool { return !busy(r) }) // a handle is destroyed on the side
		}
		eventually(func() bool { return !event.AnyLate() }) // as are shared ones
	}()
	tr.hit = hit()
	tr.calls = r.m.Log()
	tr.reports = r.reports()
	if tr.hit && tr.err == nil && len(tr.reports) == 0 && excused(tr, at, inj) == "" {
		if at.aside && destroys(at.call) { // what was not destroyed so far is destroyed now
			eventually(func() bool { return !busy(r) })
			event.DrainPools()
		}
		within(time.Second, func() bool { // another thread may be about to report it
			tr.reports = r.reports()
			return len(tr.reports) > 0
		})
	}
	r.m.ClearFaults()
	tr.kept = kept(r.m.Log())
	tr.closing = r.closeAll()
	// its failures must not reach the next attempt's handler
	eventually(func() bool { return !busy(r) })
	event.DrainPools()
	event.FlushErrors()
	patience := 200 * time.Millisecond // what is replaced is destroyed on the side
	if inj.missing && destroys(at.call) {
		patience = 20 * time.Millisecond // or not at all
	}
	within(patience, func() bool {
		l := r.live()
		return l.Streams == 0 && l.Events == 0 || kept(r.m.Log()) > 0
	})
	tr.live, tr.created, tr.misuse = r.live(), r.created(), r.m.Misuse()
	if mine != 0 {
		within(200*time.Millisecond, func() bool {
			tr.strange = r.strangers(mine)
			return len(tr.strange) == 0
		})
	}
	return tr
}

// thisThread is the number of the calling thread, as the machine sees it.
func thisThread(r *rig) uint64 {
	r.m.ClearLog()
	asked := "cuDriverGetVersion" // which nobody else calls meanwhile
	if r.backend == event.CUDA {
		_, _ = cudrv.DriverGetVersion()
	} else {
		asked = "hipRuntimeGetVersion"
		_, _ = hip.RuntimeGetVersion()
	}
	for _, c := range r.m.Log() {
		if c.Name == asked {
			return c.Thread
		}
	}
	return 0
}

func stack() string {
	buf := make([]byte, 1<<14)
	return string(buf[:runtime.Stack(buf, false)])
}

// kept counts the handles that the driver was asked to destroy and refused to: those it keeps. A
// refusal for want of a context does not count if the call was made again, as it is on CUDA.
func kept(calls []sim.Call) (n int) {
	for i, c := range calls {
		lateNews := c.Code >= 700 && c.Code < 800 && c.Code != 709 || c.Code == 999
		if c.Code == 0 || lateNews || !destroys(c.Name) {
			continue
		}
		again := func(later sim.Call) bool { return later.Name == c.Name && later.Thread == c.Thread }
		if c.Code != 201 || strings.HasPrefix(c.Name, "hip") || !slices.ContainsFunc(calls[i+1:], again) {
			n++
		}
	}
	return n
}

func occurrences(calls []sim.Call, name string) (n int) {
	for _, c := range calls {
		if c.Name == name {
			n++
		}
	}
	return n
}

func destroys(call string) bool {
	return strings.Contains(call, "EventDestroy") || strings.Contains(call, "StreamDestroy")
}

// excused are the calls whose failure an operation may survive, and why.
func excused(tr trial, at target, inj injection) string {
	call := plainName(strings.TrimPrefix(strings.TrimPrefix(at.call, "cu"), "hip"))
	if inj.code == 4 && destroys(at.call) {
		return "it is silent at the end of the process"
	}
	switch call {
	case "DeviceGetUuid", "GetDeviceProperties", "RuntimeGetVersion":
		return "an old driver may not tell"
	case "DeviceGetAttribute":
		if inj.code == 1 || strings.HasPrefix(at.call, "hip") {
			return "an old driver does not know the attribute"
		}
	case "ThreadExchangeStreamCaptureMode":
		return "asking is safe without it unless somebody captures"
	case "EventElapsedTime":
		if inj.missing {
			return "there is an older one"
		}
	case "EventRecordWithFlags", "StreamWaitValue64", "IpcGetEventHandle", "LaunchHostFunc",
		"StreamIsCapturing", "ExtMallocWithFlags":
		if inj.missing {
			return "it is a capability"
		}
	}
	if call == "StreamIsCapturing" && inj.code == 801 {
		return "it means that there are no captures"
	}
	if !inj.missing && tr.thread != 0 && !slices.ContainsFunc(tr.calls, func(c sim.Call) bool {
		return c.Name == at.call && c.Code == inj.code && c.Thread == tr.thread
	}) {
		return "it was made on the side, perhaps when the operation was over"
	}
	if inj.sticky &&
		(call == "CtxSetCurrent" || call == "SetDevice" || call == "CtxGetCurrent" ||
			call == "GetDevice") {
		return "what comes after it fails as well, and says so"
	}
	// Calls that are made again: in a context if the driver insists on one, to give a thread its
	// own back.
	if inj.code == 201 || call == "CtxSetCurrent" || call == "SetDevice" {
		failed := false
		for _, c := range tr.calls {
			switch {
			case c.Name != at.call:
			case c.Code == inj.code:
				failed = true
			case c.Code == 0 && failed:
				return "it was made again"
			}
		}
	}
	return ""
}

// verdict is what is wrong with a trial.
func verdict(f face, tr trial, at target, inj injection) (wrong []string) {
	complain := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf(format, args...))
	}
	if tr.panicked != nil {
		complain("panic: %v", tr.panicked)
		return wrong
	}
	if tr.hitEarly {
		return wrong
	}
	if errors.Is(tr.err, errNotDone) {
		complain("a failure reads as not done: %v", tr.err)
	}
	restoring := (strings.HasSuffix(at.call, "CtxSetCurrent") ||
		strings.HasSuffix(at.call, "SetDevice")) && (inj.always || inj.sticky)
	if tr.before != tr.after && !tr.early && !restoring {
		complain("the thread had %#x current before and %#x after", tr.before, tr.after)
	}
	if len(tr.strange) > 0 && !restoring {
		complain("%v", tr.strange)
	}
	if !(inj.missing && destroys(at.call)) && tr.live.Streams+tr.live.Events != tr.kept {
		complain(
			"%d streams and %d events are left, of %d and %d, where the driver refused to destroy %d",
			tr.live.Streams, tr.live.Events, tr.created.Streams, tr.created.Events, tr.kept)
	}
	for _, c := range tr.misuse {
		complain("misuse: %v", c)
	}
	heard := errors.Join(append([]error{tr.err}, tr.reports...)...)
	if !tr.hit {
		if heard != nil && !tr.late {
			complain("a failure that nobody caused: %v", heard)
		}
		return wrong // fewer calls than the time before, in a loop or on the side: nothing failed
	}
	if heard == nil {
		if excused(tr, at, inj) == "" {
			complain("it was not reported")
		}
		return wrong
	}
	if errors.Is(heard, errStateFailed) {
		return wrong // a state has no more to say
	}
	if inj.missing {
		if !errors.Is(heard, cudrv.ErrSymbolNotFound) && !errors.Is(heard, hip.ErrSymbolNotFound) &&
			!errors.Is(heard, event.ErrUnsupported) {
			complain("not the error of a missing function: %v", heard)
		}
		if !errors.Is(heard, event.ErrUnsupported) && !strings.Contains(heard.Error(), at.call) {
			complain("the error does not name the function: %v", heard)
		}
		return wrong
	}
	if strings.HasSuffix(at.call, "StreamIsCapturing") && inj.code == 801 {
		return wrong // it means that there are no captures, which other calls may deny then
	}
	var want error = cudrv.Result(inj.code)
	if f.backend == event.HIP {
		want = hip.Result(inj.code)
	}
	if !errors.Is(heard, want) {
		complain("the error is not %v: %v", want, heard)
	}
	// a broken device may have failed another call first
	if !namesCall(heard, at.call) && !inj.sticky {
		complain("the error does not name the call: %v", heard)
	}
	for _, d := range driverErrors(heard) {
		for _, what := range []string{": " + d.Call + ": ", codeText(d.Code)} {
			if strings.Count(d.Error(), what) != 1 {
				complain("the error does not say %q once: %v", what, d)
			}
		}
	}
	aside := strings.HasPrefix(heard.Error(), "destroy ") // something that the user knows nothing of
	if !aside &&
		!slices.ContainsFunc(tr.objects, func(o string) bool {
			return strings.Contains(heard.Error(), o)
		}) {
		complain("the error names none of %q: %v", tr.objects, heard)
	}
	return wrong
}

// codeText is what the text of a driver's error says about its code once.
func codeText(code error) string {
	switch code := code.(type) {
	case cudrv.Result:
		return " (" + strconv.Itoa(int(code)) + "): "
	case hip.Result:
		return " (" + strconv.Itoa(int(code)) + "): "
	}
	return code.Error()
}

// namesCall reports whether the failed call can be read from an error; where it is typed, from its
// field.
func namesCall(err error, call string) bool {
	typed := driverErrors(err)
	for _, d := range typed {
		if d.Call == call {
			return true
		}
	}
	return len(typed) == 0 && strings.Contains(err.Error(), call)
}

// targets are the calls of an operation without faults, which ran on a thread.
func targets(calls []sim.Call, thread uint64) (all []target) {
	seen, own := map[string]int{}, map[string]bool{}
	for _, c := range calls {
		own[c.Name] = own[c.Name] || c.Thread == thread
	}
	for _, c := range calls {
		seen[c.Name]++
		if seen[c.Name] <= maxOccurrence {
			all = append(all, target{c.Name, seen[c.Name], !own[c.Name]})
		}
	}
	return all
}

// TestFaults lets every driver call of every operation fail in every way, one at a time.
func TestFaults(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	operationsTried, callsTried, trials := map[string]bool{}, 0, 0
	functions := map[string]bool{}
	for _, f := range faces() {
		t.Run(f.String(), func(t *testing.T) {
			for _, op := range operations() {
				if op.cuda && f.backend != event.CUDA {
					continue
				}
				t.Run(op.name, func(t *testing.T) {
					for _, b := range faultBindings(f) {
						clean := attempt(f, op, b, target{}, injection{})
						if clean.skipped {
							continue // the driver lacks the capability
						}
						require.NoError(t, clean.err, "without a fault, with %s current", b)
						require.Nil(t, clean.panicked)
						require.Empty(t, clean.closing)
						require.Equal(t, clean.before, clean.after)
						all := targets(clean.calls, clean.thread)
						operationsTried[f.String()+op.name] = true
						callsTried += len(all)
						for _, at := range all {
							functions[at.call] = true
							for _, inj := range injections() {
								if inj.missing && at.n > 1 {
									continue
								}
								trials++
								tr := attempt(f, op, b, at, inj)
								for _, w := range verdict(f, tr, at, inj) {
									t.Errorf("%s current, %s call %d -> %s: %s", b, at.call, at.n, inj, w)
								}
							}
						}
					}
				})
			}
		})
	}
	goroutinesBack(t, goroutines)
	t.Logf("%d operations on the drivers' profiles, %d calls of %d functions in them, "+
		"%d failures injected", len(operationsTried), callsTried, len(functions), trials)
}

// faultBindings are what is current while calls fail: what has to be restored, and nothing.
func faultBindings(f face) []binding {
	if f.backend == event.CUDA {
		return []binding{otherDevice, unbound}
	}
	return []binding{otherDevice}
}

// busy reports whether handles are being destroyed on the side.
func busy(r *rig) bool {
	for n := range 2 {
		d, err := event.Open(fmt.Sprintf("%s:%d", r.backend, n))
		if err != nil {
			continue
		}
		event.DropRelays(d) // or they would stay for a while
		if event.Busy(d) {
			return true
		}
	}
	return false
}
