package eventbench

import (
	"testing"

	"github.com/gpuevent/gpuevent/event"
)

// warmUps is how often Run calls the function beforehand.
const warmUps = 3

// Run benchmarks a function that enqueues one operation on a stream. It calls the function some
// times to warm up, and then in a loop with [testing.B.Loop]. An error ends the benchmark.
func Run(b *testing.B, s *event.Stream, operation func() error) {
	b.Helper()
	for range warmUps {
		if err := operation(); err != nil {
			b.Fatal(err)
		}
	}
	t := Start(b, s)
	for b.Loop() {
		t.must(operation())
		t.Lap()
	}
	t.Stop()
}
