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
	bytes   int
	enqueue func(*event.Stream) error
	free    func()
}

const (
	gpuBytes  = 256 << 20
	hostBytes = 64 << 20
)

func workFor(d *event.Device) (*work, error) {
	switch d.Backend() {
	case event.CUDA:
		return cudaWork(d)
	case event.HIP:
		return hipWork(d)
	}
	return hostWork(), nil
}

// rate is the speed of the work.
func (w *work) rate(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return fmt.Sprintf("%.1f GB/s", float64(w.bytes)/d.Seconds()/1e9)
}

func hostWork() *work {
	memory := make([]byte, hostBytes)
	return &work{
		what:  fmt.Sprintf("clear %d MiB of memory", hostBytes>>20),
		bytes: hostBytes,
		enqueue: func(s *event.Stream) error {
			return s.HostFunc(func() error { clear(memory); return nil })
		},
		free: func() {},
	}
}

func cudaWork(d *event.Device) (*work, error) {
	var memory cudrv.Deviceptr
	// Plain calls of the driver need a current context, which Do sets; events and streams don't.
	if err := d.Do(func() (err error) { memory, err = cudrv.MemAlloc(gpuBytes); return }); err != nil {
		return nil, err
	}
	return &work{
		what:  fmt.Sprintf("fill %d MiB of the GPU's memory", gpuBytes>>20),
		bytes: gpuBytes,
		enqueue: func(s *event.Stream) error {
			native, err := s.CUDAStream()
			if err != nil {
				return err
			}
			return d.Do(func() error { return cudrv.MemsetD8Async(memory, 1, gpuBytes, native) })
		},
		free: func() { _ = d.Do(func() error { return cudrv.MemFree(memory) }) },
	}, nil
}

func hipWork(d *event.Device) (*work, error) {
	w := &work{what: fmt.Sprintf("fill %d MiB of the GPU's memory", gpuBytes>>20), bytes: gpuBytes}
	err := d.Do(func() error { // memory is allocated on the current device
		memory, err := hip.Malloc(gpuBytes)
		w.enqueue = func(s *event.Stream) error {
			native, err := s.HIPStream()
			if err != nil {
				return err
			}
			return d.Do(func() error { return hip.MemsetAsync(memory, 1, gpuBytes, native) })
		}
		w.free = func() { _ = d.Do(func() error { return hip.Free(memory) }) }
		return err
	})
	return w, err
}
