package event_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
	"github.com/gpuevent/gpuevent/hip"
)

// hostDevice returns the device that every machine has, so that the examples run everywhere.
// Programs take event.Default().
func hostDevice() *event.Device {
	d, err := event.Open("host")
	if err != nil {
		panic(err)
	}
	return d
}

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

func Example() {
	d := hostDevice()
	s := get(d.NewStream())
	defer s.Close()

	start := get(s.RecordNew(event.WithTiming()))
	defer start.Close()
	do(s.HostFunc(func() error { fmt.Println("working"); return nil }))
	end := get(s.RecordNew(event.WithTiming()))
	defer end.Close()

	do(end.Wait(context.Background()))
	elapsed := get(end.Sub(start))
	fmt.Println("it took some time:", elapsed > 0)
	// Output:
	// working
	// it took some time: true
}

func ExampleDevice() {
	d := get(event.Open("host"))
	fmt.Println(d, d.IsHost(), d.Backend())
	fmt.Println("can run Go functions:", d.Capabilities().Has(event.CapHostFunc))

	_, err := event.Open("cuda:4096")
	fmt.Println(errors.Is(err, event.ErrNoDevice))
	// Output:
	// host true host
	// can run Go functions: true
	// true
}

func ExampleStream() {
	d := hostDevice()
	least, greatest := d.PriorityRange()
	s := get(d.NewStream(event.WithPriority(greatest)))
	defer s.Close()
	fmt.Println("first in line:", s.Priority() < least)

	for i := range 3 {
		do(s.HostFunc(func() error { fmt.Println("step", i); return nil }))
	}
	do(s.Sync())
	fmt.Println(get(s.IsDone()))
	// Output:
	// first in line: true
	// step 0
	// step 1
	// step 2
	// true
}

func ExampleStream_WaitEvent() {
	d := hostDevice()
	producer, consumer := get(d.NewStream()), get(d.NewStream())
	defer producer.Close()
	defer consumer.Close()

	var data int
	do(producer.HostFunc(func() error { data = 42; return nil }))
	ready := get(producer.RecordNew())
	defer ready.Close()

	do(consumer.WaitEvent(ready))
	do(consumer.HostFunc(func() error { fmt.Println("got", data); return nil }))
	do(consumer.Sync())
	// Output: got 42
}

func ExampleEvent() {
	d := hostDevice()
	s := get(d.NewStream())
	defer s.Close()
	e := get(d.NewEvent())
	fmt.Println(e.State(), e.Generation())

	gate := make(chan struct{})
	do(s.HostFunc(func() error { <-gate; return nil }))
	do(e.Record(s))
	fmt.Println(e.State(), e.Generation())

	close(gate)
	do(e.Sync())
	fmt.Println(e.State(), e.Generation())

	do(e.Close())
	_, err := e.IsDone()
	fmt.Println(e.State(), errors.Is(err, event.ErrClosed))
	// Output:
	// Unrecorded 0
	// Pending 1
	// Done 1
	// Closed true
}

func ExampleEvent_Wait() {
	d := hostDevice()
	s := get(d.NewStream())
	defer s.Close()
	gate := make(chan struct{})
	do(s.HostFunc(func() error { <-gate; return nil }))
	e := get(s.RecordNew())
	defer e.Close()

	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println(errors.Is(e.Wait(ctx), context.DeadlineExceeded))

	close(gate)
	fmt.Println(e.Wait(context.Background()))
	// Output:
	// true
	// <nil>
}

func ExampleEvent_Done() {
	d := hostDevice()
	s := get(d.NewStream())
	defer s.Close()
	do(s.HostFunc(func() error { return nil }))
	e := get(s.RecordNew())
	defer e.Close()

	select {
	case <-e.Done():
		fmt.Println("done:", e.Err())
	case <-time.After(time.Minute):
		fmt.Println("too late")
	}
	// Output: done: <nil>
}

func ExampleEvent_OnDone() {
	d := hostDevice()
	s := get(d.NewStream())
	defer s.Close()
	e := get(s.RecordNew())
	defer e.Close()

	finished := make(chan struct{})
	do(e.OnDone(func(err error) {
		fmt.Println("done:", err)
		close(finished)
	}))
	<-finished
	// Output: done: <nil>
}

func ExampleEvent_Sub() {
	d := hostDevice()
	s := get(d.NewStream())
	defer s.Close()
	start := get(s.RecordNew(event.WithTiming()))
	defer start.Close()
	end := get(d.NewEvent(event.WithTiming()))
	defer end.Close()

	_, err := end.Sub(start)
	fmt.Println(errors.Is(err, event.ErrNotRecorded))

	do(end.Record(s))
	do(end.Sync())
	fmt.Println(get(end.Sub(start)) >= 0)
	// Output:
	// true
	// true
}

