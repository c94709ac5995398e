package gpu_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
	"github.com/gpuevent/gpuevent/tools/results/gpu"
)

// root is the repository.
var root = filepath.Join("..", "..", "..")

// sample is a report that says that it is one.
func sample(t testing.TB) *report.Report {
	r, err := report.ReadFile(filepath.Join(root, "tools", "gpukit", "report", "testdata",
		"sample.json"))
	require.NoError(t, err)
	return r
}

// measured is the sample as if it had been measured.
func measured(t testing.TB) *report.Report {
	r := sample(t)
	r.Sample = ""
	return r
}

// newStore has the facts of the repository and no results.
func newStore(t testing.TB) gpu.Store {
	docs := t.TempDir()
	text, err := os.ReadFile(filepath.Join(root, "docs", "driver-facts.md"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(docs, "driver-facts.md"), text, 0o644))
	return gpu.Store{Docs: docs}
}

func file(t testing.TB, r *report.Report) string {
	data, err := r.JSON()
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "gpu-kit.json")
	require.NoError(t, os.WriteFile(name, data, 0o644))
	return name
}

// add adds a report and returns what was said.
func add(t testing.TB, s gpu.Store, r *report.Report) string {
	var out bytes.Buffer
	require.NoError(t, s.Add(file(t, r), &out))
	return out.String()
}

// contents are all files of a folder.
func contents(t testing.TB, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[filepath.Base(path)] = strings.ReplaceAll(string(text), "\r\n", "\n")
		return err
	}))
	return all
}

const name = "nvidia-sample-100-cuda-12.8-driver-570.00.01-2026-11-20"

func TestAdd(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	before := contents(t, s.Docs)["driver-facts.md"]
	assert.Equal(t, "added "+name+"\n", add(t, s, measured(t)))
	all := contents(t, s.Docs)
	assert.Len(t, all, 5)
	assert.Contains(t, all[name+".md"], "# NVIDIA Sample 100, CUDA 12.8, driver 570.00.01, 2026-11-20")
	assert.Contains(t, all[name+".md"], "]("+name+".svg)")
	assert.Contains(t, all[name+".svg"], "<svg")
	kept, err := report.Read(strings.NewReader(all[name+".json"]))
	require.NoError(t, err)
	assert.Equal(t, measured(t), kept)
	assert.Contains(t, all["README.md"], "| 2 × NVIDIA Sample 100 | CUDA 12.8, driver 570.00.01 "+
		"| linux/amd64 | 2026-11-20 | not green | 1, 1 "+
		"| record 1.10, query pending 1.10, elapsed 1.10 | [page]("+name+".md)")

	was, now := strings.Split(before, "\n"), strings.Split(all["driver-facts.md"], "\n")
	require.Len(t, now, len(was))
	var changed []string
	for i := range now {
		if now[i] != was[i] {
			assert.True(t, strings.HasPrefix(now[i], strings.TrimSuffix(was[i], "  |")))
			changed = append(changed, strings.TrimPrefix(now[i], strings.TrimSuffix(was[i], " |")))
		}
	}
	assert.Equal(t, []string{"NVIDIA Sample 100, CUDA 12.8, 2026-11-20 |",
		"NVIDIA Sample 100, CUDA 12.8, 2026-11-20: contradicted: query gave 0, wanted 600 / really |"},
		changed)
}

func TestAddingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	add(t, s, measured(t))
	before := contents(t, s.Docs)
	assert.Equal(t, name+" is there already\n", add(t, s, measured(t)))
	assert.Equal(t, before, contents(t, s.Docs))
}

func TestNewerRunReplaces(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	add(t, s, measured(t))
	newer := measured(t)
	newer.Began = newer.Began.Add(time.Hour)
	newer.Facts[1].Answer = report.Confirmed
	assert.Contains(t, add(t, s, newer), "replaced "+name)
	now := contents(t, s.Docs)
	assert.Len(t, now, 5)
	assert.NotContains(t, now["driver-facts.md"], "contradicted: query gave 0")
	assert.Contains(t, now["README.md"], "| 2, 0 |")

	assert.Contains(t, add(t, s, measured(t)), "a newer run of "+name+" is there")
	assert.Equal(t, now, contents(t, s.Docs))
}

func TestOtherDaysAndDriversStandBeside(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	add(t, s, measured(t))
	later, other := measured(t), measured(t)
	later.Began = later.Began.AddDate(0, 0, 1)
	for i := range 2 {
		other.Devices[i].Driver.API = "CUDA 13.0"
	}
	add(t, s, later)
	add(t, s, other)
	all := contents(t, s.Docs)
	assert.Len(t, all, 2+3*3)
	var rows []string
	for line := range strings.Lines(all["README.md"]) {
		if strings.HasPrefix(line, "| 2 ×") {
			rows = append(rows, line)
		}
	}
	require.Len(t, rows, 3)
	assert.Contains(t, rows[0], "2026-11-21", "the newest is first")
	assert.Contains(t, all["driver-facts.md"],
		"| NVIDIA Sample 100, CUDA 12.8, 2026-11-21; NVIDIA Sample 100, CUDA 13.0, 2026-11-20 |",
		"of each driver the newest")
}

