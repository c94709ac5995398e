package eventtest_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/event/eventtest"
	"github.com/gpuevent/gpuevent/internal/testing/sim"
)

const factsPage = "../../docs/driver-facts.md"

// factRow is one of docs/driver-facts.md.
type factRow struct {
	id, versions, text, source string
	profiles                   []string // names of profiles
	tests                      []string
}

// knownFacts is what the code has to do with facts.
type knownFacts struct {
	quirks     map[string][]string // the simulator's, and the profiles that play them
	named      map[string]string   // ids in comments, and where
	probes     []string
	shownBySim []string
	tests      []string // functions
	behaviours []string
	profiles   []string
}

var (
	factID       = regexp.MustCompile(`^(cuda|amd|chip|gpu)(-[a-z0-9]+)+$`)
	factComment  = regexp.MustCompile(`(?://|#).*\bfact: ([a-z0-9-]+)`)
	testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)
	pageLink     = regexp.MustCompile(`\]\[([a-z0-9-]+)\]`)
	linkTarget   = regexp.MustCompile(`(?m)^\[([a-z0-9-]+)\]: https://\S+$`)
)

// readFacts reads the page's tables. It says what is wrong with a row's form.
func readFacts(page string, profiles []string) (rows []factRow, wrong []string) {
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| id |") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 7 {
			wrong = append(wrong, fmt.Sprintf("a row has %d cells instead of 7: %s", len(cells), line))
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		r := factRow{id: cells[0], versions: cells[1], text: cells[2], source: cells[3]}
		r.tests = quotes(cells[5])
		for _, name := range strings.Split(cells[4], ", ") {
			of, err := profilesNamed(name, profiles)
			if err != "" {
				wrong = append(wrong, r.id+": "+err)
			}
			r.profiles = append(r.profiles, of...)
		}
		rows = append(rows, r)
	}
	return rows, wrong
}

// profilesNamed is what an entry of the column "played by" means.
func profilesNamed(name string, all []string) (of []string, wrong string) {
	switch {
	case name == "—":
		return nil, ""
	case slices.Contains(all, name):
		return []string{name}, ""
	case name != "CUDA" && name != "AMD":
		return nil, fmt.Sprintf("there is no profile %q", name)
	}
	for _, p := range all {
		if strings.HasPrefix(p, "cuda-") == (name == "CUDA") && p != "hip-cpu" {
			of = append(of, p)
		}
	}
	return of, ""
}

// checkFacts says what is wrong with the page.
func checkFacts(page string, k knownFacts) (wrong []string) {
	rows, wrong := readFacts(page, k.profiles)
	complain := func(format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf(format, args...))
	}
	has := map[string]bool{}
	for _, r := range rows {
		if has[r.id] {
			complain("%s is listed twice", r.id)
		}
		has[r.id] = true
		if !factID.MatchString(r.id) {
			complain("%q is no id", r.id)
		}
		columns := map[string]string{"versions": r.versions, "text": r.text, "source": r.source}
		for column, text := range columns {
			if text == "" {
				complain("%s has no %s", r.id, column)
			}
		}
		for _, w := range r.checkTests(k) {
			complain("%s %s", r.id, w)
		}
		if played, ok := k.quirks[r.id]; ok && !sameNames(played, r.profiles) {
			complain("%s: the row says that %v play it, the simulator %v", r.id, r.profiles, played)
		}
	}
	for id := range k.quirks {
		if !has[id] {
			complain("the simulator's quirk %s has no row", id)
		}
	}
	for id, where := range k.named {
		if !has[id] {
			complain("%s names %s, which has no row", where, id)
		}
	}
	for _, id := range slices.Concat(k.probes, k.shownBySim) {
		if !has[id] {
			complain("the probe %s has no row", id)
		}
	}
	targets := map[string]bool{}
	for _, m := range linkTarget.FindAllStringSubmatch(page, -1) {
		targets[m[1]] = true
	}
	for _, m := range pageLink.FindAllStringSubmatch(page, -1) {
		if !targets[m[1]] {
			complain("the link [%s] leads nowhere", m[1])
		}
	}
	return wrong
}

// checkTests says what is wrong with the column "shown by".
func (r factRow) checkTests(k knownFacts) (wrong []string) {
	if len(r.tests) == 0 {
		return []string{"has no test"}
	}
	for _, test := range r.tests {
		switch {
		case test == "probe" && !slices.Contains(k.probes, r.id):
			wrong = append(wrong, "names a probe, and there is none")
		case test == "sim" && !slices.Contains(k.shownBySim, r.id):
			wrong = append(wrong, "is said to be shown by the simulator, and is not")
		case test == "probe", test == "sim":
		case !slices.Contains(k.tests, test) && !slices.Contains(k.behaviours, test):
			wrong = append(wrong, fmt.Sprintf("names %s, which is neither a test nor a behaviour", test))
		}
	}
	for shown, by := range map[string][]string{"probe": k.probes, "sim": k.shownBySim} {
		if slices.Contains(by, r.id) && !slices.Contains(r.tests, shown) {
			wrong = append(wrong, "does not name its "+shown)
		}
	}
	return wrong
}

