package host

import "syscall"

// Locks of the open file, which Linux has since 3.15. A system that only emulates Linux has at
// least those of the process. The two kinds conflict with each other.
var (
	setLock = [2]int{37, syscall.F_SETLK} // F_OFD_SETLK
	getLock = [2]int{36, syscall.F_GETLK} // F_OFD_GETLK
)
