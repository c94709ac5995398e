package sim

import "syscall"

// threadID numbers the calling OS thread. A callback runs on the thread that called it.
func threadID() uint64 { return uint64(syscall.Gettid()) }
