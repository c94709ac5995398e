// Command waitany waits for whatever comes first: work on a device, a tick, a signal. An event is
// one more case of a select.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, event.Default()); err != nil {
		fmt.Fprintln(os.Stderr, "waitany:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, d *event.Device) error {
	fmt.Printf("Waiting for work on %v, a tick every 100 ms, or Ctrl-C.\n", d)
	slow, err := begin(d, 350*time.Millisecond)
	if err != nil {
		return err
	}
	defer slow.Close()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	done := slow.Done()
	for waiting := true; waiting; {
		select {
		case <-done:
			if err := slow.Err(); err != nil {
				return err
			}
			fmt.Println("  the work is done")
			waiting = false
		case <-ticker.C:
			fmt.Println("  tick")
		case <-ctx.Done():
			fmt.Println("  interrupted; the work goes on, but nobody waits for it")
			return nil
		}
	}
	return race(ctx, d)
}

// race waits for the first of two events, which might as well be of two vendors' devices.
func race(ctx context.Context, d *event.Device) error {
	a, err := begin(d, 200*time.Millisecond)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := begin(d, 20*time.Millisecond)
	if err != nil {
		return err
	}
	defer b.Close()
	first, err := event.WaitAny(ctx, a, b)
	if ctx.Err() != nil {
		fmt.Println("  interrupted")
		return nil
	}
	if err != nil {
		return err
	}
	fmt.Printf("The first of two: %s.\n", []string{"the slow one", "the quick one"}[first])
	return event.WaitAll(ctx, a, b)
}

// begin starts work of some length on a stream of its own, and marks its end.
func begin(d *event.Device, length time.Duration) (*event.Event, error) {
	s, err := d.NewStream()
	if err != nil {
		return nil, err
	}
	if err := s.HostFunc(func() error { time.Sleep(length); return nil }); err != nil {
		return nil, err
	}
	e, err := s.RecordNew()
	if err != nil {
		return nil, err
	}
	return e, e.OnDone(func(error) { _ = s.Close() })
}
