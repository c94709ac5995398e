//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package host

import (
	"os"
	"syscall"
)

// Locks of single bytes far behind the end of an arena's file show which processes live: the kernel
// releases them when their process ends, however it ends. They belong to the open file and not to
// its name, so it does not matter if the file is renamed or removed. A process id would not do: it
// is reused, and differs between containers.
//
// A process never sees its own locks, and on some systems it loses them when it closes any
// descriptor of the file. Therefore it has at most one.

const lockBase = 1 << 40

// lockByte locks a byte. It fails if another process has it.
func lockByte(f *os.File, i int64) error {
	return lockCall(f, setLock, &syscall.Flock_t{Type: syscall.F_WRLCK, Start: lockBase + i, Len: 1})
}

func unlockByte(f *os.File, i int64) error {
	return lockCall(f, setLock, &syscall.Flock_t{Type: syscall.F_UNLCK, Start: lockBase + i, Len: 1})
}

// byteLocked reports whether another process has locked the byte. If that is unknown, it returns
// true.
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