func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// codeFacts collects what the code has to do with facts.
func codeFacts(t *testing.T) knownFacts {
	k := knownFacts{
		quirks: map[string][]string{}, named: map[string]string{},
		probes: eventtest.FactProbes(), behaviours: eventtest.Behaviours(), profiles: simProfiles(),
	}
	for id := range simShown {
		k.shownBySim = append(k.shownBySim, id)
	}
	for _, q := range sim.Quirks() {
		k.quirks[q.ID] = q.Profiles()
	}
	read := func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".toml" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range testFunction.FindAllStringSubmatch(string(text), -1) {
			k.tests = append(k.tests, m[1])
		}
		for _, m := range factComment.FindAllStringSubmatch(string(text), -1) {
			k.named[m[1]] = path
		}
		return nil
	}
	for _, folder := range []string{"event", "compute", "internal", "specs", "cudrv", "hip"} {
		require.NoError(t, filepath.WalkDir("../../"+folder, read))
	}
	return k
}

// factRows are the page's.
func factRows(t *testing.T) []factRow {
	page, err := os.ReadFile(factsPage)
	require.NoError(t, err)
	rows, _ := readFacts(string(page), simProfiles())
	require.NotEmpty(t, rows)
	return rows
}

// TestFactsPage wants docs/driver-facts.md and the code to agree.
func TestFactsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(factsPage)
	require.NoError(t, err)
	assert.Empty(t, checkFacts(string(page), codeFacts(t)))
}

// TestFactsPageIsChecked plants what a page may have wrong.
func TestFactsPageIsChecked(t *testing.T) {
	t.Parallel()
	k := knownFacts{
		quirks: map[string][]string{"amd-stays": {"hip-1", "hip-2"}},
		named:  map[string]string{"cuda-goes": "a.go"},
		probes: []string{"cuda-goes"}, shownBySim: []string{"amd-stays"}, tests: []string{"TestIt"},
		behaviours: []string{"it/works"}, profiles: []string{"cuda-1", "hip-1", "hip-2", "hip-cpu"},
	}
	const good = "| id | versions | what happens | source | played by | shown by | seen |\n" +
		"|---|---|---|---|---|---|---|\n" +
		"| cuda-goes | CUDA | It goes. | [the vendor][vendor] | CUDA | `probe`, `TestIt` |  |\n" +
		"| amd-stays | AMD | It stays. | none found | hip-1, hip-2 | `sim`, `it/works` | MI300X |\n" +
		"[vendor]: https://example.org/page\n"
	require.Empty(t, checkFacts(good, k))
	for name, x := range map[string]struct{ old, new, want string }{
		"a cell too few":       {" |  |\n", " |\n", "6 cells"},
		"no id":                {"| cuda-goes |", "| Goes |", "is no id"},
		"a row is missing":     {"| amd-stays |", "| amd-other |", "quirk amd-stays has no row"},
		"a comment has no row": {"| cuda-goes |", "| cuda-other |", "a.go names cuda-goes"},
		"a probe has no row":   {"| cuda-goes |", "| cuda-other |", "the probe cuda-goes has no row"},
		"listed twice":         {"| amd-stays |", "| cuda-goes |", "cuda-goes is listed twice"},
		"no source":            {"none found", "", "amd-stays has no source"},
		"no text":              {"It stays.", "", "amd-stays has no text"},
		"no versions":          {"| AMD |", "| |", "amd-stays has no versions"},
		"no test":              {"`sim`, `it/works`", "", "amd-stays has no test"},
		"no such test":         {"`TestIt`", "`TestThat`", "cuda-goes names TestThat"},
		"no such behaviour":    {"`it/works`", "`it/fails`", "amd-stays names it/fails"},
		"no such probe":        {"`sim`", "`probe`", "amd-stays names a probe"},
		"not shown":            {"`probe`", "`sim`", "cuda-goes is said to be shown"},
		"probe not named":      {"`probe`, ", "", "cuda-goes does not name its probe"},
		"sim not named":        {"`sim`, ", "", "amd-stays does not name its sim"},
		"no such profile":      {"hip-1, hip-2", "hip-1, hip-2, hip-3", `there is no profile "hip-3"`},
		"too few profiles":     {"hip-1, hip-2", "hip-1", "amd-stays: the row says that [hip-1]"},
		"too many profiles":    {"hip-1, hip-2", "AMD, hip-cpu", "amd-stays: the row says"},
		"a dead link":          {"[vendor]:", "[other]:", "the link [vendor] leads nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad := strings.Replace(good, x.old, x.new, 1)
			require.NotEqual(t, good, bad)
			assert.Contains(t, strings.Join(checkFacts(bad, k), "\n"), x.want)
		})
	}
}