// TestEntriesOfOthersStay wants what people wrote into the column by hand to be kept.
func TestEntriesOfOthersStay(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	page := filepath.Join(s.Docs, "driver-facts.md")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "| cuda-default-handles |") {
			lines[i] = strings.TrimSuffix(line, "  |") + " Tesla T4, CUDA 12.2, 2026-02-03; " +
				"NVIDIA Sample 100, CUDA 12.8, 2026-01-01 |"
		}
	}
	require.NoError(t, os.WriteFile(page, []byte(strings.Join(lines, "\n")), 0o644))
	add(t, s, measured(t))
	assert.Contains(t, contents(t, s.Docs)["driver-facts.md"],
		"| NVIDIA Sample 100, CUDA 12.8, 2026-11-20; Tesla T4, CUDA 12.2, 2026-02-03 |")
}

func TestTwoKindsGetTwoPages(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	r := measured(t)
	r.Devices[1].Model = "NVIDIA Other"
	said := add(t, s, r)
	assert.Equal(t, 2, strings.Count(said, "added "))
	all := contents(t, s.Docs)
	assert.Contains(t, all, "nvidia-other-cuda-12.8-driver-570.00.01-2026-11-20.md")
	page := all["nvidia-other-cuda-12.8-driver-570.00.01-2026-11-20.md"]
	assert.Contains(t, page, "conformance | cuda:1")
	assert.NotContains(t, page, "conformance | cuda:0")
	assert.NotContains(t, all, "nvidia-other-cuda-12.8-driver-570.00.01-2026-11-20.svg",
		"nothing was measured on it")
}

func TestWhatHasNoPlace(t *testing.T) {
	t.Parallel()
	for what, x := range map[string]struct {
		change func(*report.Report)
		kind   error
	}{
		"a sample": {func(r *report.Report) { r.Sample = "made up" }, gpu.ErrSample},
		"the host only": {func(r *report.Report) {
			r.Devices, r.Steps, r.Facts = r.Devices[2:], r.Steps[:2], nil
			r.Figures, r.Tallies, r.Others = nil, nil, nil
		}, gpu.ErrNoGPU},
		"the simulator": {func(r *report.Report) { r.Devices[0].Simulated = true }, gpu.ErrSimulated},
		"nothing ran":   {func(r *report.Report) { r.Steps = r.Steps[:2] }, gpu.ErrUntested},
		"absurd":        {func(r *report.Report) { r.Machine.Cores = 0 }, report.ErrAbsurd},
		"private":       {func(r *report.Report) { r.Steps[0].Text = "/home/ada/x" }, report.ErrPrivate},
		"no device":     {func(r *report.Report) { r.Devices = nil }, report.ErrNoDevice},
		"newer":         {func(r *report.Report) { r.Schema++ }, report.ErrNewerSchema},
		"another kind":  {func(r *report.Report) { r.Kind = "" }, report.ErrNotReport},
	} {
		s := newStore(t)
		before := contents(t, s.Docs)
		r := measured(t)
		x.change(r)
		require.ErrorIs(t, s.Add(file(t, r), &bytes.Buffer{}), x.kind, what)
		assert.Equal(t, before, contents(t, s.Docs), "%s: nothing changes", what)
	}
}

func TestMissingFacts(t *testing.T) {
	t.Parallel()
	s := gpu.Store{Docs: t.TempDir()}
	assert.ErrorIs(t, s.Add(file(t, measured(t)), &bytes.Buffer{}), gpu.ErrNoFacts)
	page := filepath.Join(s.Docs, "driver-facts.md")
	require.NoError(t, os.WriteFile(page, []byte("# Facts\n"), 0o644))
	assert.ErrorIs(t, s.Add(file(t, measured(t)), &bytes.Buffer{}), gpu.ErrNoFacts)
}

// TestSamplesSayThatTheyAre wants no page or picture of a sample that looks like a measurement.
func TestSamplesSayThatTheyAre(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.Samples = true
	add(t, s, sample(t))
	all := contents(t, s.Docs)
	assert.Contains(t, all[name+".md"], "**This is a sample, not a measurement: made by hand")
	assert.Contains(t, all["README.md"], "| sample, not measured |")
	assert.Contains(t, all[name+".svg"], "Sample, not measured")
	assert.NotContains(t, all["driver-facts.md"], "NVIDIA Sample 100")
}

// TestRepository wants the pages in docs to be those of the reports that lie there, all measured on
// GPUs.
func TestRepository(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	results := filepath.Join(s.Docs, "results", "gpu")
	require.NoError(t, os.MkdirAll(results, 0o755))
	committed := contents(t, filepath.Join(root, "docs", "results", "gpu"))
	for file, text := range committed {
		if filepath.Ext(file) == ".json" {
			require.True(t, json.Valid([]byte(text)), file)
			require.NoError(t, os.WriteFile(filepath.Join(results, file), []byte(text), 0o644))
		}
	}
	before := contents(t, s.Docs)["driver-facts.md"]
	require.NoError(t, s.Render())
	assert.Equal(t, committed, contents(t, results),
		"go run ./tools/results add, without a file, writes them")
	assert.Equal(t, before, contents(t, s.Docs)["driver-facts.md"])
}
