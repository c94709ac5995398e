package main

import (
	"syscall"
	"time"
)

// cpuTime is the processor time that the process has used.
func cpuTime() (time.Duration, error) {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, err
	}
	var made, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &made, &ended, &kernel, &user); err != nil {
		return 0, err
	}
	ticks := func(t syscall.Filetime) int64 { // of 100 ns
		return int64(t.HighDateTime)<<32 | int64(t.LowDateTime)
	}
	return time.Duration(100 * (ticks(kernel) + ticks(user))), nil
}
