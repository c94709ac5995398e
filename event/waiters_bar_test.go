//go:build unix

package event_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

// scaled is a number of objects, fewer of them in short mode and under the race detector.
func scaled(n int) int {
	if testing.Short() || raceEnabled {
		return n / 40
	}
	return n
}

// forest is many events of one stream behind a gate.
type forest struct {
	r      *rig
	s      *event.Stream
	g      *sim.Gate
	events []*event.Event
}

func plantForest(tb testing.TB, f face, n int) *forest {
	r := testRig(tb, f, sim.Options{})
	s := r.stream(r.device(0))
	o := &forest{r: r, s: s, g: r.hold(s), events: make([]*event.Event, n)}
	for i := range o.events {
		o.events[i] = obtain(s.RecordNew())
	}
	r.later(func() error {
		for _, e := range o.events {
			ensure(e.Close())
		}
		return nil
	})
	return o
}

// wait takes a Done channel of each event in an order, and measures that and what it takes from the
// gate's opening until all are closed.
func (o *forest) wait(tb testing.TB, order []int) (taking, releasing time.Duration) {
	done := make([]<-chan struct{}, len(order))
	began := time.Now()
	for _, i := range order {
		done[i] = o.events[i].Done()
	}
	taking = time.Since(began)
	began = time.Now()
	o.g.Open()
	late := time.After(2 * time.Minute)
	for i, c := range done {
		select {
		case <-c:
		case <-late:
			require.FailNow(tb, "waiters are left", "from %d on, of %d", i, len(done))
		}
	}
	return taking, time.Since(began)
}

func ascending(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// TestManyWaitersOfOneStream has 400,000 of them released at once. The bar is 1 s.
func TestManyWaitersOfOneStream(t *testing.T) {
	for _, f := range newests() {
		t.Run(f.String(), func(t *testing.T) {
			n := scaled(400_000)
			taking, releasing := plantForest(t, f, n).wait(t, ascending(n))
			t.Logf("%d waiters of one stream: registered in %v, released in %v", n, taking, releasing)
			assert.Less(t, releasing, 10*time.Second, "ten times the bar")
		})
	}
}

// TestMillionDoneChannels takes and closes that many, in any order. The bar is 5 s.
func TestMillionDoneChannels(t *testing.T) {
	for name, order := range map[string]func(n int) []int{
		"in-order": ascending,
		"reverse":  func(n int) []int { all := ascending(n); slices.Reverse(all); return all },
		"random":   func(n int) []int { return rand.New(rand.NewPCG(1, 2)).Perm(n) },
	} {
		t.Run(name, func(t *testing.T) {
			n := scaled(1_000_000)
			taking, releasing := plantForest(t, newest(event.CUDA), n).wait(t, order(n))
			t.Logf("%d Done channels, taken %s: %v, and %v until all are closed", n, name, taking, releasing)
			assert.Less(t, taking+releasing, 50*time.Second, "ten times the bar")
		})
	}
}

// TestManyStuckStreams waits for 10,000 streams that get nowhere. The bar is 15 % of a core.
func TestManyStuckStreams(t *testing.T) {
	for _, f := range newests() {
		t.Run(f.String(), func(t *testing.T) {
			r := testRig(t, f, sim.Options{})
			d := r.device(0)
			n := scaled(10_000)
			var gates []*sim.Gate
			var done []<-chan struct{}
			for range n {
				s := r.stream(d)
				gates = append(gates, r.hold(s))
				done = append(done, r.recorded(s).Done())
			}
			query := r.call("EventQuery")
			require.True(t, eventually(func() bool { return r.m.Calls(query) >= 2*n }))
			began, used, asked := time.Now(), cpuTime(), r.m.Calls(query)
			time.Sleep(span())
			share := float64(cpuTime()-used) / float64(time.Since(began))
			t.Logf("%d stuck streams cost %.1f %% of a core, %d questions in %v",
				n, 100*share, r.m.Calls(query)-asked, span())
			if !raceEnabled {
				assert.Less(t, share, 1.5, "ten times the bar")
			}
			for _, g := range gates {
				g.Open()
			}
			for _, c := range done {
				reached(t, "the wait", c)
			}
		})
	}
}
