package rules

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/model"
)

// TestGuessesAgreeWithFacts measures the heuristics by the facts that people wrote for both APIs: a
// function of a header that nobody has seen yet is bound by guesses. It counts where the Go
// signature would differ.
func TestGuessesAgreeWithFacts(t *testing.T) {
	t.Parallel()
	shape := func(d Direction) string { // what Go sees of a direction
		if !d.Result() {
			return "pointer"
		}
		return d.String()
	}
	for api, least := range map[string]float64{"cuda": 0.6, "hip": 0.65} {
		specs := filepath.Join("..", "..", "specs")
		m, err := model.Load(filepath.Join(specs, api+".json"))
		require.NoError(t, err)
		r, err := Load(specs, api)
		require.NoError(t, err)
		require.NoError(t, r.Check(m))
		types := NewShapes(m)
		all, same := 0, 0
		var wrong []string
		for i := range m.Functions {
			f := &m.Functions[i]
			for j, q := range f.Params {
				fact, ok := r.Facts.Direction[f.Name+"."+q.Name]
				if !ok {
					continue
				}
				all++
				guess := GuessDirection(f, j, types)
				switch {
				case shape(guess) == shape(fact):
					same++
				case guess.Way == Out && !fact.Optional:
					wrong = append(wrong, f.Name+"."+q.Name)
				default:
					t.Logf("%s.%s %s: %s, guessed %s", f.Name, q.Name, q.Type, fact, guess)
				}
			}
		}
		share := float64(same) / float64(all)
		t.Logf("%s: %d of %d guesses are right (%.1f %%)", api, same, all, 100*share)
		assert.Greater(t, share, least, api)
		assert.Empty(t, wrong, "%s: C would write beyond the result", api)
	}
}
