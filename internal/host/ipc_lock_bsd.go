//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package host

import "syscall"

var (
	setLock = [2]int{syscall.F_SETLK, syscall.F_SETLK}
	getLock = [2]int{syscall.F_GETLK, syscall.F_GETLK}
)
