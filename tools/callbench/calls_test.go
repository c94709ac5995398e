package main

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/cudrv"
	"github.com/gpuevent/gpuevent/hip"
	"github.com/gpuevent/gpuevent/tools/callbench/report"
)

// The tests of this package share one driver and its counters: none is parallel.

// setUp returns all rows, with the test on a thread of its own.
func setUp(tb testing.TB) []row {
	tb.Helper()
	runtime.LockOSThread()
	tb.Cleanup(runtime.UnlockOSThread)
	tb.Cleanup(install())
	tb.Cleanup(func() {
		setInside(false)
		setPending(false)
	})
	rows, err := allRows()
	require.NoError(tb, err)
	return rows
}

func TestEveryWayMakesItsCalls(t *testing.T) {
	for _, r := range setUp(t) {
		for _, w := range r.ways {
			t.Run(r.api+"/"+r.name+"/"+w.name, func(t *testing.T) {
				runtime.LockOSThread() // whose calls are counted
				defer runtime.UnlockOSThread()
				for _, n := range []int{0, 1, 7, 1000} {
					require.NoError(t, r.prepare())
					before := tallied()
					require.NoError(t, w.run(n))
					made := tallied().since(before)
					require.NoError(t, r.check(w.name, n, made))
					if w.name != report.Event {
						require.Equal(t, r.calls.times(n), made, "%d operations", n)
					}
				}
			})
		}
	}
}

func TestKnownAnswersAskNobody(t *testing.T) {
	for _, r := range setUp(t) {
		if r.event == nil {
			continue
		}
		require.NoError(t, r.prepare())
		before := tallied()
		require.NoError(t, r.way(report.Event).run(1000))
		assert.Zero(t, tallied().since(before), r.api)
	}
}

// Nothing of packages event and compute allocates but what makes an object.
func TestNothingAllocates(t *testing.T) {
	for _, r := range setUp(t) {
		w := r.way(report.Event)
		if w == nil || strings.HasPrefix(r.name, "create") {
			continue
		}
		require.NoError(t, r.prepare())
		require.NoError(t, w.run(1000), "what is pooled")
		made := testing.AllocsPerRun(5, func() { assert.NoError(t, w.run(1000)) })
		assert.Less(t, made, 10.0, "%s %s: allocations in 1000 operations", r.api, r.name)
	}
}

// TestRowsAreComplete keeps ways and rows from getting lost.
func TestRowsAreComplete(t *testing.T) {
	rows := setUp(t)
	var names []string
	for _, r := range rows {
		names = append(names, r.api+": "+r.name)
		var ways []string
		for _, w := range r.ways {
			ways = append(ways, w.name)
		}
		want := report.Ways()
		if r.api == hipAPI {
			want = []string{report.C, report.Cgo, report.Raw, report.Event}
		}
		if r.calls[callLaunch] != 0 && r.target == nil { // not one of package compute
			want = want[:len(want)-1]
		}
		assert.ElementsMatch(t, want, ways, r.name)
	}
	assert.Len(t, names, 25)
	assert.Len(t, unique(names), 25)
}

