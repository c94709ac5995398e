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
	_, ok := a.next()
	assert.False(t, ok)
	late, soon := with(300*us, true, one), with(100*us, true, two)
	a.put(late, 0)
	a.put(soon, 0)
	a.put(with(0, false, three), 0)
	at, ok := a.next()
	assert.True(t, ok)
	assert.Equal(t, 100*us, at)
	assert.Empty(t, a.due(99*us, nil))
	assert.Equal(t, []*Item{two}, a.due(100*us, nil))
	at, _ = a.next()
	assert.Equal(t, 100*us+firstPause, at, "asked for again should nobody have come to it")
	assert.Equal(t, []*Item{two, one, three}, a.due(lastPause, nil))
	at, _ = a.next()
	assert.LessOrEqual(t, at, lastPause+firstPause)
	a.drop(soon)
	a.drop(late)
	a.drop(late)
	at, ok = a.next()
	assert.True(t, ok)
	assert.Equal(t, 2*lastPause, at)
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
	assert.Equal(t, []*Item{it}, a.due(lastPause, nil))
	assert.Equal(t, 1, a.len())
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
		if at, ok := a.next(); ok {
			require.Equal(t, first, at)
		}
	}
}
