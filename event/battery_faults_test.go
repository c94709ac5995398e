package event_test

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/battery"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

func injections() []battery.Injection {
	if testing.Short() {
		return []battery.Injection{{Code: 2}, {Code: 201}, {Code: 700, Sticky: true},
			{Code: 1, Always: true}, {Missing: true}}
	}
	return []battery.Injection{
		{Code: 1}, {Code: 2}, {Code: 3}, {Code: 4}, {Code: 101}, {Code: 201}, {Code: 400}, {Code: 700},
		{Code: 709}, {Code: 719}, {Code: 801}, {Code: 999},
		{Code: 700, Sticky: true}, {Code: 719, Sticky: true},
		{Code: 1, Always: true}, {Code: 201, Always: true}, {Code: 719, Always: true},
		{Missing: true},
	}
}

// trial is the outcome of one run of an operation.
type trial struct {
	battery.Trial
	early    bool // while preparing
	hitEarly bool // the fault hit a call of the preparation, in flight on another thread
	objects  []string
	live     sim.Handles
	kept     int // handles that the driver refused to destroy
	created  sim.Handles
}

// maxOccurrence bounds how many calls of one function of one operation are tried: those of a loop
// are all alike.
const maxOccurrence = 4

// attempt runs an operation on a new machine, with at most one fault, on a thread with something
// current. A fault that hit no call in time says nothing: another try.
func attempt(
	f face, op operation, b battery.Binding, at battery.Target, inj battery.Injection,
) (tr trial) {
	o := sim.Options{SameProcessIPC: true, Log: true}
	if inj.Missing && at.Call != "" {
		o.Missing = []string{at.Call}
	}
	for range 10 {
		if tr = attemptOn(f, op, b, o, at, inj); tr.Hit || at.Call == "" {
			break
		}
	}
	return tr
}

func attemptOn(
	f face, op operation, b battery.Binding, o sim.Options, at battery.Target, inj battery.Injection,
) (tr trial) {
	r := newRig(f, o)
	defer r.remove()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	hit := func() bool { return inj.Missing && r.m.Missed(at.Call) }
	defer func() { tr.Late = !tr.Hit && hit() }()
	func() {
		defer func() {
			switch v := recover().(type) {
			case nil:
			case battery.Failure:
				tr.Err, tr.early = v.Err, true
			default:
				tr.Panicked = fmt.Sprintf("%v\n%s", v, debug.Stack())
			}
		}()
		r.Bind(b)
		tr.Thread = r.Thread() // now, for later others call as well
		if !op.cold {
			ensure(event.Unavailable(f.backend))
			if op.needs != 0 && !r.device(0).Capabilities().Has(op.needs) {
				tr.Skipped = true
				return
			}
		}
		run, objects := op.prepare(r)
		tr.objects = objects
		tr.Before = r.Current()
		if !inj.Missing {
			hit = r.Arm(at, inj)
		}
		r.m.ClearLog()
		tr.hitEarly = !inj.Missing && hit()
		tr.Err = run()
		tr.After = r.Current()
		if op.replaces {
			eventually(func() bool { return !busy(r) }) // a handle is destroyed on the side
		}
		eventually(func() bool { return !event.AnyLate() }) // as are shared ones
	}()
	tr.Hit = hit()
	tr.Calls = r.m.Log()
	tr.Reports = r.reports()
	if tr.Hit && tr.Err == nil && len(tr.Reports) == 0 && excused(tr, at, inj) == "" {
		if at.Aside && destroys(at.Call) { // what was not destroyed so far is destroyed now
			eventually(func() bool { return !busy(r) })
			event.DrainPools()
		}
		within(time.Second, func() bool { // another thread may be about to report it
			tr.Reports = r.reports()
			return len(tr.Reports) > 0
		})
	}
	r.m.ClearFaults()
	tr.kept = kept(r.m.Log())
	tr.Closing = r.CloseAll()
	// its failures must not reach the next attempt's handler
	eventually(func() bool { return !busy(r) })
	event.DrainPools()
	event.FlushErrors()
	patience := 200 * time.Millisecond // what is replaced is destroyed on the side
	if inj.Missing && destroys(at.Call) {
		patience = 20 * time.Millisecond // or not at all
	}
	within(patience, func() bool {
		l := r.live()
		return l.Streams == 0 && l.Events == 0 || kept(r.m.Log()) > 0
	})
	tr.live, tr.created, tr.Misuse = r.live(), r.created(), r.m.Misuse()
	if tr.Thread != 0 {
		within(200*time.Millisecond, func() bool {
			tr.Strange = r.Strangers(tr.Thread)
			return len(tr.Strange) == 0
		})
	}
	return tr
}

