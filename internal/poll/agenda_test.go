package poll

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// with makes a pace of something that is polled.
func with(next time.Duration, often bool, items ...*Item) *pace {
	return &pace{items: &items, next: next, often: often}
}

func TestAgendaTakesWhatIsDue(t *testing.T) {
	t.Parallel()
	var a agenda
	one, two, three := new(Item), new(Item), new(Item)
	next := func() time.Duration { return min(a.nextOften(), a.nextSeldom()) }
	assert.Equal(t, never, next())
	late, soon := with(300*us, true, one), with(100*us, true, two)
	a.put(late, 0)
	a.put(soon, 0)
	a.put(with(0, false, three), 0)
	assert.Equal(t, 100*us, next())
	assert.Empty(t, a.dueOften(99*us, nil))
	assert.Equal(t, []*Item{two}, a.dueOften(100*us, nil))
	assert.Equal(t, 100*us+firstPause, next(), "asked for again should nobody have come to it")
	assert.Equal(t, []*Item{two, one}, a.dueOften(lastPause, nil))
	assert.Equal(t, []*Item{three}, a.dueSeldom(lastPause, nil))
	assert.LessOrEqual(t, next(), lastPause+firstPause)
	a.drop(soon)
	a.drop(late)
	a.drop(late)
	assert.Equal(t, 2*lastPause, next())
	assert.Equal(t, 1, a.len())
}

// A lane whose only query hangs does not become due again and again.
func TestAgendaDropsWhatHasNothingToAskFor(t *testing.T) {
	t.Parallel()
	var a agenda
	for i := range 10 {
		a.put(with(0, i%2 == 0), 0)
	}
	it := new(Item)
	a.put(with(0, false, it), 0)
	assert.Empty(t, a.dueOften(lastPause, nil))
	assert.Equal(t, []*Item{it}, a.dueSeldom(lastPause, nil))
	assert.Equal(t, 1, a.len())
}

// However many are polled seldom, a slice of them is due at a time, each once in a cycle.
func TestAgendaSlicesTheSeldom(t *testing.T) {
	t.Parallel()
	const n = 5*slice + 7
	var a agenda
	paces := make([]*pace, n)
	for i := range paces {
		paces[i] = with(0, false, new(Item))
		a.put(paces[i], 0)
	}
	seen := map[*Item]int{}
	cycle := func(now time.Duration, during func(slices int)) (slices int) {
		for a.nextSeldom() <= now {
			items := a.dueSeldom(now, nil)
			require.LessOrEqual(t, len(items), slice)
			for _, it := range items {
				seen[it]++
			}
			slices++
			during(slices)
		}
		return slices
	}
	assert.Equal(t, 6, cycle(lastPause, func(int) {}))
	assert.Len(t, seen, n)
	for _, times := range seen {
		assert.Equal(t, 1, times)
	}
	late := with(0, false, new(Item))
	cycle(2*lastPause, func(slices int) { // some go, one comes
		if slices == 2 {
			for _, p := range paces[:3*slice] {
				a.drop(p)
			}
			a.put(late, lastPause)
		}
	})
	clear(seen)
	cycle(3*lastPause, func(int) {})
	assert.Len(t, seen, n-3*slice+1)
	assert.Equal(t, 1, seen[(*late.items)[0]])
}

func TestAgendaAtRandom(t *testing.T) {
	t.Parallel()
	var a agenda
	random := rand.New(rand.NewPCG(7, 8))
	all := make([]*pace, 50)
	there := make([]bool, len(all))
	for i := range all {
		all[i] = with(0, true, new(Item))
	}
	for range 20_000 {
		i := random.IntN(len(all))
		p := all[i]
		if there[i] = random.IntN(3) > 0; there[i] {
			p.next, p.often = time.Duration(random.IntN(1000))*us, random.IntN(2) == 0
			a.put(p, 0)
		} else {
			a.drop(p)
		}
		n := 0
		first := time.Duration(1 << 62)
		for i, p := range all {
			if !there[i] {
				require.Nil(t, p.place.list)
				continue
			}
			n++
			require.Same(t, p, (*p.place.list)[p.place.index])
			if p.often {
				first = min(first, p.next)
			} else {
				first = min(first, a.tick)
			}
		}
		require.Equal(t, n, a.len())
		if n > 0 {
			require.Equal(t, first, min(a.nextOften(), a.nextSeldom()))
		}
	}
}
