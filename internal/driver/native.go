package driver

import (
	"time"
	"unsafe"
)

// The default streams' handles, the same for both vendors. They name no stream of their own: 0 and
// 1 are the legacy default stream, and perThread is a different stream on each thread.
const (
	null      = 0
	legacy    = 1
	perThread = 2
)

// IsDefaultStream reports whether the word is a handle of the legacy default stream, which can't
// be captured.
func IsDefaultStream(word uintptr) bool { return word == null || word == legacy }

// IsPerThread reports whether the word stands for a different stream on each thread.
func IsPerThread(word uintptr) bool { return word == perThread }

// milliseconds turns a driver's float32 milliseconds into a duration.
func milliseconds(ms float32) time.Duration {
	return time.Duration(float64(ms) * float64(time.Millisecond))
}

// ipcHandle turns bytes into a vendor's IPC handle.
func ipcHandle[T any](raw [DescriptorBytes]byte) (h T) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)), raw[:])
	return h
}
