package computesoak

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
	planting  = flag.Bool("computesoak.plant", false, "plant bugs, and have the soak find them")
	plantOnly = flag.String("computesoak.plant.only", "", "plant those whose names match")
)

const longestSearch = time.Minute

// plant is a bug: a small change of one source file of package compute.
type plant struct {
	name     string
	file     string // in package compute
	old, new string // old occurs once in the file
	profile  string
	form     Form
	says     string // the finding, as a pattern
}

// source is the path of a file of package compute.
func source(file string) string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(here), "..", "..", "..", "compute", file)
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
			p.search(t, "-test.run=^TestSoak$", "-computesoak.profile="+p.profile,
				"-computesoak.form="+string(p.form))
		})
	}
}

// search makes runs with the bug, each with another seed, until one finds it.
func (p plant) search(t *testing.T, args ...string) {
	binary, says := p.build(t), regexp.MustCompile(p.says)
	began := time.Now()
	for s := max(*seed, 1); time.Since(began) < longestSearch; s++ {
		cmd := exec.Command(binary, append([]string{"-test.v", "-computesoak.time=2s",
			fmt.Sprintf("-computesoak.seed=%d", s)}, args...)...)
		out, err := cmd.CombinedOutput()
		if err == nil {
			continue
		}
		if found := says.FindString(string(out)); found != "" {
			t.Logf("%s: seed %d: found after %v: %s", p.name, s,
				time.Since(began).Round(10*time.Millisecond), found)
			return
		}
		t.Logf("%s: seed %d: something else: %s", p.name, s, out[:min(len(out), 3000)])
	}
	t.Errorf("%s: the soak has not found it", p.name)
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
