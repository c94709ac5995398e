package main

import (
	"errors"
	"os/exec"
	"syscall"
	"unsafe"
)

// supported is the reason why the kit does not run on an operating system; nil on Linux.
var supported error

// group makes a process the leader of a group of its own, which dies with this process.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// end sends a signal to a process's group.
func end(cmd *exec.Cmd, kill bool) {
	signal := syscall.SIGTERM
	if kill {
		signal = syscall.SIGKILL
	}
	_ = syscall.Kill(-cmd.Process.Pid, signal)
}

// ended waits until a process has ended, and leaves it to be waited for: until then its group's
// number is not given to others.
func ended(cmd *exec.Cmd) {
	const pid = 1 // P_PID
	var info [128]byte
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, pid, uintptr(cmd.Process.Pid),
			uintptr(unsafe.Pointer(&info)), syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if !errors.Is(errno, syscall.EINTR) {
			return
		}
	}
}
