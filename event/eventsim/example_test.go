package eventsim_test

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/gpuevent/gpuevent/compute"
	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

// open makes a machine where there is no test. Tests call eventsim.New(t, c).
func open(c eventsim.Config) *eventsim.Machine { return get(eventsim.Open(c)) }

func get[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func do(err error) {
	if err != nil {
		panic(err)
	}
}

func ExampleMachine() {
	m := open(eventsim.Config{Backend: event.CUDA, Version: "12.4", Devices: 2})
	defer m.Close()
	for _, d := range m.Devices() {
		s := get(d.NewStream())
		e := get(s.RecordNew())
		fmt.Println(d, e.Wait(context.Background()))
		do(e.Close())
		do(s.Close())
	}
	// Output:
	// cuda:0 <nil>
	// cuda:1 <nil>
}

func ExampleMachine_Gate() {
	m := open(eventsim.Config{})
	defer m.Close()
	s := get(m.Device(0).NewStream())
	defer s.Close()

	kernel := m.Gate(s) // goes on until the gate opens
	e := get(s.RecordNew())
	defer e.Close()
	fmt.Println("done:", get(e.IsDone()))
	kernel.Open()
	fmt.Println("done:", get(e.IsDone()))
	// Output:
	// done: false
	// done: true
}

func ExampleMachine_Kernel() {
	m := open(eventsim.Config{Version: "12.4"})
	defer m.Close()
	m.Kernel("square", func(b *compute.Block, n int32, x []float32) {
		lo, hi := b.Span(int(n))
		for i := lo; i < hi; i++ {
			x[i] *= x[i]
		}
	})
	s := get(m.Device(0).NewStream())
	defer s.Close()

	// What the code under test does, here with raw calls:
	ptx := append([]byte(`
		.version 8.4
		.target sm_80
		.address_size 64
		.visible .entry square(.param .u32 n, .param .u64 x) { ret; }`), 0)
	x := []float32{1, 2, 3, 4, 5}
	native := get(s.CUDAStream())
	do(m.Device(0).Do(func() error {
		module := get(cudrv.ModuleLoadData(unsafe.Pointer(&ptx[0])))
		square := get(cudrv.ModuleGetFunction(module, "square"))
		data := get(cudrv.MemAlloc(20))
		do(cudrv.MemcpyHtoDAsync(data, unsafe.Pointer(&x[0]), 20, native))
		p := cudrv.NewParams().Int32(5).Deviceptr(data)
		do(cudrv.LaunchKernel(square, 2, 1, 1, 4, 1, 1, 0, native, p.Pointers(), nil))
		do(cudrv.MemcpyDtoHAsync(unsafe.Pointer(&x[0]), data, 20, native))
		do(s.Sync())
		do(cudrv.MemFree(data))
		return cudrv.ModuleUnload(module)
	}))
	fmt.Println(x)
	// Output:
	// [1 4 9 16 25]
}

func ExampleMachine_Work() {
	m := open(eventsim.Config{})
	defer m.Close()
	s := get(m.Device(0).NewStream())
	defer s.Close()

	start := get(s.RecordNew(event.WithTiming()))
	defer start.Close()
	m.Work(s, 3*time.Millisecond) // a kernel that takes 3 ms
	end := get(s.RecordNew(event.WithTiming()))
	defer end.Close()

	m.Advance(2 * time.Millisecond)
	fmt.Println("done:", get(end.IsDone()))
	m.Advance(2 * time.Millisecond)
	fmt.Println("done:", get(end.IsDone()), "after", get(end.Sub(start)))
	// Output:
	// done: false
	// done: true after 3ms
}

func ExampleMachine_Fail() {
	m := open(eventsim.Config{})
	defer m.Close()
	s := get(m.Device(0).NewStream())
	defer s.Close()

	m.Fail(eventsim.Fault{Call: "cuEventCreate", Err: cudrv.ErrOutOfMemory, At: 2})
	for range 3 {
		e, err := s.RecordNew()
		fmt.Println("out of memory:", errors.Is(err, cudrv.ErrOutOfMemory))
		defer e.Close() // which may be nil
	}
	fmt.Println(m.Calls("cuEventCreate"), "calls")
	// Output:
	// out of memory: false
	// out of memory: true
	// out of memory: false
	// 3 calls
}

func ExampleMachine_FailWork() {
	m := open(eventsim.Config{})
	defer m.Close()
	s := get(m.Device(0).NewStream())
	defer s.Close()

	m.FailWork(s, cudrv.ErrIllegalAddress) // a kernel that is at fault
	e, err := s.RecordNew()
	if err == nil { // the stream had not come to it yet
		defer e.Close()
		err = e.Wait(context.Background())
	}
	fmt.Println("illegal address:", errors.Is(err, cudrv.ErrIllegalAddress))
	_, err = m.Device(0).NewStream()
	fmt.Println("the device is broken:", errors.Is(err, cudrv.ErrIllegalAddress))
	// Output:
	// illegal address: true
	// the device is broken: true
}

func ExampleMachine_Lose() {
	m := open(eventsim.Config{Devices: 2})
	defer m.Close()
	s := get(m.Device(1).NewStream())
	defer s.Close()
	m.Gate(s)
	e := get(s.RecordNew())
	defer e.Close()

	done := e.Done() // work is pending
	m.Lose(1, cudrv.ErrUnknown)
	<-done
	fmt.Println("lost:", errors.Is(e.Err(), cudrv.ErrUnknown))
	other := get(m.Device(0).NewStream())
	defer other.Close()
	fmt.Println("the other device:", other.Sync())
	// Output:
	// lost: true
	// the other device: <nil>
}

func ExampleMachine_Log() {
	m := open(eventsim.Config{})
	defer m.Close()
	s := get(m.Device(0).NewStream())
	defer s.Close()
	e := get(s.RecordNew())
	defer e.Close()
	for _, c := range m.Log() {
		if c.Name == "cuStreamCreateWithPriority" || c.Name == "cuEventRecord" {
			fmt.Println(c.Name, "on device", c.Device, c.Err)
		}
	}
	// Output:
	// cuStreamCreateWithPriority on device 0 <nil>
	// cuEventRecord on device 0 <nil>
}

func ExampleMachine_Leaks() {
	m := open(eventsim.Config{})
	s := get(m.Device(0).NewStream())
	fmt.Println(m.Leaks())
	do(s.Close())
	fmt.Println(m.Close())
	// Output:
	// eventsim: left open on cuda:0: 1 stream(s)
	// <nil>
}

func ExampleConfig() {
	m := open(eventsim.Config{Devices: 2, ProcessWide: true})
	defer m.Close()
	fmt.Println(event.Default(), len(event.Devices()), "devices, the host among them")
	// Output: cuda:0 3 devices, the host among them
}
