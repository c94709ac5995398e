package compute_test

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// injection is one way for a call to fail.
type injection struct {
	code   int32
	sticky bool // and everything after it, as after an illegal address
}

func (i injection) String() string {
	if i.sticky {
		return fmt.Sprintf("%d for good", i.code)
	}
	return fmt.Sprint(i.code)
}

// everyFault takes minutes; make stress sets it.
var everyFault = flag.Bool("compute.faults", false,
	"let every call fail on all drivers and with more codes, not on the newest only")

// injections are a plain failure, too little memory, one of earlier work that destroys report,
// and a broken device.
func injections() []injection {
	all := []injection{{code: 304}, {code: 2}, {code: 700, sticky: true}}
	if *everyFault {
		all = append(all, injection{code: 1}, injection{code: 201}, injection{code: 999},
			injection{code: 719, sticky: true})
	}
	return all
}

// place is a call of an operation: the n-th of a function.
type place struct {
	call string
	n    int
}

// attempted is what happened when an operation ran.
type attempted struct {
	err       error
	again     error // of the second run, without a fault
	wrong     error // of the check
	panicked  any
	hit       bool
	late      bool // the fault hit a call of another thread while it was being removed
	elsewhere bool // the fault hit another thread's call
	calls     []sim.Call
	reports   []error
	before    uintptr
	after     uintptr
	left      sim.Handles
	kept      sim.Handles // what the driver refused to destroy
	usage     compute.Usage
	closing   []error
	misuse    []sim.Crash
	strange   []string
}

// attempt runs an operation on a new machine with at most one fault, on a thread that has the other
// device or nothing current. A fault that hit while it was being removed says nothing: another try.
func attempt(to target, op operation, unbound bool, at place, inj injection) (a attempted) {
	for range 10 {
		if a = try(to, op, unbound, at, inj); !a.late {
			break
		}
	}
	return a
}

func try(to target, op operation, unbound bool, at place, inj injection) (a attempted) {
	b := newBench(to, sim.Options{Log: true})
	defer b.remove()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var mine uint64
	defer func() {
		if v := recover(); v != nil {
			a.panicked = fmt.Sprintf("%v\n%s", v, debug.Stack())
			if o, ok := v.(obstacle); ok {
				a.panicked = fmt.Sprintf("preparing: %v", o.err)
			}
			b.m.ClearFaults()
			b.closeAll()
		}
	}()
	b.bind(unbound)
	mine = b.thread()
	b.open()
	run, check := op.prepare(b)
	var hits, elsewhere atomic.Int32
	a.before = b.current()
	if at.call != "" {
		b.m.Fault(sim.Fault{Call: at.call, At: at.n, Code: inj.code, Sticky: inj.sticky,
			Before: func() { hits.Add(1) }})
	}
	b.m.ClearLog()
	a.err = run()
	a.after = b.current()
	if op.background { // gates are open: let it happen before the fault is healed
		within(4*time.Millisecond, func() bool { return b.usage().Buffers == 0 })
	}
	a.hit = hits.Load() > 0
	b.m.ClearFaults()
	defer func() { a.late = !a.hit && hits.Load() > 0 }()
	a.calls = b.m.Log()
	n := 0
	for _, c := range a.calls {
		if c.Name == at.call {
			if n++; n == at.n && c.Thread != mine {
				elsewhere.Add(1)
			}
		}
	}
	a.elsewhere = elsewhere.Load() > 0
	if !(a.hit && inj.sticky) {
		if !op.once || a.err != nil {
			a.again = run()
		}
		if check != nil {
			a.wrong = check()
		}
		if a.wrong == nil {
			a.wrong = works(b)
		}
	}
	a.closing = b.closeAll()
	a.settle(b)
	a.misuse = b.m.Misuse()
	within(200*time.Millisecond, func() bool {
		a.strange = b.strangers(mine)
		return len(a.strange) == 0
	})
	if a.hit && a.err == nil && excused(a, op, at, inj) == "" { // then a handler must get the error
		within(100*time.Millisecond, func() bool { return len(b.reports()) > 0 })
	}
	// The handler may get a late report of what an earlier attempt has broken.
	a.reports = slices.DeleteFunc(b.reports(), func(err error) bool {
		return !inj.sticky && strings.HasPrefix(err.Error(), "destroy ") &&
			(isCode(err, 700) || isCode(err, 719))
	})
	return a
}

// settle waits until nothing is left but what the driver refused to destroy.
func (a *attempted) settle(b *bench) {
	within(2*time.Second, func() bool {
		a.left, a.usage, a.kept = b.handles(), b.usage(), refused(b.m.Log())
		return a.left == a.kept && a.usage == compute.Usage{}
	})
}

