package facts_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/sim"
	"github.com/gpuevent/gpuevent/tools/gpukit/facts"
)

func TestIs(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		about, vendor, release string
		want                   facts.Known
	}{
		{"CUDA", "CUDA", "12.8", facts.Yes},
		{"CUDA", "AMD", "6.4", facts.No},
		{"CUDA, AMD from 5.4", "CUDA", "11.8", facts.Yes},
		{"CUDA, AMD from 5.4", "AMD", "5.4.22804", facts.Yes},
		{"CUDA, AMD from 5.4", "AMD", "5.2", facts.No},
		{"AMD from 6.4.2", "AMD", "6.4.43484", facts.Unclear},
		{"AMD from 6.4.2", "AMD", "6.3", facts.No},
		{"AMD from 6.4.2", "AMD", "7.0", facts.Yes},
		{"AMD before 7.0, chipStar", "AMD", "6.4", facts.Yes},
		{"AMD before 7.0, chipStar", "AMD", "7.0", facts.No},
		{"chipStar", "chipStar", "", facts.Yes},
		{"chipStar from 1.3", "chipStar", "", facts.Unclear},
		{"AMD before 7.0, chipStar before 1.3", "chipStar", "", facts.Unclear},
		{"chipStar 1.3", "chipStar", "", facts.Unclear},
		{"AMD before 7.0", "chipStar", "", facts.No},
		{"AMD 5.7 to 7.0", "AMD", "7.0", facts.Yes},
		{"AMD 5.7 to 7.0", "AMD", "7.1", facts.No},
		{"AMD 5.7 to 7.0", "AMD", "5.6", facts.No},
		{"AMD 6.2 to 7.2.0", "AMD", "7.2", facts.Unclear},
		{"AMD 6.2 to 7.2.0", "AMD", "7.1", facts.Yes},
		{"AMD 7.2", "AMD", "7.2.53211", facts.Yes},
		{"AMD 7.2", "AMD", "7.1", facts.No},
		{"AMD from 5.7, or earlier", "AMD", "5.2", facts.Unclear},
		{"AMD on Fridays", "AMD", "5.2", facts.Unclear},
	} {
		assert.Equal(t, x.want, facts.Row{About: x.about}.Is(x.vendor, x.release), "%+v", x)
	}
}

// TestPage wants the page to say of every profile of the simulator what "played by" says.
func TestPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "driver-facts.md"))
	require.NoError(t, err)
	page := facts.Read(string(text))
	require.Greater(t, len(page), 100)
	known := 0
	check := func(id string, r facts.Row, vendor, profile, release string) {
		plays := slices.ContainsFunc(strings.Split(r.PlayedBy, ", "), func(name string) bool {
			return name == profile || name == vendor
		})
		if is := r.Is(vendor, release); is != facts.Unclear {
			known++
			assert.Equal(t, plays, is == facts.Yes, "%s, about %q, on %s: does that play it?", id,
				r.About, profile)
		}
	}
	for id, r := range page {
		if !strings.Contains(r.ShownBy, "`probe`") {
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
	assert.Greater(t, known, 500)
}