func unique(names []string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

// TestPlantedMiscounts plants ways that save work or do too much of it: no such figure is measured.
func TestPlantedMiscounts(t *testing.T) {
	rows := setUp(t)
	record := func() error { return cudrv.EventRecord(rawEvent, rawStream) }
	query := func() error { return cudrv.EventQuery(rawEvent) }
	turn := 0
	for plant, operation := range map[string]func() error{
		"nothing": func() error { return nil },
		"twice":   func() error { return errors.Join(record(), record()) },
		"another": query,
		"one too": func() error { return errors.Join(record(), query()) },
		"every second": func() error {
			if turn++; turn%2 == 0 {
				return nil
			}
			return record()
		},
	} {
		for _, name := range []string{report.C, report.Cgo, report.Raw, report.Event} {
			r := rows[0]
			require.Equal(t, "record", r.name)
			r.ways = []way{goWay(name, operation)}
			_, err := measure([]row{r}, options{rounds: 1, round: 1})
			assert.ErrorIs(t, err, errMiscounted, "%s as %s", plant, name)
		}
	}
	r := rows[0]
	r.ways = []way{goWay(report.Event, record)}
	_, err := measure([]row{r}, options{rounds: 1, round: 1})
	assert.NoError(t, err, "the right number is measured")
}

// TestContextsAndCapturesMayBeAsked allows package event what it can't do without.
func TestContextsAndCapturesMayBeAsked(t *testing.T) {
	r := row{calls: tally{callRecord: 1}}
	made := tally{callRecord: 3, callCurrent: 3, callSetCurrent: 6, callCapturing: 3}
	assert.NoError(t, r.check(report.Event, 3, made))
	assert.ErrorIs(t, r.check(report.Raw, 3, made), errMiscounted)
	kept := row{calls: tally{callCreate: 1, callRecord: 1, callDestroy: 1}}
	assert.NoError(t, kept.check(report.Event, 3, tally{callRecord: 3}), "events that are kept")
	assert.ErrorIs(t, kept.check(report.Cgo, 3, tally{callRecord: 3}), errMiscounted)
	known := row{calls: tally{callQuery: 1}, event: &tally{}}
	assert.NoError(t, known.check(report.Event, 3, tally{}))
	assert.ErrorIs(t, known.check(report.Event, 3, tally{callQuery: 1}), errMiscounted)
}

// TestFailingOperationsEnd has each way fail in the middle.
func TestFailingOperationsEnd(t *testing.T) {
	for _, r := range setUp(t) {
		if r.name != "query, pending" {
			continue
		}
		for _, w := range r.ways {
			require.NoError(t, r.prepare())
			require.NoError(t, w.run(10))
			setPending(false)
			assert.Error(t, w.run(10), "%s: %s: done, and not pending", r.api, w.name)
		}
	}
}

// TestBindingsRefuseAlike hands every binding what the driver refuses.
func TestBindingsRefuseAlike(t *testing.T) {
	setUp(t)
	refuses(t, cgoBinding(), cudrv.ErrInvalidHandle, cudrv.ErrInvalidValue)
	refuses(t, quietBinding(), cudrv.ErrInvalidHandle, cudrv.ErrInvalidValue)
	refuses(t, syscallNBinding(), cudrv.ErrInvalidHandle, cudrv.ErrInvalidValue)
	refuses(t, registerBinding(), cudrv.ErrInvalidHandle, cudrv.ErrInvalidValue)
	refuses(t, cudrvBinding(), cudrv.ErrInvalidHandle, cudrv.ErrInvalidValue)
	refuses(t, hipBinding(), hip.ErrInvalidHandle, hip.ErrInvalidValue)
	assert.Error(t, loopRecord(3, 0, rawStream))
	assert.Error(t, loopQuery(3, 0, false))
	assert.Error(t, loopRecordQuery(3, 0, rawStream))
	assert.Error(t, loopElapsed(3, rawStart, 0))
	assert.Error(t, loopWait(3, 0, rawEvent))
	assert.Error(t, loopCreateDestroy(3, 8))
	assert.Error(t, loopCreateRecordDestroy(3, 8, rawStream))
}

func refuses[E, S ~uintptr, C, W ~uint32](
	t *testing.T, b binding[E, S, C, W], handle, value error,
) {
	t.Helper()
	assert.ErrorIs(t, b.record(0, rawStream), handle, b.name)
	assert.ErrorIs(t, b.query(0), handle, b.name)
	_, err := b.elapsed(rawStart, 0)
	assert.ErrorIs(t, err, handle, b.name)
	assert.ErrorIs(t, b.wait(0, rawEvent, 0), handle, b.name)
	assert.ErrorIs(t, b.destroy(0), handle, b.name)
	_, err = b.create(8)
	assert.ErrorIs(t, err, value, b.name)
	e, err := b.create(createFlags)
	assert.NoError(t, err, b.name)
	assert.NotZero(t, e, b.name)
	setPending(true)
	assert.ErrorIs(t, b.query(rawEvent), b.notReady, b.name)
	setPending(false)
}
