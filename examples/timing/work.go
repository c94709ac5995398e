package main

import (
	"fmt"
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/hip"
)

// work is something that takes a device some time: writing to memory, over and over.
type work struct {
	what    string
	memory  string // that is written to
	bytes   int
	enqueue func(*event.Stream) error
	free    func()
}

// Larger than the caches, so that memory is measured and not a cache.
const (
	gpuBytes  = 1 << 30
	hostBytes = 512 << 20
)

func bytesFor(d *event.Device) int {
	if d.IsHost() {
		return hostBytes
	}
	return gpuBytes
}

func workFor(d *event.Device, bytes int) (*work, error) {
	switch d.Backend() {
	case event.CUDA:
		return cudaWork(d, bytes)
	case event.HIP:
		return hipWork(d, bytes)
	}
	return hostWork(bytes), nil
}

func gpuWork(bytes int) *work {
	return &work{
		what:   fmt.Sprintf("fill %d MiB of the GPU's memory", bytes>>20),
		memory: "the GPU's memory: the buffer is larger than its caches",
		bytes:  bytes,
	}
}

// rate is the speed of the work.
func (w *work) rate(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return fmt.Sprintf("%.1f GB/s", float64(w.bytes)/d.Seconds()/1e9)
}

func hostWork(bytes int) *work {
	memory := make([]byte, bytes)
	return &work{
		what:   fmt.Sprintf("clear %d MiB of memory", bytes>>20),
		memory: "memory by one goroutine: the buffer is larger than most caches",
		bytes:  bytes,
		enqueue: func(s *event.Stream) error {
			return s.HostFunc(func() error { clear(memory); return nil })
		},
		free: func() {},
	}
}

func cudaWork(d *event.Device, bytes int) (*work, error) {
	w := gpuWork(bytes)
	// Plain calls of the driver need a current context, which Do sets; events and streams don't.
	err := d.Do(func() error {
		memory, err := cudrv.MemAlloc(uintptr(bytes))
		w.enqueue = func(s *event.Stream) error {
			native, err := s.CUDAStream()
			if err != nil {
				return err
			}
			return d.Do(func() error { return cudrv.MemsetD8Async(memory, 1, uintptr(bytes), native) })
		}
		w.free = func() { _ = d.Do(func() error { return cudrv.MemFree(memory) }) }
		return err
	})
	return w, err
}

func hipWork(d *event.Device, bytes int) (*work, error) {
	w := gpuWork(bytes)
	err := d.Do(func() error { // memory belongs to the current device
		memory, err := hip.Malloc(uintptr(bytes))
		w.enqueue = func(s *event.Stream) error {
			native, err := s.HIPStream()
			if err != nil {
				return err
			}
			return d.Do(func() error { return hip.MemsetAsync(memory, 1, uintptr(bytes), native) })
		}
		w.free = func() { _ = d.Do(func() error { return hip.Free(memory) }) }
		return err
	})
	return w, err
}