// refused counts the handles that the driver was called to destroy and refused to, without a
// second call.
func refused(calls []sim.Call) (h sim.Handles) {
	for i, c := range calls {
		lateNews := c.Code >= 700 && c.Code < 800 && c.Code != 709 || c.Code == 999
		if c.Code == 0 || lateNews {
			continue
		}
		again := func(later sim.Call) bool { return later.Name == c.Name && later.Thread == c.Thread }
		inside := strings.HasPrefix(c.Name, "cuEvent") || strings.HasPrefix(c.Name, "cuStream")
		if inside && c.Code == 201 && slices.ContainsFunc(calls[i+1:], again) {
			continue
		}
		switch plainName(c.Name) {
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

// plainName is a C function's name without prefix and version.
func plainName(call string) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(call, "cu"), "hip"), "_v2")
}

// works runs a kernel on new memory.
func works(b *bench) error {
	m, err := compute.Load(b.device, b.image(map[string]compute.HostKernel{"saxpy": saxpyGo}))
	if err != nil {
		return err
	}
	defer m.Close()
	k, err := m.Kernel("saxpy")
	if err != nil {
		return err
	}
	x, err := compute.From(b.stream, []float32{1, 2})
	if err != nil {
		return err
	}
	defer x.Close()
	if err := k.Launch(b.stream, compute.Linear(2, 32), int32(2), float32(1), x, x); err != nil {
		return err
	}
	return content(b, x, 2, 4)()
}

// excused are the calls whose failure an operation survives, and why.
func excused(a attempted, op operation, at place, inj injection) string {
	switch call := plainName(at.call); call {
	case "DeviceGetUuid", "GetDeviceProperties", "GetDevicePropertiesR0600", "RuntimeGetVersion",
		"DriverGetVersion":
		return "an old driver may not report it"
	case "DeviceGetAttribute":
		return "an old driver does not know the attribute"
	case "FuncGetAttribute", "FuncGetParamInfo", "KernelGetParamInfo":
		if inj.code == 1 {
			return "an old driver does not know the attribute, and a kernel's parameters end"
		}
	case "ThreadExchangeStreamCaptureMode":
		return "the query is safe without it unless a capture is in progress"
	case "CtxSetCurrent", "SetDevice", "CtxGetCurrent", "GetDevice":
		if inj.sticky {
			return "what comes after it fails as well, and says so"
		}
		return "it was made again"
	case "StreamEndCapture":
		return "it is made again"
	case "MemFreeAsync", "FreeAsync":
		return "the memory is freed without the order of a stream"
	case "DeviceCanAccessPeer", "CtxEnablePeerAccess", "DeviceEnablePeerAccess", "MemPoolSetAccess":
		return "copies between devices work without"
	case "DeviceGetDefaultMemPool":
		if a.again == nil && occurrences(a.calls, "cuMemPoolSetAccess") == 0 {
			return "copies between devices work without"
		}
	case "MemAlloc", "MemAllocAsync", "Malloc", "MallocAsync", "MemPoolSetAttribute":
		if inj.code == 2 && !inj.sticky {
			return "it is made again, when memory was freed"
		}
	case "StreamIsCapturing":
		if op.once || op.background {
			return "it is asked again"
		}
	case "EventQuery", "StreamQuery", "EventRecord", "EventRecordWithFlags", "EventCreate",
		"EventCreateWithFlags", "StreamWaitEvent", "DeviceGetStreamPriorityRange",
		"StreamCreateWithPriority":
		if a.elsewhere || inj.sticky || op.once || op.background {
			return "the end of an object is ordered in another way"
		}
	}
	if inj.sticky {
		return "the end of what is gone with the device is no failure"
	}
	if inj.code == 201 {
		return "it was made again"
	}
	return ""
}

func occurrences(calls []sim.Call, name string) (n int) {
	for _, c := range calls {
		if c.Name == name {
			n++
		}
	}
	return n
}

