package hip_test

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/gpuevent/gpuevent/hip"
)

// A program that lists the devices of the machine, and runs on one without any.
func Example() {
	if err := hip.Available(); err != nil {
		fmt.Println("no ROCm here:", err)
		return
	}
	n, err := hip.GetDeviceCount()
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range n {
		name, err := hip.DeviceGetName(hip.Device(i))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(i, name)
	}
}

// Time what a stream does between two events, on device 0.
func ExampleDevice_Do() {
	err := hip.Device(0).Do(func() error {
		start, err := hip.EventCreate()
		if err != nil {
			return err
		}
		defer hip.EventDestroy(start)
		end, err := hip.EventCreate()
		if err != nil {
			return err
		}
		defer hip.EventDestroy(end)
		if err := errors.Join(hip.EventRecord(start, 0), hip.EventRecord(end, 0),
			hip.EventSynchronize(end)); err != nil {
			return err
		}
		ms, err := hip.EventElapsedTime(start, end)
		if err == nil {
			fmt.Printf("%.3f ms\n", ms)
		}
		return err
	})
	if err != nil {
		fmt.Println(err)
	}
}

// A code says what it means. Errors of calls wrap it: errors.Is finds it.
func ExampleResult() {
	var err error = hip.ErrNotReady
	fmt.Println(err)
	fmt.Println(errors.Is(fmt.Errorf("wait for the copy: %w", err), hip.ErrNotReady))
	fmt.Println(hip.ErrInvalidHandle == hip.ErrInvalidResourceHandle)
	// Output:
	// hip: ErrNotReady (600): the work is still running; query again later, or synchronize first
	// true
	// true
}

// A failed call names the C function. Compare with errors.Is, not with ==.
func ExampleCallError() {
	var err error = &hip.CallError{Function: "hipEventRecord", Result: hip.ErrInvalidContext}
	fmt.Println(errors.Is(err, hip.ErrInvalidContext))
	fmt.Println(err == hip.ErrInvalidContext)
	var failed *hip.CallError
	if errors.As(err, &failed) {
		fmt.Println(failed.Function, failed.Result.Name(), int(failed.Result))
	}
	// Output:
	// true
	// false
	// hipEventRecord hipErrorInvalidContext 201
}

// A result code of a release that the package does not know yet.
func ExampleResult_Name() {
	fmt.Println(hip.ErrNoDevice.Name())
	fmt.Println(hip.Result(12345).Name())
	// Output:
	// hipErrorNoDevice
	// Result(12345)
}

// Use what the installed runtime has.
func ExampleHas() {
	record := hip.EventRecord
	if hip.Has("hipEventRecordWithFlags") {
		record = func(e hip.Event, s hip.Stream) error {
			return hip.EventRecordWithFlags(e, s, hip.EventRecordDefault)
		}
	}
	fmt.Println(record(0, 0))
}

// Which release brought a function: one between two that the package was made from.
func ExampleSince() {
	fmt.Println(hip.Since("hipEventCreate"))
	fmt.Println(hip.Since("hipEventRecordWithFlags"))
	// Output:
	// 5.2.3 or earlier
	// after 6.2, by 6.4.3
}

// Versions are numbers that compare.
func ExampleVersion() {
	v := hip.Version(60443484)
	fmt.Println(v, v.Major(), v.Minor(), v.AtLeast(6, 0), v.AtLeast(7, 0))
	// Output: 6.4.43484 6 4 true false
}

// Whether the runtime is new enough.
func ExampleRuntimeVersion() {
	v, err := hip.RuntimeVersion()
	switch {
	case errors.Is(err, hip.ErrLibraryNotFound):
		fmt.Println("no runtime:", err)
	case err != nil:
		fmt.Println(err)
	case !v.AtLeast(6, 4):
		fmt.Println("ROCm 6.4 is needed, the runtime is", v)
	}
}

// Tell a machine without a GPU from one on which something is broken. Runtimes have several codes
// for the former.
func ExampleIsNoDevice() {
	for _, err := range []error{hip.ErrNoDevice, hip.ErrInvalidDevice, hip.ErrNotInitialized,
		hip.ErrOutOfMemory, nil} {
		fmt.Println(hip.IsNoDevice(err))
	}
	// Output:
	// true
	// true
	// true
	// false
	// false
}

// Choose the library before the first call.
func ExampleLoad() {
	if err := hip.Load("/opt/rocm/lib/libamdhip64.so.7",
		"/opt/rocm/lib/libamdhip64.so.6"); err != nil {
		var e *hip.LibraryError
		if errors.As(err, &e) {
			for _, a := range e.Attempts {
				fmt.Println(a) // the path, and why not
			}
		}
	}
}

// Run a Go function when the work so far in a stream is done.
func ExampleLaunchHostFunc() {
	done := make(chan struct{})
	if err := hip.LaunchHostFunc(hip.StreamPerThread, func() { close(done) }); err != nil {
		fmt.Println(err)
		return
	}
	<-done
}

// A function that a graph runs at each launch has an owner, which releases it after the graph is
// destroyed.
func ExampleNewHostFn() {
	fn := hip.NewHostFn(func() { fmt.Println("launched") })
	defer fn.Release()
	node, err := hip.GraphAddHostNode(0, nil, 0,
		&hip.HostNodeParams{Fn: fn.Fn(), UserData: fn.UserData()})
	fmt.Println(node, err)
}

// Log panics of callbacks with the program's logger.
func ExampleSetPanicHandler() {
	hip.SetPanicHandler(func(name string, value any, stack []byte) {
		slog.Error("a callback panicked", "callback", name, "panic", value, "stack", string(stack))
	})
	defer hip.SetPanicHandler(nil)
}

// A hundred launches in one crossing into C.
func ExampleBatch() {
	kernel, stream, data := hip.Function(0), hip.Stream(0), hip.Deviceptr(nil)
	p := hip.NewParams()
	defer p.Free()
	var b hip.Batch
	for step := range 100 {
		p.Reset().Deviceptr(data).Int32(int32(step)) // the batch copies them
		b.ModuleLaunchKernel(kernel, 64, 1, 1, 256, 1, 1, 0, stream, p)
	}
	if err := b.Run(); err != nil {
		var failed *hip.BatchError
		if errors.As(err, &failed) && failed.Made {
			fmt.Println("launches that are under way:", failed.Index)
		}
		fmt.Println(err)
	}
}

// A launch that allocates nothing.
func ExampleParams() {
	kernel, stream, data := hip.Function(0), hip.Stream(0), hip.Deviceptr(nil)
	p := hip.NewParams().Deviceptr(data).Int32(1 << 20).Float32(0.5)
	defer p.Free()
	fmt.Println(p.Len(), "parameters")
	err := hip.ModuleLaunchKernel(kernel, 4096, 1, 1, 256, 1, 1, 0, stream, p.Pointers(), nil)
	if err != nil {
		fmt.Println(err)
	}
}

// A batch that failed names the call, and wraps its error.
func ExampleBatchError() {
	failed := &hip.BatchError{Index: 2, Len: 5, Call: "hipEventRecord", Err: hip.ErrInvalidHandle,
		Made: true}
	var err error = failed // as Batch.Run returns it
	fmt.Println(failed.Call, failed.Index, errors.Is(err, hip.ErrInvalidHandle))
	// Output: hipEventRecord 2 true
}
