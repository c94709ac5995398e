package poll

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

var (
	kernel32               = syscall.NewLazyDLL("kernel32.dll")
	createEvent            = kernel32.NewProc("CreateEventW")
	setEvent               = kernel32.NewProc("SetEvent")
	createWaitableTimerEx  = kernel32.NewProc("CreateWaitableTimerExW")
	setWaitableTimer       = kernel32.NewProc("SetWaitableTimer")
	waitForMultipleObjects = kernel32.NewProc("WaitForMultipleObjects")
)

const (
	timerAllAccess      = 0x1F0003
	timerHighResolution = 2 // CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, from Windows 10 1803 on
	waitForever         = 0xFFFFFFFF
	timerUnit           = 100 * time.Nanosecond
)

// nap waits for a timer and an event at once. Ordinary timers of Windows end at the next tick of
// the system's clock, up to 15.6 ms late; those of high resolution don't.
type nap struct {
	napState
	timer, event syscall.Handle // 0 if the system refuses them
}

func newNap() *nap {
	n := new(nap)
	event, _, _ := createEvent.Call(0, 0, 0, 0) // resets itself
	n.event = syscall.Handle(event)
	if createWaitableTimerEx.Find() == nil {
		timer, _, _ := createWaitableTimerEx.Call(0, 0, timerHighResolution, timerAllAccess)
		if timer == 0 {
			timer, _, _ = createWaitableTimerEx.Call(0, 0, 0, timerAllAccess)
		}
		n.timer = syscall.Handle(timer)
	}
	runtime.AddCleanup(n, func(all [2]syscall.Handle) {
		for _, h := range all {
			if h != 0 {
				_ = syscall.CloseHandle(h)
			}
		}
	}, [2]syscall.Handle{n.timer, n.event})
	return n
}

func (n *nap) sleep(d time.Duration) {
	if d <= 0 || !n.enter() {
		return
	}
	defer n.leave()
	if n.event == 0 {
		time.Sleep(min(d, time.Millisecond)) // nobody can wake it
		return
	}
	due := -int64(max(d/timerUnit, 1)) // from now on
	if n.timer != 0 {
		set, _, _ := setWaitableTimer.Call(uintptr(n.timer), uintptr(unsafe.Pointer(&due)), 0, 0, 0, 0)
		if set != 0 {
			both := [2]syscall.Handle{n.event, n.timer}
			_, _, _ = waitForMultipleObjects.Call(2, uintptr(unsafe.Pointer(&both)), 0, waitForever)
			return
		}
	}
	_, _ = syscall.WaitForSingleObject(n.event, uint32((d+time.Millisecond-1)/time.Millisecond))
}

func (n *nap) rouse() {
	if n.napState.rouse() && n.event != 0 {
		_, _, _ = setEvent.Call(uintptr(n.event))
	}
}

func tighten() {}
