package dl

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// described is an error of a call, compared by its address.
type described struct {
	symbol string
	code   int32
}

func (d *described) Error() string { return fmt.Sprint(d.symbol, " ", d.code) }

func describe(symbol string, code int32) error { return &described{symbol, code} }

func TestFailureIsMadeOncePerFunctionAndCode(t *testing.T) {
	f, g := Proc{Symbol: "f"}, Proc{Symbol: "g"}
	for _, p := range []*Proc{&f, &g} {
		for code := range int32(5) {
			first := p.Failure(code, describe)
			assert.Equal(t, &described{p.Symbol, code}, first)
			assert.Same(t, first, p.Failure(code, describe))
		}
	}
	assert.NotSame(t, f.Failure(1, describe), g.Failure(1, describe))
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = f.Failure(3, describe) }))
}

// Calls that fail at the same time for the first time get one error.
func TestConcurrentFailures(t *testing.T) {
	t.Parallel()
	const workers, codes = 8, 50
	var p Proc
	var got [workers][codes]error
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range int32(codes) {
				got[w][i] = p.Failure(i, describe)
			}
		})
	}
	wg.Wait()
	for _, errs := range got {
		for i, err := range errs {
			assert.Same(t, got[0][i], err)
		}
	}
}
