package sim

import "syscall"

var getCurrentThreadID = syscall.NewLazyDLL("kernel32.dll").NewProc("GetCurrentThreadId")

// threadID numbers the calling OS thread. A callback runs on the thread that called it.
func threadID() uint64 {
	id, _, _ := getCurrentThreadID.Call()
	return uint64(id)
}
