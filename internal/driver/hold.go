package driver

import (
	"sync"
	"time"
	"unsafe"
)

// wordAddress turns an address that C returned into a pointer for C.
func wordAddress(device uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&device))
}

// holdByFunc holds a stream up with a host function that waits. This occupies the driver's thread
// for host functions; if there is only one, no other host function runs meanwhile.
// fact: gpu-hostfunc-one-thread
func holdByFunc(d Driver, s Object) (release func(error), err error) {
	open := make(chan struct{})
	err = d.HostFunc(s, func() error { <-open; return nil }, false)
	once := sync.OnceFunc(func() { close(open) })
	return func(error) { once() }, err
}

// blocksCaller reports whether enqueuing a host function waits until it has run. The error is the
// driver's, if it can't enqueue one.
// fact: chip-hostfunc-blocks-caller
// fact: chip-hostfunc-unsupported
func blocksCaller(d Driver, s Object) (bool, error) {
	const patience = 50 * time.Millisecond
	enqueued, ran := make(chan struct{}), make(chan bool, 1)
	err := d.HostFunc(s, func() error {
		select {
		case <-enqueued:
			ran <- false
		case <-time.After(patience):
			ran <- true
		}
		return nil
	}, false)
	close(enqueued)
	if err != nil {
		return false, err
	}
	select {
	case blocks := <-ran:
		return blocks, nil
	case <-time.After(10 * patience): // it never runs
		return true, nil
	}
}
