package compute_test

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/internal/testing/battery"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// everyFault takes minutes; make stress sets it.
var everyFault = flag.Bool("compute.faults", false,
	"let every call fail on all drivers and with more codes, not on the newest only")

// injections are a plain failure, too little memory, one of earlier work that destroys report,
// and a broken device.
func injections() []battery.Injection {
	all := []battery.Injection{{Code: 304}, {Code: 2}, {Code: 700, Sticky: true}}
	if *everyFault {
		all = append(all, battery.Injection{Code: 1}, battery.Injection{Code: 201},
			battery.Injection{Code: 999}, battery.Injection{Code: 719, Sticky: true})
	}
	return all
}

// attempted is the outcome of one run of an operation.
type attempted struct {
	battery.Trial
	again     error // of the second run, without a fault
	wrong     error // of the check
	elsewhere bool  // the fault hit another thread's call
	left      sim.Handles
	kept      sim.Handles // what the driver refused to destroy
	usage     compute.Usage
}

// attempt runs an operation on a new machine with at most one fault, on a thread that has the other
// device or nothing current. A fault that hit while it was being removed says nothing: another try.
func attempt(
	to target, op operation, unbound bool, at battery.Target, inj battery.Injection,
) (a attempted) {
	for range 10 {
		if a = try(to, op, unbound, at, inj); !a.Late {
			break
		}
	}
	return a
}

func try(
	to target, op operation, unbound bool, at battery.Target, inj battery.Injection,
) (a attempted) {
	b := newBench(to, sim.Options{Log: true})
	defer b.Remove()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer func() {
		if v := recover(); v != nil {
			a.Panicked = fmt.Sprintf("%v\n%s", v, debug.Stack())
			if o, ok := v.(battery.Failure); ok {
				a.Panicked = fmt.Sprintf("preparing: %v", o.Err)
			}
			b.Machine.ClearFaults()
			b.CloseAll()
		}
	}()
	b.Bind(map[bool]battery.Binding{false: battery.OtherDevice, true: battery.Unbound}[unbound])
	a.Thread = b.Thread()
	b.open()
	run, check := op.prepare(b)
	a.Before = b.Current()
	hit := b.Arm(at, inj)
	b.Machine.ClearLog()
	a.Err = run()
	a.After = b.Current()
	if op.background { // gates are open: let it happen before the fault is healed
		battery.Within(4*time.Millisecond, func() bool { return b.usage().Buffers == 0 })
	}
	a.Hit = hit()
	b.Machine.ClearFaults()
	defer func() { a.Late = !a.Hit && hit() }()
	a.Calls = b.Machine.Log()
	n := 0
	for _, c := range a.Calls {
		if c.Name == at.Call {
			if n++; n == at.N && c.Thread != a.Thread {
				a.elsewhere = true
			}
		}
	}
	if !(a.Hit && inj.Sticky) {
		if !op.once || a.Err != nil {
			a.again = run()
		}
		if check != nil {
			a.wrong = check()
		}
		if a.wrong == nil {
			a.wrong = works(b)
		}
	}
	a.Closing = b.CloseAll()
	a.settle(b)
	a.Misuse = b.Machine.Misuse()
	battery.Within(200*time.Millisecond, func() bool {
		a.Strange = b.Strangers(a.Thread)
		return len(a.Strange) == 0
	})
	if a.Hit && a.Err == nil && excused(a, op, at, inj) == "" { // then a handler must get the error
		battery.Within(100*time.Millisecond, func() bool { return len(b.Reports()) > 0 })
	}
	// The handler may get a late report of what an earlier attempt has broken.
	a.Reports = slices.DeleteFunc(b.Reports(), func(err error) bool {
		return !inj.Sticky && strings.HasPrefix(err.Error(), "destroy ") &&
			(isCode(err, 700) || isCode(err, 719))
	})
	return a
}

