package gpuevent_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/internal/testing/clib"
)

// TestOldReleases has the C compiler check every size, offset and number of the releases that are
// the last with some older form: against their headers, or the spec's own declarations where those
// are not here. TestOracle calls the functions of fewer releases.
func TestOldReleases(t *testing.T) {
	needsC(t)
	t.Parallel()
	b := newBuilder(t)
	for _, a := range apis {
		s := a.spec(t)
		for _, v := range s.Turns() {
			build := clib.Build{Source: a.source(), Number: s.Number(v), API: a.Name,
				Flags: []string{"-fsyntax-only"}}
			t.Run(a.Name+" "+v, func(t *testing.T) {
				t.Parallel()
				if build.Include = a.headersOf(v); build.Include == "" {
					t.Log("not compared with the vendor's header: it is not here; make headers fetches it")
				}
				_, err := b.start("syntax"+a.Name+v, build)()
				assert.NoError(t, err)
			})
		}
	}
}