// verdict is what is wrong with an attempt.
func (a attempted) verdict(b target, op operation, at place, inj injection) (wrong []string) {
	complain := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf(format, args...))
	}
	if a.panicked != nil {
		complain("panic: %v", a.panicked)
		return wrong
	}
	plain := plainName(at.call)
	restoring := a.hit && (plain == "CtxSetCurrent" || plain == "SetDevice") &&
		inj.sticky
	if a.before != a.after && !restoring {
		complain("the thread had %#x current before and %#x after", a.before, a.after)
	}
	if len(a.strange) > 0 && !restoring {
		complain("%v", a.strange)
	}
	if a.left != a.kept {
		complain("left: %+v, where the driver refused to destroy %+v", a.left, a.kept)
	}
	if a.usage != (compute.Usage{}) {
		complain("the account has %+v", a.usage)
	}
	sticky := a.hit && inj.sticky
	for _, c := range a.misuse {
		if !sticky { // work that a breaking device still runs may find its memory gone
			complain("misuse: %v", c)
		}
	}
	if a.again != nil {
		complain("a second run: %v", a.again)
	}
	if a.wrong != nil {
		complain("afterwards: %v", a.wrong)
	}
	want := (&bench{target: b}).result(inj.code)
	for _, err := range a.closing {
		stays := isCode(err, 900) // no capture ends on a broken device
		if !(sticky && (errors.Is(err, want) || stays)) {
			complain("close: %v", err)
		}
	}
	if !a.hit {
		if a.err != nil || len(a.reports) > 0 {
			complain("failures without a cause: %v, %v", a.err, a.reports)
		}
		return wrong
	}
	heard := errors.Join(append([]error{a.err}, a.reports...)...)
	if heard == nil {
		if excused(a, op, at, inj) == "" {
			complain("it was not reported")
		}
		return wrong
	}
	if !errors.Is(heard, want) {
		complain("the error is not %v: %v", want, heard)
	}
	if inj.code == 2 && isAllocation(at.call) && !errors.Is(heard, compute.ErrOutOfMemory) {
		complain("not ErrOutOfMemory: %v", heard)
	}
	named := slices.ContainsFunc(driverErrors(heard), func(d *event.DriverError) bool {
		return strings.HasPrefix(at.call, d.Call)
	})
	if !named && !inj.sticky && !strings.Contains(heard.Error(), at.call) {
		complain("the error does not name the call: %v", heard)
	}
	return wrong
}

// isCode reports whether an error has the code, which is the same for both vendors.
func isCode(err error, code int32) bool {
	return errors.Is(err, cudrv.Result(code)) || errors.Is(err, hip.Result(code))
}

func isAllocation(call string) bool {
	switch plainName(call) {
	case "MemAlloc", "MemAllocAsync", "Malloc", "MallocAsync", "MemHostAlloc", "HostMalloc":
		return true
	}
	return false
}

// places are the calls of an operation; of a function the first few, for those of a loop are all
// alike.
func places(calls []sim.Call) (all []place) {
	mostOccurrences := 4
	if !*everyFault {
		mostOccurrences = 2
	}
	seen := map[string]int{}
	for _, c := range calls {
		if seen[c.Name]++; seen[c.Name] <= mostOccurrences {
			all = append(all, place{c.Name, seen[c.Name]})
		}
	}
	return all
}

// drivers are the simulated ones, or the newest of each vendor.
func drivers() (list []target) {
	for _, to := range targets {
		short := to.version == "13.5" || to.version == "7.2"
		if to.backend != event.Host && (*everyFault || short) {
			list = append(list, to)
		}
	}
	return list
}

// TestFaults lets every driver call of every operation fail in every way, one at a time.
func TestFaults(t *testing.T) {
	trials, calls, functions := 0, 0, map[string]bool{}
	for _, to := range drivers() {
		t.Run(to.name, func(t *testing.T) {
			for _, op := range operations() {
				if !op.runsOn(to) {
					continue
				}
				t.Run(op.name, func(t *testing.T) {
					for _, unbound := range []bool{false, true} {
						if unbound && (to.backend == event.HIP || !*everyFault) {
							continue
						}
						clean := attempt(to, op, unbound, place{}, injection{})
						require.Nil(t, clean.panicked, "without a fault")
						require.NoError(t, clean.err, "without a fault")
						require.Empty(t, clean.verdict(to, op, place{}, injection{}), "without a fault")
						for _, at := range places(clean.calls) {
							calls++
							functions[at.call] = true
							for _, inj := range injections() {
								trials++
								a := attempt(to, op, unbound, at, inj)
								for _, w := range a.verdict(to, op, at, inj) {
									t.Errorf("%s call %d -> %s: %s", at.call, at.n, inj, w)
								}
							}
						}
					}
				})
			}
		})
	}
	assert.NotZero(t, trials)
	t.Logf("%d calls of %d functions, %d failures injected", calls, len(functions), trials)
}

// runsOn reports whether a driver has what the operation needs.
func (op operation) runsOn(to target) bool {
	if op.cuda && to.backend != event.CUDA {
		return false
	}
	return op.since == "" || !(to.backend == event.HIP && op.since == "6" && to.version == "5.2.3")
}
