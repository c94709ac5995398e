package cudrv_test

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/gpuevent/gpuevent/cudrv"
)

// A program that lists the devices of the machine, and runs on one without any.
func Example() {
	if err := cudrv.Available(); err != nil {
		fmt.Println("no CUDA here:", err)
		return
	}
	n, err := cudrv.DeviceGetCount()
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range n {
		dev, err := cudrv.DeviceGet(i)
		if err != nil {
			fmt.Println(err)
			return
		}
		name, err := cudrv.DeviceGetName(dev)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(i, name)
	}
}

// Time what a stream does between two events, in the primary context of device 0.
func ExampleContext_Do() {
	measure := func() error {
		if err := cudrv.Init(0); err != nil {
			return err
		}
		ctx, err := cudrv.DevicePrimaryCtxRetain(0)
		if err != nil {
			return err
		}
		defer cudrv.DevicePrimaryCtxRelease(0)
		return ctx.Do(func() error {
			start, err := cudrv.EventCreate(cudrv.EventDefault)
			if err != nil {
				return err
			}
			defer cudrv.EventDestroy(start)
			end, err := cudrv.EventCreate(cudrv.EventDefault)
			if err != nil {
				return err
			}
			defer cudrv.EventDestroy(end)
			if err := errors.Join(cudrv.EventRecord(start, 0), cudrv.EventRecord(end, 0),
				cudrv.EventSynchronize(end)); err != nil {
				return err
			}
			ms, err := cudrv.EventElapsedTime(start, end)
			if err == nil {
				fmt.Printf("%.3f ms\n", ms)
			}
			return err
		})
	}
	if err := measure(); err != nil {
		fmt.Println(err)
	}
}

// A code says what it means. Errors of calls wrap it: errors.Is finds it.
func ExampleResult() {
	var err error = cudrv.ErrNotReady
	fmt.Println(err)
	fmt.Println(errors.Is(fmt.Errorf("wait for the copy: %w", err), cudrv.ErrNotReady))
	fmt.Println(cudrv.ErrIllegalAddress.Sticky())
	// Output:
	// cudrv: ErrNotReady (600): the work is still running; query again later, or synchronize first
	// true
	// true
}

// A failed call names the C function. Compare with errors.Is, not with ==.
func ExampleCallError() {
	var err error = &cudrv.CallError{Function: "cuEventRecord", Result: cudrv.ErrInvalidContext}
	fmt.Println(errors.Is(err, cudrv.ErrInvalidContext))
	fmt.Println(err == cudrv.ErrInvalidContext)
	var failed *cudrv.CallError
	if errors.As(err, &failed) {
		fmt.Println(failed.Function, failed.Result.Name(), int(failed.Result))
	}
	// Output:
	// true
	// false
	// cuEventRecord CUDA_ERROR_INVALID_CONTEXT 201
}

// A result code of a release that the package does not know yet.
func ExampleResult_Name() {
	fmt.Println(cudrv.ErrNoDevice.Name())
	fmt.Println(cudrv.Result(12345).Name())
	// Output:
	// CUDA_ERROR_NO_DEVICE
	// Result(12345)
}

// Use what the installed driver has.
func ExampleHas() {
	elapsed := cudrv.EventElapsedTime
	if cudrv.Has("cuEventElapsedTime_v2") {
		elapsed = cudrv.EventElapsedTimeV2
	}
	ms, err := elapsed(0, 0)
	fmt.Println(ms, err)
}

// Which release brought a function.
func ExampleSince() {
	fmt.Println(cudrv.Since("cuEventCreate"), cudrv.Since("cuEventElapsedTime_v2"))
	// Output: 2.0 after 12.6, by 12.8
}

// Versions are numbers that compare.
func ExampleVersion() {
	v := cudrv.Version(12040)
	fmt.Println(v, v.Major(), v.Minor(), v.AtLeast(11, 8), v.AtLeast(12, 8))
	// Output: 12.4 12 4 true false
}