func kept(calls []sim.Call) int {
	h := battery.Refused(calls)
	return h.Events + h.Streams
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
func excused(tr trial, at battery.Target, inj battery.Injection) string {
	if inj.Code == 4 && destroys(at.Call) {
		return "it is silent at the end of the process"
	}
	if why := tr.Excused(at, inj); why != "" {
		return why
	}
	call := battery.PlainName(at.Call)
	switch call {
	case "EventElapsedTime":
		if inj.Missing {
			return "there is an older one"
		}
	case "EventRecordWithFlags", "StreamWaitValue64", "IpcGetEventHandle", "LaunchHostFunc",
		"StreamIsCapturing", "ExtMallocWithFlags":
		if inj.Missing {
			return "it is a capability"
		}
	}
	if call == "StreamIsCapturing" && inj.Code == 801 {
		return "it means that there are no captures"
	}
	if !inj.Missing && tr.Thread != 0 && !slices.ContainsFunc(tr.Calls, func(c sim.Call) bool {
		return c.Name == at.Call && c.Code == inj.Code && c.Thread == tr.Thread
	}) {
		return "it was made on the side, perhaps when the operation was over"
	}
	return ""
}

// verdict is what is wrong with a trial.
func verdict(f face, tr trial, at battery.Target, inj battery.Injection) (wrong []string) {
	complain := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf(format, args...))
	}
	if tr.hitEarly && tr.Panicked == nil {
		return nil
	}
	if tr.early { // nothing ran
		tr.After = tr.Before
	}
	if wrong = tr.Judge(at, inj); tr.Panicked != nil {
		return wrong
	}
	if errors.Is(tr.Err, errNotDone) {
		complain("a failure reads as not done: %v", tr.Err)
	}
	if !(inj.Missing && destroys(at.Call)) && tr.live.Streams+tr.live.Events != tr.kept {
		complain(
			"%d streams and %d events are left, of %d and %d, where the driver refused to destroy %d",
			tr.live.Streams, tr.live.Events, tr.created.Streams, tr.created.Events, tr.kept)
	}
	heard := errors.Join(append([]error{tr.Err}, tr.Reports...)...)
	if !tr.Hit {
		if heard != nil && !tr.Late {
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
	if strings.HasSuffix(at.Call, "StreamIsCapturing") && inj.Code == 801 {
		return wrong // it means that there are no captures, which other calls may deny then
	}
	wrong = append(wrong, battery.JudgeError(heard, f.backend, at, inj)...)
	if inj.Missing {
		return wrong
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

// TestFaults lets every driver call of every operation fail in every way, one at a time.
func TestFaults(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	var count battery.Count
	for _, f := range faces() {
		t.Run(f.String(), func(t *testing.T) {
			for _, op := range operations() {
				if op.cuda && f.backend != event.CUDA {
					continue
				}
				t.Run(op.name, func(t *testing.T) {
					for _, b := range faultBindings(f) {
						try := func(at battery.Target, inj battery.Injection) (battery.Trial, []string) {
							tr := attempt(f, op, b, at, inj)
							return tr.Trial, verdict(f, tr, at, inj)
						}
						count.Try(t, string(b)+" current", maxOccurrence, injections(), try)
					}
				})
			}
		})
	}
	goroutinesBack(t, goroutines)
	t.Logf("%d calls of %d functions, %d failures injected", count.Calls, len(count.Functions),
		count.Trials)
}

// faultBindings are what is current while calls fail: what has to be restored, and nothing.
func faultBindings(f face) []battery.Binding {
	if f.backend == event.CUDA {
		return []battery.Binding{battery.OtherDevice, battery.Unbound}
	}
	return []battery.Binding{battery.OtherDevice}
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