// settle waits until nothing is left but what the driver refused to destroy.
func (a *attempted) settle(b *bench) {
	battery.Within(2*time.Second, func() bool {
		a.left, a.usage, a.kept = b.handles(), b.usage(), battery.Refused(b.Machine.Log())
		return a.left == a.kept && a.usage == compute.Usage{}
	})
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
func excused(a attempted, op operation, at battery.Target, inj battery.Injection) string {
	if why := a.Excused(at, inj); why != "" {
		return why
	}
	switch battery.PlainName(at.Call) {
	case "DriverGetVersion":
		return "an old driver may lack it"
	case "FuncGetAttribute", "FuncGetParamInfo", "KernelGetParamInfo":
		if inj.Code == 1 {
			return "an old driver does not know the attribute, and a kernel's parameters end"
		}
	case "StreamEndCapture":
		return "it is made again"
	case "MemFreeAsync", "FreeAsync":
		return "the memory is freed without the order of a stream"
	case "DeviceCanAccessPeer", "CtxEnablePeerAccess", "DeviceEnablePeerAccess", "MemPoolSetAccess":
		return "copies between devices work without"
	case "DeviceGetDefaultMemPool":
		if a.again == nil && occurrences(a.Calls, "cuMemPoolSetAccess") == 0 {
			return "copies between devices work without"
		}
	case "MemAlloc", "MemAllocAsync", "Malloc", "MallocAsync", "MemPoolSetAttribute":
		if inj.Code == 2 && !inj.Sticky {
			return "it is made again, when memory was freed"
		}
	case "StreamIsCapturing":
		if op.once || op.background {
			return "it is asked again"
		}
	case "CtxSetCurrent", "SetDevice", "CtxGetCurrent", "GetDevice":
		if op.once || op.background {
			return "the end of an object is ordered in another way"
		}
		if strings.Contains(op.name, "a peer") {
			return "copies between devices work without"
		}
	case "EventQuery", "StreamQuery", "EventRecord", "EventRecordWithFlags", "EventCreate",
		"EventCreateWithFlags", "StreamWaitEvent", "DeviceGetStreamPriorityRange",
		"StreamCreateWithPriority":
		if a.elsewhere || inj.Sticky || op.once || op.background {
			return "the end of an object is ordered in another way"
		}
	}
	if inj.Sticky {
		return "the end of what is gone with the device is no failure"
	}
	if inj.Code == 201 {
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
func (a attempted) verdict(
	b target, op operation, at battery.Target, inj battery.Injection,
) (wrong []string) {
	complain := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf(format, args...))
	}
	if a.Hit && inj.Sticky { // work that a breaking device still runs may find its memory gone
		a.Misuse = nil
	}
	if wrong = a.Judge(at, inj); a.Panicked != nil {
		return wrong
	}
	if a.left != a.kept {
		complain("left: %+v, where the driver refused to destroy %+v", a.left, a.kept)
	}
	if a.usage != (compute.Usage{}) {
		complain("the account has %+v", a.usage)
	}
	if a.again != nil {
		complain("a second run: %v", a.again)
	}
	if a.wrong != nil {
		complain("afterwards: %v", a.wrong)
	}
	want, sticky := battery.Result(b.backend, inj.Code), a.Hit && inj.Sticky
	for _, err := range a.Closing {
		stays := isCode(err, 900) // no capture ends on a broken device
		if !(sticky && (errors.Is(err, want) || stays)) {
			complain("close: %v", err)
		}
	}
	if !a.Hit {
		if a.Err != nil || len(a.Reports) > 0 {
			complain("failures without a cause: %v, %v", a.Err, a.Reports)
		}
		return wrong
	}
	heard := errors.Join(append([]error{a.Err}, a.Reports...)...)
	if heard == nil {
		if excused(a, op, at, inj) == "" {
			complain("it was not reported")
		}
		return wrong
	}
	if inj.Code == 2 && isAllocation(at.Call) && !errors.Is(heard, compute.ErrOutOfMemory) {
		complain("not ErrOutOfMemory: %v", heard)
	}
	return append(wrong, battery.JudgeError(heard, b.backend, at, inj)...)
}

// isCode reports whether an error has the code, which is the same for both vendors.
func isCode(err error, code int32) bool {
	return errors.Is(err, cudrv.Result(code)) || errors.Is(err, hip.Result(code))
}

func isAllocation(call string) bool {
	switch battery.PlainName(call) {
	case "MemAlloc", "MemAllocAsync", "Malloc", "MallocAsync", "MemHostAlloc", "HostMalloc":
		return true
	}
	return false
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
	var count battery.Count
	most := 4
	if !*everyFault {
		most = 2
	}
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
						try := func(at battery.Target, inj battery.Injection) (battery.Trial, []string) {
							a := attempt(to, op, unbound, at, inj)
							return a.Trial, a.verdict(to, op, at, inj)
						}
						count.Try(t, fmt.Sprintf("unbound %v", unbound), most, injections(), try)
					}
				})
			}
		})
	}
	assert.NotZero(t, count.Trials)
	t.Logf("%d calls of %d functions, %d failures injected", count.Calls, len(count.Functions),
		count.Trials)
}

// runsOn reports whether a driver has what the operation needs.
func (op operation) runsOn(to target) bool {
	if op.cuda && to.backend != event.CUDA {
		return false
	}
	return op.since == "" || !(to.backend == event.HIP && op.since == "6" && to.version == "5.2.3")
}
