package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Headers in packages that are large come only if they are asked for, and the others always.
func TestLargeHeaders(t *testing.T) {
	t.Parallel()
	packages := map[string][]byte{"libx-dev 1": makeTar(t, entry{name: "usr/include/x.h", text: "x"}),
		"libx-dev 2": makeTar(t, entry{name: "usr/include/x.h", text: "y"})}
	pin := func(release string, large bool) Pin {
		return Pin{Version: release, Deb: "libx-dev", Release: release, Suite: "sid", Large: large,
			SHA256: sumOf(packages["libx-dev "+release])}
	}
	pins := &Pins{Headers: Lists{"cuda": {pin("1", true), pin("2", false)}}, specs: twoSpecs()}
	for name, c := range map[string]struct {
		small bool
		want  int
		notes []string
	}{
		"all":   {false, 2, nil},
		"small": {true, 1, []string{"cuda: left out as large: 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newTestFiller(t, &fakeIndex{files: packages})
			f.rules = []Rule{{Packages: []string{"libx-dev"}, From: []string{"usr/include"}, To: "include",
				Files: []string{"x.h"}}}
			outcomes, notes := fetchHeaders(t.Context(), pins, f, 2, c.small)
			assert.Len(t, outcomes, c.want)
			assert.Equal(t, c.notes, notes)
			for _, o := range outcomes {
				assert.NoError(t, o.Err)
			}
		})
	}
}
