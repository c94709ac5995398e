//go:build linux

package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/libs"
)

var wakeStreams = flag.String("wake.streams", "1,10,100",
	"with how many streams at once the cost of waiting is measured")

// crowd is streams whose work takes 0.05 to 10 ms, and a goroutine each that records and waits.
type crowd struct {
	record  sync.Mutex // the driver knows of one length and one end at a time
	streams []*event.Stream
	events  []*event.Event
}

// once has stream i work for so long, and returns how late the waiter wakes up.
func (c *crowd) once(tb testing.TB, i int, length time.Duration) (time.Duration, error) {
	c.record.Lock()
	timedWork(length)
	err := c.events[i].Record(c.streams[i])
	done := timedEnd()
	c.record.Unlock()
	if err == nil {
		err = c.events[i].Wait(tb.Context())
	}
	return timedNow() - done, err
}

// wait has all streams work and wait until so much time has passed.
func (c *crowd) wait(tb testing.TB, span time.Duration) lags {
	var l lags
	var mu sync.Mutex
	var all sync.WaitGroup
	began, used := time.Now(), processTime()
	for i := range c.streams {
		all.Go(func() {
			random := rand.New(rand.NewPCG(3, uint64(i)))
			var mine []time.Duration
			for time.Since(began) < span {
				lag, err := c.once(tb, i, 50*us+time.Duration(random.Int64N(int64(9950*us))))
				if err != nil {
					tb.Error(err)
					return
				}
				mine = append(mine, lag)
			}
			mu.Lock()
			defer mu.Unlock()
			l.all = append(l.all, mine...)
		})
	}
	all.Wait()
	l.share = float64(processTime()-used) / float64(time.Since(began))
	slices.Sort(l.all)
	return l
}

// TestWakeOfManyStreams measures how late waiters wake up, and what it costs, if many streams work
// for random times at once.
func TestWakeOfManyStreams(t *testing.T) {
	var table strings.Builder
	for _, name := range []string{"cuda", "hip"} {
		for _, number := range strings.Split(*wakeStreams, ",") {
			n, err := strconv.Atoi(number)
			require.NoError(t, err)
			t.Cleanup(libs.CUDA.Install("a driver whose work is time", timedDriver))
			t.Cleanup(libs.HIP.Install("a runtime whose work is time", timedDriver))
			d, err := event.Open(name + ":0")
			require.NoError(t, err)
			var c crowd
			for range n {
				s, err := d.NewStream()
				require.NoError(t, err)
				e, err := d.NewEvent()
				require.NoError(t, err)
				c.streams, c.events = append(c.streams, s), append(c.events, e)
			}
			before := d.Stats()
			l := c.wait(t, *wakeTime)
			asked := d.Stats().Polled.Queries - before.Polled.Queries
			fmt.Fprintf(&table, "%-5s %6d streams %7d waits %6.1f queries each"+
				" %9.1f %9.1f %9.1f µs %6.1f %%\n", name, n, len(l.all),
				float64(asked)/float64(len(l.all)), l.at(50), l.at(99), l.at(100), 100*l.share)
			for i := range n {
				require.NoError(t, c.events[i].Close())
				require.NoError(t, c.streams[i].Close())
			}
		}
	}
	t.Logf("waits for work of 0.05 to 10 ms: p50, p99 and the latest, and share of a core\n%s",
		table.String())
}
