package host

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/clock"
)

var errTest = errors.New("test failure")

// TestMain checks that the engine leaves no goroutine.
func TestMain(m *testing.M) {
	before := runtime.NumGoroutine()
	code := m.Run()
	if f := flag.Lookup("test.fuzz"); f != nil && f.Value.String() != "" {
		os.Exit(code) // the fuzzer keeps goroutines of its own
	}
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > before {
		buf := make([]byte, 1<<20)
		fmt.Fprintf(os.Stderr, "%d goroutines before the tests, %d after:\n%s", before, n,
			buf[:runtime.Stack(buf, true)])
		code = 1
	}
	os.Exit(code)
}

func manual() (*Engine, *clock.Manual) {
	c := clock.NewManual()
	return New(Options{Clock: c}), c
}

func newQueue(t testing.TB, e *Engine) *Queue {
	t.Helper()
	q, err := e.NewQueue(QueueOptions{NonBlocking: true})
	require.NoError(t, err)
	return q
}

func newEvent(t testing.TB, e *Engine) *Event {
	t.Helper()
	return e.NewEvent(EventOptions{Timing: true})
}

func recordOn(t testing.TB, q *Queue, ev *Event) Point {
	t.Helper()
	_, err := q.Record(ev)
	require.NoError(t, err)
	p, err := ev.Point()
	require.NoError(t, err)
	return p
}

func gate(t testing.TB, q *Queue) *Gate {
	t.Helper()
	g, err := q.Gate()
	require.NoError(t, err)
	return g
}

func isDone(t testing.TB, p Point) bool {
	t.Helper()
	done, err := p.Query()
	require.NoError(t, err)
	return done
}
