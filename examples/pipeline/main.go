// Command pipeline works on batches with two streams at the same time, one that loads and one that
// computes, ordered by events alone. A batch is computed after it was loaded, and a buffer is
// loaded again after its batch was computed; nothing else waits.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gpuevent/gpuevent/event"
)

const (
	batches = 6
	buffers = 2
)

func main() {
	if err := run(event.Default()); err != nil {
		fmt.Fprintln(os.Stderr, "pipeline:", err)
		os.Exit(1)
	}
}

func run(d *event.Device) error {
	fmt.Printf("Two streams on %v (%s), %d batches, %d buffers.\n", d, d.Name(), batches, buffers)
	load, err := d.NewStream()
	if err != nil {
		return err
	}
	defer load.Close()
	compute, err := d.NewStream()
	if err != nil {
		return err
	}
	defer compute.Close()
	loaded, err := newEvents(d)
	if err != nil {
		return err
	}
	defer closeAll(loaded)
	computed, err := newEvents(d)
	if err != nil {
		return err
	}
	defer closeAll(computed)

	var data [buffers]int
	for batch := range batches {
		b := batch % buffers
		// An event that was never recorded holds nobody up, so the first round needs no special case.
		if err := load.WaitEvent(computed[b]); err != nil {
			return err
		}
		if err := load.HostFunc(func() error {
			data[b] = 10 * batch
			say("load   ", batch, b, data[b])
			return nil
		}); err != nil {
			return err
		}
		if err := loaded[b].Record(load); err != nil {
			return err
		}
		if err := compute.WaitEvent(loaded[b]); err != nil {
			return err
		}
		if err := compute.HostFunc(func() error {
			data[b]++
			say("compute", batch, b, data[b])
			return nil
		}); err != nil {
			return err
		}
		if err := computed[b].Record(compute); err != nil {
			return err
		}
	}
	fmt.Println("Everything is enqueued; now to wait for it.")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := event.WaitAll(ctx, computed...); err != nil {
		return err
	}
	fmt.Println("Done: every batch was loaded before it was computed, without a lock.")
	return nil
}

// say runs in the middle of a stream's work, for the example's sake: the work of a real program is
// kernels and copies.
func say(what string, batch, buffer, value int) {
	time.Sleep(2 * time.Millisecond) // so that the streams overlap
	fmt.Printf("  %s  batch %d  buffer %d  value %2d\n", what, batch, buffer, value)
}

func newEvents(d *event.Device) ([]*event.Event, error) {
	var events []*event.Event
	for range buffers {
		e, err := d.NewEvent()
		if err != nil {
			closeAll(events)
			return nil, err
		}
		events = append(events, e)
	}
	return events, nil
}

func closeAll(events []*event.Event) {
	for _, e := range events {
		_ = e.Close() // it has served
	}
}
