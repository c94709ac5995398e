package poll

import (
	"math/rand/v2"
	"runtime"
	"slices"
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
		p.stillPending(now, 1)
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
			if assert.LessOrEqual(t, gap, lastPause, name); lag > max(d/2, longestShort) {
				assert.Failf(t, "late", "%s: %v was noticed %v late", name, d, lag)
			}
			sum, length, questions = sum+lag, length+d, questions+asked
		}
		t.Logf("%s: %v late in the mean, %.1f questions a millisecond", name, sum/1000,
			float64(questions)/float64(length/ms))
	}
}

// Ends without a rule are noticed within a pause, whatever ends seem to follow one by chance.
func TestEndsWithoutARule(t *testing.T) {
	t.Parallel()
	const n = 2000
	random := rand.New(rand.NewPCG(7, 8))
	p := &pace{tempo: new(tempo)}
	var lags []time.Duration
	for i := range n {
		takes := pick(50*us, 50*us+time.Duration(random.Int64N(int64(9950*us))), i%2 == 0)
		lag, asked, _ := waits(p, takes, 0)
		if takes > 50*us {
			lags = append(lags, lag)
		}
		assert.LessOrEqual(t, asked, mostQueries(takes)+around, "%v", takes)
	}
	slices.Sort(lags)
	assert.LessOrEqual(t, lags[len(lags)/2], shortPause/2+2*us)
	assert.LessOrEqual(t, lags[len(lags)*99/100], longestShort)
}

// longestShort is a short pause that ends when others do.
const longestShort = shortPause + shortPause/2

// around is the most queries without a pause around an end that was expected, in the simulation.
const around = int(4 * closePause / us)

// mostQueries is how many a wait without an expected end needs at most in the simulation.
func mostQueries(takes time.Duration) int {
	atOnce, growing := int(spin/us), 0
	if takes > short {
		growing = 60 // from a short pause to the last one
	}
	return 2 + atOnce + int(min(takes, short)/shortPause) + growing +
		int(max(takes-short, 0)/lastPause)
}

// A wait takes at most so many queries, and an end is noticed so late at most, however long it is.
func TestWaitsWithoutAnExpectedEnd(t *testing.T) {
	t.Parallel()
	lengths := []time.Duration{0, us, time.Second, time.Minute, time.Hour}
	for d := 10 * us; d < 100*ms; d += d/16 + us {
		lengths = append(lengths, d)
	}
	without := map[string]tempo{
		"new":    {},
		"random": {known: true, mean: 5 * ms, spread: 3 * ms},
	}
	for name, knows := range without {
		for _, takes := range lengths {
			it := knows
			lag, asked, gap := waits(&pace{tempo: &it}, takes, 0)
			assert.LessOrEqual(t, asked, mostQueries(takes), "%s: %v", name, takes)
			assert.LessOrEqual(t, gap, lastPause, "%s: %v", name, takes)
			late := shortPause + shortPause/2 + max(takes-short, 0)/slower
			assert.LessOrEqual(t, lag, min(late, lastPause), "%s: %v", name, takes)
		}
	}
}

func TestPausesGrow(t *testing.T) {
	t.Parallel()
	many := []int{0, 1, crowd, crowd + 1, 100, 1000, 10_000}
	for i, n := range many {
		last := time.Duration(0)
		for d := time.Duration(0); d < 2*time.Hour; d += d/8 + us {
			pause := unexpected(d, n)
			assert.LessOrEqual(t, last, pause, "%d after %v", n, d)
			assert.LessOrEqual(t, pause, lastPause)
			assert.GreaterOrEqual(t, pause, unexpected(d, many[max(i-1, 0)]), "%d after %v", n, d)
			last = pause
		}
		assert.Equal(t, lastPause, last)
	}
}

