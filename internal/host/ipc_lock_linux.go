package host

import "syscall"

// Locks of the open file, which Linux has from 3.15 on; a system that only resembles it has those
// of the process at least. The two kinds see each other.
var (
	setLock = [2]int{37, syscall.F_SETLK} // F_OFD_SETLK
	getLock = [2]int{36, syscall.F_GETLK} // F_OFD_GETLK
)
