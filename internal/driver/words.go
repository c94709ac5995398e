package driver

import (
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// words are places in memory at which streams wait until the host writes a number. A word serves
// one wait after another, with growing numbers, so a stream that arrives late finds a number that
// is high enough.
type words struct {
	// alloc returns new words: where the host writes, and where the device reads.
	alloc func() ([]word, error)

	mu   sync.Mutex
	free []word
}

type word struct {
	host   *atomic.Uint64
	device uintptr
}

// get returns a word, also with an error of OnlyRestore.
func (w *words) get() (one word, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.free) == 0 {
		w.free, err = w.alloc()
		if err != nil && !OnlyRestore(err) {
			return word{}, err
		}
	}
	n := len(w.free) - 1
	one = w.free[n]
	w.free = w.free[:n]
	return one, err
}

func (w *words) put(one word) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.free = append(w.free, one)
}

// hold enqueues a wait for a number at a word. The release that it returns writes the number.
func (w *words) hold(wait func(device uintptr, number uint64) error) (
	release func(error), err error,
) {
	one, lost := w.get()
	if lost != nil && !OnlyRestore(lost) {
		return nil, lost
	}
	number := one.host.Load() + 1
	if err = wait(one.device, number); err != nil && !OnlyRestore(err) {
		w.put(one)
		return nil, err
	}
	if err == nil {
		err = lost
	}
	once := sync.OnceFunc(func() {
		one.host.Store(number)
		w.put(one)
	})
	return func(error) { once() }, err
}

// wordsAt returns the words of a block that C allocated and that is never freed.
func wordsAt(host unsafe.Pointer, device uintptr, n int) []word {
	all := make([]word, n)
	for i := range all {
		at := unsafe.Add(host, 8*i)
		all[i] = word{(*atomic.Uint64)(at), device + uintptr(8*i)}
		all[i].host.Store(0)
	}
	return all
}

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
