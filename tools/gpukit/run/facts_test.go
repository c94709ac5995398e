package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

func TestFactIsAbout(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		about, vendor, release string
		want                   known
	}{
		{"CUDA", "CUDA", "12.8", yes},
		{"CUDA", "AMD", "6.4", no},
		{"CUDA, AMD from 5.4", "CUDA", "11.8", yes},
		{"CUDA, AMD from 5.4", "AMD", "5.4.22804", yes},
		{"CUDA, AMD from 5.4", "AMD", "5.2", no},
		{"AMD from 6.4.2", "AMD", "6.4.43484", unclear},
		{"AMD from 6.4.2", "AMD", "6.3", no},
		{"AMD from 6.4.2", "AMD", "7.0", yes},
		{"AMD before 7.0, chipStar", "AMD", "6.4", yes},
		{"AMD before 7.0, chipStar", "AMD", "7.0", no},
		{"chipStar", "chipStar", "", yes},
		{"chipStar from 1.3", "chipStar", "", unclear},
		{"AMD before 7.0, chipStar before 1.3", "chipStar", "", unclear},
		{"chipStar 1.3", "chipStar", "", unclear},
		{"AMD before 7.0", "chipStar", "", no},
		{"AMD 5.7 to 7.0", "AMD", "7.0", yes},
		{"AMD 5.7 to 7.0", "AMD", "7.1", no},
		{"AMD 5.7 to 7.0", "AMD", "5.6", no},
		{"AMD 6.2 to 7.2.0", "AMD", "7.2", unclear},
		{"AMD 6.2 to 7.2.0", "AMD", "7.1", yes},
		{"AMD 7.2", "AMD", "7.2.53211", yes},
		{"AMD 7.2", "AMD", "7.1", no},
		{"AMD from 5.7, or earlier", "AMD", "5.2", unclear},
		{"AMD on Fridays", "AMD", "5.2", unclear},
	} {
		assert.Equal(t, x.want, factRow{about: x.about}.is(x.vendor, x.release), "%+v", x)
	}
}

// TestPage wants the page to say of every profile of the simulator what "played by" says.
func TestFactsPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "driver-facts.md"))
	require.NoError(t, err)
	page := readFacts(string(text))
	require.Greater(t, len(page), 100)
	clear := 0
	check := func(id string, r factRow, vendor, profile, release string) {
		plays := slices.ContainsFunc(strings.Split(r.playedBy, ", "), func(name string) bool {
			return name == profile || name == vendor
		})
		if is := r.is(vendor, release); is != unclear {
			clear++
			assert.Equal(t, plays, is == yes, "%s, about %q, on %s: does that play it?", id,
				r.about, profile)
		}
	}
	for id, r := range page {
		if !strings.Contains(r.shownBy, "`probe`") {
			continue
		}
		for _, v := range sim.CUDAProfiles() {
			check(id, r, "CUDA", "cuda-"+v, v)
		}
		for _, v := range sim.HIPProfiles() {
			if v != "cpu" {
				check(id, r, "AMD", "hip-"+v, v)
			}
		}
	}
	assert.Greater(t, clear, 500)
}
