package amdsmi_test

import (
	"errors"
	"fmt"

	"github.com/gpuevent/gpuevent/amdsmi"
)

// A program that lists the GPUs of the machine, and runs on one without any.
func Example() {
	if err := amdsmi.Init(amdsmi.InitAmdGpus); err != nil {
		fmt.Println("no AMD GPU here:", err)
		return
	}
	defer amdsmi.ShutDown()
	gpus, err := processors()
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, gpu := range gpus {
		chip, err := amdsmi.GetGpuAsicInfo(gpu)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(i, chip.MarketNameString())
	}
}

// processors lists all processors that Init found. Each list is counted first.
func processors() (all []amdsmi.ProcessorHandle, err error) {
	var n uint32
	if err := amdsmi.GetSocketHandles(&n, nil); err != nil || n == 0 {
		return nil, err
	}
	sockets := make([]amdsmi.SocketHandle, n)
	if err := amdsmi.GetSocketHandles(&n, &sockets[0]); err != nil {
		return nil, err
	}
	for _, s := range sockets[:min(int(n), len(sockets))] {
		if err := amdsmi.GetProcessorHandles(s, &n, nil); err != nil || n == 0 {
			return nil, err
		}
		list := make([]amdsmi.ProcessorHandle, n)
		if err := amdsmi.GetProcessorHandles(s, &n, &list[0]); err != nil {
			return nil, err
		}
		all = append(all, list[:min(int(n), len(list))]...)
	}
	return all, nil
}

// What a GPU does at the moment. A value that it does not measure has all bits set.
func ExampleGetGpuActivity() {
	show := func(gpu amdsmi.ProcessorHandle) error {
		use, err := amdsmi.GetGpuActivity(gpu)
		if err != nil {
			return err
		}
		memory, err := amdsmi.GetGpuVramUsage(gpu)
		if err != nil {
			return err
		}
		heat, err := amdsmi.GetTempMetric(gpu, amdsmi.TemperatureTypeHotspot, amdsmi.TempCurrent)
		if errors.Is(err, amdsmi.ErrNotSupported) {
			heat, err = amdsmi.GetTempMetric(gpu, amdsmi.TemperatureTypeEdge, amdsmi.TempCurrent)
		}
		fmt.Printf("%d %%, %d of %d MB, %d °C\n", use.GfxActivity, memory.VramUsed, memory.VramTotal,
			heat)
		return err
	}
	fmt.Println(show(0) != nil) // 0 is no GPU
	// Output: true
}

// A code says what it means. Errors of calls wrap it: errors.Is finds it.
func ExampleResult() {
	var err error = &amdsmi.CallError{Function: "amdsmi_init", Result: amdsmi.ErrDriverNotLoaded}
	fmt.Println(errors.Is(err, amdsmi.ErrDriverNotLoaded))
	fmt.Println(amdsmi.ErrRetry)
	// Output:
	// true
	// amdsmi: ErrRetry (9): the operation could not be done now; call again
}