func TestSharedTimes(t *testing.T) {
	t.Parallel()
	for at := time.Second; at < time.Second+3*shortPause; at += us {
		next := shared(at, time.Hour)
		assert.Zero(t, next%shortPause)
		assert.LessOrEqual(t, max(next-at, at-next), shortPause/2)
		assert.LessOrEqual(t, shared(at, at), at)
	}
}

// Queries of many lanes share rounds, and have longer pauses if there are too many of them.
func TestCrowdsShareRounds(t *testing.T) {
	t.Parallel()
	const query = time.Duration(100) // nanoseconds
	random := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{1, 2, crowd, 100, 1000, 10_000} {
		var a agenda
		of := map[*Item]*pace{}
		for range n {
			it := new(Item)
			p := &pace{items: &[]*Item{it}, tempo: new(tempo)}
			since := time.Second + time.Duration(random.Int64N(int64(ms)))
			p.begin(since)
			p.stillPending(since+spin, n)
			a.put(p, since)
			of[it] = p
		}
		const from, to = time.Second + 2*ms, time.Second + 9*ms
		rounds, queries := 0, 0
		for now := time.Second + ms; now < to; now = max(now, min(a.nextOften(), a.nextSeldom())) {
			items := a.dueSeldom(now, a.dueOften(now, nil))
			if now > from {
				rounds, queries = rounds+1, queries+len(items)
			}
			for _, it := range items {
				now += query
				of[it].stillPending(now, len(a.often))
				a.put(of[it], now)
			}
		}
		t.Logf("%d lanes: %d rounds, %d queries in %v", n, rounds, queries, to-from)
		assert.LessOrEqual(t, rounds,
			int((to-from)/shortPause)+int((to-from)/lastPause)*(n/slice+1)+1)
		assert.LessOrEqual(t, queries, (min(n, crowd)+1)*int((to-from)/shortPause)+
			n*int((to-from)/lastPause))
	}
}

// While ends at other times than the expected one are frequent, each is noticed soon. Once they are
// not, the time until the expected end needs few queries.
func TestDoubtsAboutTheExpectedEnd(t *testing.T) {
	t.Parallel()
	for _, other := range []time.Duration{300 * us, 3 * ms, 9 * ms} {
		p := &pace{tempo: new(tempo)}
		waits(p, 7*ms, 0)
		lag, _, _ := waits(p, other, 0)
		assert.LessOrEqual(t, lag, longestShort, "%v, the second in its lane", other)
		p.tempo = new(tempo)
		for range 10 {
			waits(p, 7*ms, 0)
		}
		_, few, _ := waits(p, 7*ms, 0)
		waits(p, other, 0)
		for i := range 400 {
			takes := pick(7*ms, other, i%50 == 49)
			lag, asked, _ := waits(p, takes, 0)
			assert.LessOrEqual(t, lag, longestShort, "%v", takes)
			assert.LessOrEqual(t, asked, mostQueries(takes)+around, "%v", takes)
		}
		for range doubt {
			waits(p, 7*ms, 0)
		}
		_, asked, _ := waits(p, 7*ms, 0)
		assert.Less(t, asked, few+20)
	}
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

// A task without a lane is queried as often as one of a lane about whose tasks nothing is known.
// Many of them have longer pauses.
func TestTasksWithoutALane(t *testing.T) {
	t.Parallel()
	items := make([]*Item, 1)
	loose := &pace{items: &items}
	unknown := &pace{items: &items, tempo: new(tempo)}
	for _, pended := range []time.Duration{spin, 300 * us, ms, 9 * ms, 20 * ms, time.Second} {
		pause, _ := loose.pause(pended, 1)
		want, _ := unknown.pause(pended, 1)
		assert.Equal(t, want, pause, "%v", pended)
		if pended <= short {
			assert.Equal(t, shortPause, pause, "%v", pended)
		}
	}
	items = make([]*Item, 10*crowd)
	pause, _ := loose.pause(ms, 1)
	assert.Equal(t, 10*shortPause, pause)
}
