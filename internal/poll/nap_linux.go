package poll

import (
	"syscall"
	"time"
	"unsafe"
)

// nap is a futex wait with a timeout. The call goes through the scheduler's entersyscall, so that
// neither the garbage collector nor other goroutines wait for the thread.
type nap struct{ napState }

func newNap() *nap { return new(nap) }

const (
	futexWait     = 0 | futexPrivate
	futexWake     = 1 | futexPrivate
	futexPrivate  = 128
	setTimerSlack = 29 // PR_SET_TIMERSLACK
)

func (n *nap) sleep(d time.Duration) {
	if d <= 0 || !n.enter() {
		return
	}
	defer n.leave()
	ts := syscall.NsecToTimespec(int64(d))
	_, _, errno := syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&n.word)), futexWait,
		uintptr(asleep), uintptr(unsafe.Pointer(&ts)), 0, 0)
	switch errno {
	case 0, syscall.ETIMEDOUT, syscall.EAGAIN, syscall.EINTR:
	default: // a sandbox without futex: a coarse pause rather than none
		time.Sleep(d)
	}
}

func (n *nap) rouse() {
	if n.napState.rouse() {
		_, _, _ = syscall.RawSyscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&n.word)),
			futexWake, 1, 0, 0, 0)
	}
}

// tighten makes the kernel end the thread's waits on time. By default it may be 50 µs late, to wake
// several threads at once.
func tighten() { _, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, setTimerSlack, 1, 0) }
