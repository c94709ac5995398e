// Command timing measures work with two events: on the first GPU, or else on the host.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

func main() {
	d := event.Default()
	if err := run(d, bytesFor(d)); err != nil {
		fmt.Fprintln(os.Stderr, "timing:", err)
		os.Exit(1)
	}
}

func run(d *event.Device, bytes int) error {
	fmt.Printf("Device: %v, %s\n", d, d.Name())
	if d.IsHost() {
		fmt.Println("There is no usable GPU here: the work is a Go function, the clock the system's.")
	}
	w, err := workFor(d, bytes)
	if err != nil {
		return err
	}
	defer w.free()

	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	start, err := d.NewEvent(event.WithTiming())
	if err != nil {
		return err
	}
	defer start.Close()
	end, err := d.NewEvent(event.WithTiming())
	if err != nil {
		return err
	}
	defer end.Close()

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	fmt.Println("Work:  ", w.what)
	if err := measure(ctx, s, w, start, end); err != nil { // warms up: the first run is slower
		return err
	}
	for i := range 5 {
		if err := measure(ctx, s, w, start, end); err != nil {
			return err
		}
		elapsed, err := end.Sub(start)
		if err != nil {
			return err
		}
		fmt.Printf("  run %d  %12v  %s\n", i+1, elapsed, w.rate(elapsed))
	}
	fmt.Println("Each time is between two events around the work. A first run is not counted.")
	fmt.Println("The rate is the speed of writing to", w.memory+".")
	return nil
}

// measure records an event on either side of the work, and waits for the second.
func measure(ctx context.Context, s *event.Stream, w *work, start, end *event.Event) error {
	if err := start.Record(s); err != nil {
		return err
	}
	if err := w.enqueue(s); err != nil {
		return err
	}
	if err := end.Record(s); err != nil {
		return err
	}
	return end.Wait(ctx)
}
