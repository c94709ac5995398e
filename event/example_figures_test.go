package event_test

import (
	"context"
	"fmt"

	"github.com/gpuevent/gpuevent/event"
)

func ExampleMeasure() {
	s := obtain(hostDevice().NewStream())
	defer s.Close()
	sample, err := event.Measure(context.Background(), s, 50, func() error {
		return s.HostFunc(func() error { return nil }) // or launch a kernel
	})
	if err != nil {
		panic(err)
	}
	// fmt.Println(sample) prints the median, the quartiles, and what is to be doubted.
	fmt.Println(len(sample.Times), "runs, in order:", sample.Min <= sample.Median)
	// Output: 50 runs, in order: true
}

func ExampleStats() {
	for _, s := range event.Stats() {
		fmt.Printf("%s: %d streams and %d events open, %d dropped; %d records, %d waited for\n",
			s.Device, s.Streams, s.Events, s.Leaks, s.Records, s.Pending)
	}
}

// Without EnableStats the histogram stays empty.
func ExampleEnableStats() {
	event.EnableStats(true)
	d := hostDevice()
	// ... later:
	w := d.Stats().Wakes
	fmt.Printf("half of %d waits went on within %v, nearly all within %v", w.Count,
		w.Quantile(0.5), w.Quantile(0.99))
}