func ExampleIPCDescriptor() {
	m := get(eventsim.Open(eventsim.Config{})) // on a machine with a GPU: event.DefaultGPU()
	defer m.Close()
	e := get(m.Device(0).NewEvent(event.WithIPC()))
	defer e.Close()
	text := get(get(e.IPCDescriptor()).MarshalText()) // for an environment variable, a pipe, a file

	// The other process reads the text and calls Device.ImportEvent with the descriptor.
	var received event.IPCDescriptor
	do(received.UnmarshalText(text))
	fmt.Println(received.Backend(), received == get(e.IPCDescriptor()))
	// Output:
	// cuda true
}

func ExampleWaitAny() {
	d := hostDevice()
	slow, fast := get(d.NewStream()), get(d.NewStream())
	defer slow.Close()
	defer fast.Close()
	gate := make(chan struct{})
	do(slow.HostFunc(func() error { <-gate; return nil }))
	a, b := get(slow.RecordNew()), get(fast.RecordNew())
	defer a.Close()
	defer b.Close()

	first := get(event.WaitAny(context.Background(), a, b))
	fmt.Println("first:", first)
	close(gate)
	fmt.Println("all:", event.WaitAll(context.Background(), a, b))
	// Output:
	// first: 1
	// all: <nil>
}

func ExampleCurrentStream() {
	s := get(hostDevice().NewStream())
	defer s.Close()

	work := func(ctx context.Context) {
		fmt.Println("on the caller's stream:", event.CurrentStream(ctx) == s)
	}
	ctx := context.Background()
	work(event.WithStream(ctx, s))
	fmt.Println("without one:", event.CurrentStream(ctx).IsDefault())
	// Output:
	// on the caller's stream: true
	// without one: true
}

func ExampleCapability() {
	c := event.CapTiming | event.CapHostFunc
	fmt.Println(c, c.Has(event.CapTiming), c.Has(event.CapIPC))
	// Output: timing|host-func true false
}

func ExampleSetErrorHandler() {
	heard := make(chan struct{})
	event.SetErrorHandler(func(err error) { fmt.Println("reported"); close(heard) })
	defer event.SetErrorHandler(nil)

	s := get(hostDevice().NewStream())
	defer s.Close()
	e := get(s.RecordNew())
	defer e.Close()
	do(e.OnDone(func(error) { panic("a bug") }))
	<-heard
	// Output: reported
}

func ExampleError() {
	s := get(hostDevice().NewStream())
	do(s.Close())
	err := s.Sync()
	var refusal *event.Error
	fmt.Println(errors.As(err, &refusal), refusal.Op, refusal.Cause, "-", refusal.Detail)
	// Output: true Stream.Sync closed - create a new stream
}

// Do is for raw calls of cudrv and hip that need the device's context, or the device, current.
func ExampleDevice_Do() {
	d := hostDevice() // event.DefaultGPU()
	s := get(d.NewStream())
	defer s.Close()

	fill := func() error {
		switch d.Backend() {
		case event.CUDA:
			native, err := s.CUDAStream() // refused, not 0, once the stream is closed
			if err != nil {
				return err
			}
			memory, err := cudrv.MemAlloc(1 << 20)
			if err != nil {
				return err
			}
			return cudrv.MemsetD8Async(memory, 0, 1<<20, native)
		case event.HIP:
			native, err := s.HIPStream()
			if err != nil {
				return err
			}
			memory, err := hip.Malloc(1 << 20)
			if err != nil {
				return err
			}
			return hip.MemsetAsync(memory, 0, 1<<20, native)
		}
		return s.HostFunc(func() error { return nil })
	}
	do(d.Do(fill))
	do(s.Sync())
	fmt.Println("filled")
	// Output: filled
}

func ExampleStream_Err() {
	event.SetErrorHandler(func(error) {}) // it would log the failure
	defer event.SetErrorHandler(nil)
	s := get(hostDevice().NewStream())
	defer s.Close()

	before := get(s.RecordNew())
	do(s.HostFunc(func() error { return io.ErrUnexpectedEOF }))
	after := get(s.RecordNew())
	fmt.Println("before:", before.Wait(context.Background()))

	err := after.Wait(context.Background())
	var failure *event.HostFuncError
	fmt.Println("after:", errors.As(err, &failure), errors.Is(err, io.ErrUnexpectedEOF))
	fmt.Println("stream:", errors.Is(s.Err(), io.ErrUnexpectedEOF))
	// Output:
	// before: <nil>
	// after: true true
	// stream: true
}

func ExampleDefaultGPU() {
	d, err := event.DefaultGPU()
	if errors.Is(err, event.ErrNoDevice) {
		// Print err: it says which libraries are missing, or that there is no device.
		d = hostDevice()
	}
	fmt.Println(d.Name() != "")
	// Output: true
}

func ExampleDevice_Memory() {
	m, err := hostDevice().Memory()
	if errors.Is(err, event.ErrUnsupported) {
		m = event.MemoryInfo{Total: 1, Free: 1}
	}
	fmt.Println(m.Free > 0 && m.Free <= m.Total)
	// Output: true
}
