package poll

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A round whose items were removed before its first query is no round of queries.
func TestRoundsWithoutQueriesDoNotCount(t *testing.T) {
	t.Parallel()
	p := New(unprepared)
	r := &runner{poller: p}
	p.runner = r
	it := newTask("lane", 1, 1)
	p.Add(&it.Item)
	r.take(0, 0, 0)
	require.Len(t, r.items, 1)
	require.True(t, p.Remove(&it.Item))
	r.ask()
	assert.Equal(t, Stats{}, p.Stats())

	it = newTask("lane", 1, 1)
	p.Add(&it.Item)
	r.take(0, 0, 0)
	r.ask()
	assert.Equal(t, Stats{Rounds: 1, Queries: 1}, p.Stats())
	assert.True(t, p.Remove(&it.Item))
}
