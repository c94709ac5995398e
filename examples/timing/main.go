// Command timing measures work with two events: on the best GPU there is, or, without one, on the host.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

func main() {
	if err := run(event.Default()); err != nil {
		fmt.Fprintln(os.Stderr, "timing:", err)
		os.Exit(1)
	}
}

func run(d *event.Device) error {
	fmt.Printf("Device: %v, %s\n", d, d.Name())
	if d.IsHost() {
		fmt.Println("There is no GPU to be used from here, so the work is a Go function and the clock is the system's. With a GPU this program measures it instead.")
	}
	w, err := workFor(d)
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