// Whether the driver is new enough.
func ExampleDriverVersion() {
	v, err := cudrv.DriverVersion()
	switch {
	case errors.Is(err, cudrv.ErrLibraryNotFound):
		fmt.Println("no driver:", err)
	case err != nil:
		fmt.Println(err)
	case !v.AtLeast(12, 4):
		fmt.Println("CUDA 12.4 is needed, the driver has", v)
	}
}

// Tell a machine without a GPU from one on which something is broken.
func ExampleIsNoDevice() {
	for _, err := range []error{cudrv.ErrNoDevice, cudrv.ErrSystemDriverMismatch, nil} {
		fmt.Println(cudrv.IsNoDevice(err))
	}
	// Output:
	// true
	// false
	// false
}

// Choose the library before the first call.
func ExampleLoad() {
	if err := cudrv.Load("/opt/nvidia/libcuda.so.1"); err != nil {
		var e *cudrv.LibraryError
		if errors.As(err, &e) {
			for _, a := range e.Attempts {
				fmt.Println(a) // the path, and why not
			}
		}
	}
}

// Flags print their names.
func ExampleEventFlags() {
	fmt.Println(cudrv.EventBlockingSync | cudrv.EventDisableTiming)
	fmt.Println(cudrv.EventFlags(64))
	// Output:
	// EventBlockingSync|EventDisableTiming
	// EventFlags(64)
}

// Run a Go function when the work so far in a stream is done.
func ExampleLaunchHostFunc() {
	stream := cudrv.StreamLegacy
	done := make(chan struct{})
	if err := cudrv.LaunchHostFunc(stream, func() { close(done) }); err != nil {
		fmt.Println(err)
		return
	}
	<-done
}

// A function that a graph runs at each launch has an owner, which releases it after the graph is
// destroyed.
func ExampleNewHostFn() {
	fn := cudrv.NewHostFn(func() { fmt.Println("launched") })
	defer fn.Release()
	node, err := cudrv.GraphAddHostNode(0, nil, 0,
		&cudrv.HostNodeParams{Fn: fn.Fn(), UserData: fn.UserData()})
	fmt.Println(node, err)
}

// Log panics of callbacks with the program's logger.
func ExampleSetPanicHandler() {
	cudrv.SetPanicHandler(func(name string, value any, stack []byte) {
		slog.Error("a callback panicked", "callback", name, "panic", value, "stack", string(stack))
	})
	defer cudrv.SetPanicHandler(nil)
}

// A hundred launches in one crossing into C.
func ExampleBatch() {
	kernel, stream, data := cudrv.Function(0), cudrv.Stream(0), cudrv.Deviceptr(0)
	p := cudrv.NewParams()
	defer p.Free()
	var b cudrv.Batch
	for step := range 100 {
		p.Reset().Deviceptr(data).Int32(int32(step)) // the batch copies them
		b.LaunchKernel(kernel, 64, 1, 1, 256, 1, 1, 0, stream, p)
	}
	if err := b.Run(); err != nil {
		var failed *cudrv.BatchError
		if errors.As(err, &failed) && failed.Made {
			fmt.Println("launches that are under way:", failed.Index)
		}
		fmt.Println(err)
	}
}

// A launch that allocates nothing.
func ExampleParams() {
	kernel, stream, data := cudrv.Function(0), cudrv.Stream(0), cudrv.Deviceptr(0)
	p := cudrv.NewParams().Deviceptr(data).Int32(1 << 20).Float32(0.5)
	defer p.Free()
	fmt.Println(p.Len(), "parameters")
	err := cudrv.LaunchKernel(kernel, 4096, 1, 1, 256, 1, 1, 0, stream, p.Pointers(), nil)
	if err != nil {
		fmt.Println(err)
	}
}

// A batch that failed names the call, and wraps its error.
func ExampleBatchError() {
	failed := &cudrv.BatchError{Index: 2, Len: 5, Call: "cuEventRecord", Err: cudrv.ErrInvalidHandle,
		Made: true}
	var err error = failed // as Batch.Run returns it
	fmt.Println(failed.Call, failed.Index, errors.Is(err, cudrv.ErrInvalidHandle))
	// Output: cuEventRecord 2 true
}
