//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"os"
	"syscall"
)

// Locks of single bytes far behind the end of an arena's file tell who lives: the kernel gives them
// up when their process ends, however it ends. They belong to the open file and not to its name, so
// that it does not matter what becomes of the name. A process id could not tell: it is used again,
// and means something else in another container.
//
// A process never sees its own locks, and on some systems it loses them when it closes any
// descriptor of the file. Therefore it has at most one.

const lockBase = 1 << 40

// lockByte takes a byte. It fails where another process has it.
func lockByte(f *os.File, i int64) error {
	return lockCall(f, setLock, &syscall.Flock_t{Type: syscall.F_WRLCK, Start: lockBase + i, Len: 1})
}

func unlockByte(f *os.File, i int64) error {
	return lockCall(f, setLock, &syscall.Flock_t{Type: syscall.F_UNLCK, Start: lockBase + i, Len: 1})
}

// byteLocked reports whether another process has the byte. Where that can't be known it says yes.
func byteLocked(f *os.File, i int64) bool {
	l := syscall.Flock_t{Type: syscall.F_WRLCK, Start: lockBase + i, Len: 1}
	return lockCall(f, getLock, &l) != nil || l.Type != syscall.F_UNLCK
}

// lockCall uses the first of the two commands that the system knows.
func lockCall(f *os.File, commands [2]int, l *syscall.Flock_t) error {
	wanted := *l
	var err error
	for _, cmd := range commands {
		for {
			*l = wanted
			if err = syscall.FcntlFlock(f.Fd(), cmd, l); err != syscall.EINTR {
				break
			}
		}
		if err != syscall.EINVAL {
			break
		}
	}
	return err
}
