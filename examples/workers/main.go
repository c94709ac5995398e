// Command workers spreads jobs over two devices, one goroutine each. Where there are not two GPUs,
// they are simulated.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

const jobs = 8

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "workers:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	devices, work := gpus(), hostWork
	if len(devices) < 2 {
		fmt.Println("There are not two GPUs here: these are simulated.")
		m, openErr := eventsim.Open(eventsim.Config{Devices: 2, RealTime: true})
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, m.Close()) }()
		devices = m.Devices()
		work = func(s *event.Stream, d time.Duration) error { m.Work(s, d); return nil }
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	began := time.Now()
	var total time.Duration
	p := pool{devices: devices[:2], inFlight: 2}
	for i := range jobs {
		length := time.Duration(i+1) * 10 * time.Millisecond
		total += length
		p.jobs = append(p.jobs, func(s *event.Stream) error { return work(s, length) })
	}
	done, err := p.run(ctx)
	if err != nil {
		return err
	}
	for i, d := range p.devices {
		fmt.Printf("%v did %d jobs\n", d, done[i])
	}
	fmt.Printf("%v of work in %v\n", total, time.Since(began).Round(time.Millisecond))
	return nil
}

// gpus are the devices but for the host.
func gpus() (found []*event.Device) {
	for _, d := range event.Devices() {
		if !d.IsHost() {
			found = append(found, d)
		}
	}
	return found
}

// hostWork stands for kernels.
func hostWork(s *event.Stream, d time.Duration) error {
	return s.HostFunc(func() error { time.Sleep(d); return nil })
}
