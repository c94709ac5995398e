package event

import (
	"fmt"
	"runtime/debug"
	"time"
	"unsafe"
)

// milliseconds makes a driver's float32 milliseconds a duration.
func milliseconds(ms float32) time.Duration {
	return time.Duration(float64(ms) * float64(time.Millisecond))
}

// ipcBytes and ipcHandle turn a vendor's 64-byte IPC handle into bytes and back.
func ipcBytes[T any](h T) (raw [descriptorBytes]byte) {
	copy(raw[:], unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)))
	return raw
}

func ipcHandle[T any](raw [descriptorBytes]byte) (h T) {
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&h)), unsafe.Sizeof(h)), raw[:])
	return h
}

// reportingFunc makes a host function one that a GPU's stream can run: what it can't return goes to the error handler.
func reportingFunc(f func() error) func() {
	return func() {
		defer func() {
			if v := recover(); v != nil {
				report(fmt.Errorf("panic in a function given to Stream.HostFunc: %v\n%s", v, debug.Stack()))
			}
		}()
		if err := f(); err != nil {
			report(fmt.Errorf("a function given to Stream.HostFunc: %w", err))
		}
	}
}

// address is a number that tells objects apart.
func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
