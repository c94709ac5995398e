package event

import (
	"runtime"
	"time"
)

// waitFor asks until the answer is yes or an error: as often as other goroutines allow, or, to spare the processor, with pauses that grow to the poller's longest.
func waitFor(blocking bool, ask func() (bool, error)) error {
	began, pause := time.Now(), pollFirst
	for {
		done, err := ask()
		if done || err != nil {
			return err
		}
		if !blocking || time.Since(began) < pollSpin {
			runtime.Gosched()
			continue
		}
		time.Sleep(pause)
		pause = min(2*pause, pollLast)
	}
}
