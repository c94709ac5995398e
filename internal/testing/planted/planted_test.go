package planted

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/testing/clib"
)

var (
	each = flag.Bool("planted.each", false, "plant every mistake, each alone, which takes minutes")
	only = flag.String("planted.only", "", "plant those whose names match, each alone")
)

// plants is the table.
func plants() []plant {
	var all []plant
	for _, table := range []struct {
		place place
		list  []plant
	}{{inSpec, specs}, {inFacts, facts}, {inGenerator, generator}, {inCode, code},
		{inCallPath, callPath}} {
		for _, p := range table.list {
			if p.place == "" {
				p.place = table.place
			}
			all = append(all, p)
		}
	}
	return all
}

// lacks is what this machine has not of what finds a mistake; "" for nothing.
func lacks(root string, n need) string {
	if _, err := clib.Compiler(); n&aCompiler != 0 && errors.Is(err, clib.ErrNoCompiler) {
		return err.Error()
	}
	for bit, folder := range map[need]string{headers: ".headers", libraries: ".reallibs"} {
		if _, err := os.Stat(filepath.Join(root, folder)); n&bit != 0 && err != nil {
			return fmt.Sprintf("no %s here; make %s fetches them", folder, folder[1:])
		}
	}
	if n&systemV != 0 && (runtime.GOOS == "windows" || runtime.GOARCH != "amd64") {
		return "the mistake is in code for another processor"
	}
	return ""
}

// TestPlanted plants mistakes and wants each found, by the test that the table names, with what the
// table has it say.
//
// With -planted.each, all of them are planted, each alone. Without, those are left out that hide
// others and need a build of their own, and those that don't hide each other are planted together;
// in short mode, only those that the generator finds itself.
func TestPlanted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the copies of the repository are made of symbolic links")
	}
	root, match := repository(t), regexp.MustCompile(*only)
	gen := filepath.Join(t.TempDir(), "gen"+exe())
	_, err := (&world{root: root}).run("go", "build", "-o", gen, "./gen")
	require.NoError(t, err)
	left, together := 0, map[place][]plant{}
	for _, p := range plants() {
		if !match.MatchString(p.name) {
			continue
		}
		if why := lacks(root, p.needs); why != "" {
			t.Logf("%s: not planted: %s", p.name, why)
			continue
		}
		switch refused := strings.HasPrefix(p.finder, "gen "); {
		case *each || *only != "" || refused:
			t.Run(p.name, func(t *testing.T) { search(t, root, gen, []plant{p}) })
		case testing.Short() || p.alone:
			left++
		default:
			together[p.place] = append(together[p.place], p)
		}
	}
	if left > 0 {
		t.Logf("%d that need builds of their own were not planted; make planted plants them", left)
	}
	for _, in := range slices.Sorted(maps.Keys(together)) {
		t.Run(string(in), func(t *testing.T) { search(t, root, gen, together[in]) })
	}
}

// search has mistakes found.
func search(t *testing.T, root, gen string, ps []plant) {
	began := time.Now()
	w := newWorld(t, root, gen, ps)
	said := map[string]string{}
	for _, p := range ps {
		text, asked := said[p.finder]
		if !asked {
			var err error
			if text, err = w.found(t, p.finder, p.place == inSpec); err != nil {
				t.Errorf("%s: %v", p.name, err)
				continue
			}
			said[p.finder] = text
		}
		found := regexp.MustCompile(p.says).FindString(text)
		if found == "" {
			t.Errorf("%s: %s does not say %q, but\n%s", p.name, p.finder, p.says, last(text, 3000))
			continue
		}
		t.Logf("%s: found by %s: %s", p.name, p.finder, last(found, 200))
	}
	t.Logf("%d planted, %s", len(ps), time.Since(began).Round(10*time.Millisecond))
}

// last is the end of a text.
func last(text string, n int) string {
	if len(text) > n {
		return "..." + text[len(text)-n:]
	}
	return text
}
