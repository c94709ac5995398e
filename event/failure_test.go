package event

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The failure of an earlier record can become known later than that of the last one.
func TestTheLastRecordsFailureIsKept(t *testing.T) {
	t.Parallel()
	first, second := newRecord(1, plain), newRecord(2, plain)
	earlier, later := errors.New("earlier"), errors.New("later")
	for name, order := range map[string][]*failure{
		"in order":     {{first, earlier}, {second, later}},
		"out of order": {{second, later}, {first, earlier}},
		"twice":        {{second, earlier}, {second, later}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &Event{home: &Device{}}
			for _, f := range order {
				e.rememberFailure(f.rec, f.err)
			}
			assert.Equal(t, &failure{second, later}, e.rare.Load().broken.Load())
		})
	}
}
