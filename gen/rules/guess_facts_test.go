package rules

import (
	"path/filepath"
	"slices"
	"strings"
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
	shape := func(dir string) string { // what Go sees of a direction
		dir, optional := strings.CutSuffix(dir, ":optional")
		if optional || dir == "in" || dir == "inout" || dir == "buffer" {
			return "pointer"
		}
		return dir
	}
	for api, want := range map[string]struct {
		least float64
		wrong []string // results by guess that are more than one value: C would write behind the slot
	}{
		// four numbers, and nothing says so
		"cuda": {0.7, []string{"cuTexRefGetBorderColor.pBorderColor"}},
		"hip":  {0.78, []string{"hipTexRefGetBorderColor.pBorderColor"}},
	} {
		specs := filepath.Join("..", "..", "specs")
		m, err := model.Load(filepath.Join(specs, api+".json"))
		require.NoError(t, err)
		r, err := Load(specs, api)
		require.NoError(t, err)
		require.NoError(t, r.Check(m))
		handle := func(c string) bool {
			return slices.ContainsFunc(m.Typedefs, func(t model.Typedef) bool {
				return t.Name == c && t.Kind == "handle"
			})
		}
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
				guess := GuessDirection(f, j, handle)
				switch {
				case shape(guess) == shape(fact):
					same++
				case guess == "out" && !strings.HasSuffix(fact, ":optional"):
					wrong = append(wrong, f.Name+"."+q.Name)
				default:
					t.Logf("%s.%s %s: %s, guessed %s", f.Name, q.Name, q.Type, fact, guess)
				}
			}
		}
		share := float64(same) / float64(all)
		t.Logf("%s: %d of %d guesses are right (%.1f %%)", api, same, all, 100*share)
		assert.Greater(t, share, want.least, api)
		assert.Equal(t, want.wrong, wrong, api)
	}
}
