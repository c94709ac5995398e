package soak

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	planting  = flag.Bool("soak.plant", false, "plant bugs, and have the soak find them")
	plantOnly = flag.String("soak.plant.only", "", "plant those whose names match")
)

// The soak looks for a planted bug in runs of some seconds, for what leaks is seen at the end of a
// run, and for a minute in all. The seeds count from 1, or from what the flag says.
const (
	longestSearch = time.Minute
	oneSearch     = 3 * time.Second
	mostText      = 4000 // of what was found instead
)

// plant is a bug: a small change of one source file of package event.
type plant struct {
	name     string
	file     string // in package event
	old, new string // old occurs once in the file
	form     Form   // the form of soak that finds it
	profile  string // the drivers; the newest if empty
	says     string // the finding, as a pattern
}

// source is the path of a file of package event.
func source(file string) string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "..", "event", file)
}

// bugged returns the file with the bug.
func (p plant) bugged() (string, error) {
	text, err := os.ReadFile(source(p.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), p.old); n != 1 {
		return "", fmt.Errorf("%s: the text to change occurs %d times in %s instead of once; "+
			"adapt the plant:\n%s", p.name, n, p.file, p.old)
	}
	return strings.Replace(string(text), p.old, p.new, 1), nil
}

// TestPlantsFit wants the table of planted bugs to keep up with the source.
func TestPlantsFit(t *testing.T) {
	names := map[string]bool{}
	for _, p := range plants {
		assert.False(t, names[p.name], "%s is there twice", p.name)
		names[p.name] = true
		_, err := p.bugged()
		assert.NoError(t, err)
	}
}

// TestPlanted builds the soak with each bug and wants it found within a minute.
func TestPlanted(t *testing.T) {
	if !*planting {
		t.Skip("takes minutes; make plant does it")
	}
	only := regexp.MustCompile(*plantOnly)
	for _, p := range plants {
		if !only.MatchString(p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			r := runs()[0]
			r.form, r.time, r.seed = p.form, oneSearch, max(*seed, 1)
			if p.profile != "" {
				r.profile = p.profile
			}
			p.search(t, r)
		})
	}
}

// search makes runs with the bug, each with another seed, until one finds it.
func (p plant) search(t *testing.T, r run) {
	binary := p.build(t)
	says := regexp.MustCompile(p.says)
	began := time.Now()
	for ; time.Since(began) < longestSearch; r.seed++ {
		out, err := processOf(binary, r)
		if err == nil {
			continue
		}
		took := time.Since(began).Round(10 * time.Millisecond)
		found := finding(out)
		if says.MatchString(found) {
			t.Logf("%s: seed %d: found after %v: %s", p.name, r.seed, took, found)
			return
		}
		t.Logf("%s: seed %d: after %v something else: %s\n%s",
			p.name, r.seed, took, found, out[:min(len(out), mostText)])
	}
	t.Errorf("%s: the soak has not found it", p.name)
}

// finding is the line that tells what was found.
func finding(out string) string {
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "soak ") ||
			strings.HasPrefix(line, "Device.Sync ") {
			continue
		}
		return line[:min(len(line), 200)]
	}
	return "nothing"
}

// build makes a soak of the changed package.
func (p plant) build(t *testing.T) string {
	text, err := p.bugged()
	require.NoError(t, err)
	dir := t.TempDir()
	changed := filepath.Join(dir, filepath.Base(p.file))
	require.NoError(t, os.WriteFile(changed, []byte(text), 0o600))
	original, err := filepath.Abs(source(p.file))
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{original: changed}})
	require.NoError(t, err)
	overlaid := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(overlaid, overlay, 0o600))
	binary := filepath.Join(dir, "soak.test")
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlaid, "-o", binary, ".")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return binary
}
