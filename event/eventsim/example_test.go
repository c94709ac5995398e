package eventsim_test

import (
	"context"
	"errors"
	"fmt"
	"time"

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
