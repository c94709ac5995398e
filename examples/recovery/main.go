// Command recovery loses a device in the middle of its work, and goes on with another one from the
// last step that was done. The devices are simulated, for no real one is lost on demand.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/event/eventsim"
)

const steps = 6

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "recovery:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	m, err := eventsim.Open(eventsim.Config{Devices: 2, RealTime: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	t := &task{
		devices: m.Devices(),
		steps:   steps,
		work: func(s *event.Stream, step int) error {
			m.Work(s, 20*time.Millisecond)
			if step == 3 && s.Device() == m.Device(0) {
				time.AfterFunc(10*time.Millisecond, func() { m.Lose(0, cudrv.ErrUnknown) })
			}
			return nil
		},
		say: func(format string, args ...any) { fmt.Printf(format+"\n", args...) },
	}
	return t.run(ctx)
}
