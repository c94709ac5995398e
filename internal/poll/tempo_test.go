package poll

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const (
	us = time.Microsecond
	ms = time.Millisecond
)

// waits simulates a task that takes so long, with a clock that stands at the times of the queries,
// each of which comes late by late. It returns how late the end is noticed, the number of queries,
// and the longest time between two.
func waits(p *pace, takes, late time.Duration) (lag time.Duration, asked int, gap time.Duration) {
	const start = time.Hour
	p.begin(start)
	now := start
	for asked = 1; now-start < takes; asked++ {
		p.stillPending(now)
		next := max(p.next, now+us) + late
		if !p.often {
			next = nextTick(now) + late
		}
		gap = max(gap, next-now)
		now = next
	}
	p.ended(now)
	return now - start - takes, asked, gap
}

func TestAsksAboutTheExpectedEnd(t *testing.T) {
	t.Parallel()
	for _, takes := range []time.Duration{50 * us, 150 * us, 800 * us, 7 * ms, 50 * ms, 2000 * ms} {
		for _, late := range []time.Duration{0, 20 * us, 60 * us} {
			p := &pace{tempo: new(tempo)}
			for range 12 {
				waits(p, takes, late)
			}
			for range 20 {
				lag, asked, _ := waits(p, takes, late)
				assert.LessOrEqual(t, lag, 2*closePause+late, "%v, with naps %v too long", takes, late)
				assert.Less(t, asked, 160+int(takes/ms))
			}
		}
	}
}

// The end of a task that takes another time than those before it is noticed as early as without
// them.
func TestUnexpectedEnds(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	for name, takes := range map[string]func() time.Duration{
		"anything":     func() time.Duration { return time.Duration(random.Int64N(int64(20 * ms))) },
		"either":       func() time.Duration { return []time.Duration{50 * us, 7 * ms}[random.IntN(2)] },
		"mostly short": func() time.Duration { return pick(80*us, 30*ms, random.IntN(20) == 0) },
		"mostly long":  func() time.Duration { return pick(30*ms, 80*us, random.IntN(20) == 0) },
		"growing": func() func() time.Duration {
			d := 20 * us
			return func() time.Duration { d += d / 50; return d % (100 * ms) }
		}(),
	} {
		p := &pace{tempo: new(tempo)}
		var sum, length time.Duration
		questions := 0
		for range 1000 {
			d := takes()
			lag, asked, gap := waits(p, d, 0)
			if assert.LessOrEqual(t, gap, lastPause, name); lag > max(d/2, firstPause) {
				assert.Failf(t, "late", "%s: %v was noticed %v late", name, d, lag)
			}
			sum, length, questions = sum+lag, length+d, questions+asked
		}
		t.Logf("%s: %v late in the mean, %.1f questions a millisecond", name, sum/1000,
			float64(questions)/float64(length/ms))
	}
}

// Ends without a rule are noticed within a fraction of the time that the task took, with few
// queries. By chance, a few of them seem to follow one.
func TestEndsWithoutARule(t *testing.T) {
	t.Parallel()
	const n = 2000
	random := rand.New(rand.NewPCG(7, 8))
	p := &pace{tempo: new(tempo)}
	late := 0
	for i := range n {
		takes := pick(50*us, 50*us+time.Duration(random.Int64N(int64(10*ms))), i%2 == 0)
		lag, asked, _ := waits(p, takes, 0)
		if lag > max(takes/16, 50*us)+spin {
			late++
		}
		assert.Less(t, asked, 120, "%v", takes)
	}
	assert.Less(t, late, n/50)
}

func TestTempoFollowsANewRule(t *testing.T) {
	t.Parallel()
	p := &pace{tempo: new(tempo)}
	for range 20 {
		waits(p, 800*us, 0)
	}
	for range regime + 5 {
		waits(p, 7*ms, 0)
	}
	assert.True(t, p.tempo.regular())
	assert.InDelta(t, 7*ms, p.tempo.mean, float64(200*us))
	waits(p, 60*ms, 0) // one that is far off
	assert.InDelta(t, 7*ms, p.tempo.mean, float64(500*us))
	assert.True(t, p.tempo.regular())
}

// A task that is over at the first query says nothing about how long such tasks take.
func TestTempoOfWhatIsOverAlready(t *testing.T) {
	t.Parallel()
	p := &pace{tempo: new(tempo)}
	for range 10 {
		waits(p, 2*ms, 0)
		waits(p, 0, 0)
	}
	assert.InDelta(t, 2*ms, p.tempo.mean, float64(100*us))
}

func TestTemposKeepNothingAlive(t *testing.T) {
	type key struct{ _ [100]byte }
	p := New(unprepared)
	collected := make(chan struct{})
	func() {
		k := new(key)
		runtime.AddCleanup(k, func(c chan struct{}) { close(c) }, collected)
		it := newTask(k, 1, 1)
		p.Add(&it.Item)
		askedAgain(t, it)
		it.finish(nil)
		receive(t, "the end", it.ended)
	}()
	idle(t, p)
	eventually(t, "the collection of the key", func() bool {
		runtime.GC()
		return isClosed(collected)
	})
	runtime.KeepAlive(p)
}

func TestTemposAreOfTheirLanes(t *testing.T) {
	t.Parallel()
	all := newTempos()
	a := all.of("a")
	a.learn(ms, ms)
	assert.Same(t, a, all.of("a"))
	for i := range 10_000 {
		it := all.of(i)
		assert.False(t, it.known, "a new lane begins without expectations")
		it.learn(ms, ms)
	}
}

func pick(a, b time.Duration, other bool) time.Duration {
	if other {
		return b
	}
	return a
}
