package eventtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// noCalls has no driver behind it.
type noCalls struct{ calls }

func (noCalls) inside(f func() error) error              { return f() }
func (noCalls) exchangeMode(mode uint32) (uint32, error) { return mode, nil }

// TestProbeOutcomes wants what a probe notes to decide on the outcome.
func TestProbeOutcomes(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		probe func(*probe)
		want  FactResult
	}{
		"confirmed": {func(p *probe) {
			p.code("call", nil, 0)
			p.note(true, "%d seen", 3)
		}, FactResult{"it", Confirmed, "call 0; 3 seen"}},
		"contradicted": {func(p *probe) {
			p.note(false, "wrong")
			p.note(true, "right")
		}, FactResult{"it", Contradicted, "wrong; right"}},
		"not applicable": {func(p *probe) {
			p.note(false, "wrong")
			p.skip("no %s", "reason")
		}, FactResult{"it", NotApplicable, "no reason"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			undone := 0
			r, err := fact{"it", func(p *probe) {
				p.later(func() { undone++ })
				x.probe(p)
			}}.ask(noCalls{}, patience)
			assert.NoError(t, err)
			assert.Equal(t, x.want, r)
			assert.Equal(t, 1, undone)
		})
	}
}

// TestProbeThatHangs wants an answer all the same.
func TestProbeThatHangs(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	defer close(hang)
	r, err := fact{"it", func(*probe) { <-hang }}.ask(noCalls{}, time.Millisecond)
	assert.ErrorContains(t, err, "the probe of it")
	assert.Equal(t, FactResult{"it", NotApplicable, err.Error()}, r)
}
