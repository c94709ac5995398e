package main

import (
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newTestFiller(t *testing.T, index *fakeIndex) *Filler {
	t.Helper()
	return &Filler{dir: t.TempDir(), rules: []Rule{includeRule}, openDeb: tarDeb,
		log: log.New(io.Discard, "", 0), store: &Store{dir: t.TempDir(), pip: index, apt: index}}
}

func TestFillFetchesThenReuses(t *testing.T) {
	t.Parallel()
	data := makeZip(t, entry{name: "usr/include/a.h", text: "A"})
	index := &fakeIndex{files: map[string][]byte{"p 1.0": data}}
	f := newTestFiller(t, index)
	set := Set{API: "cuda", Version: "1",
		Pins: []Pin{{Version: "1", Pip: "p", Release: "1.0", SHA256: sumOf(data)}}}
	header := filepath.Join(f.dir, "cuda", "1", "include", "a.h")

	_, outcome := f.Fill(t.Context(), set)
	require.Equal(t, Fetched, outcome.State, "%v", outcome.Err)
	assert.Equal(t, int64(len(data)), outcome.Bytes)
	assert.FileExists(t, header)

	_, outcome = f.Fill(t.Context(), set)
	assert.Equal(t, Reused, outcome.State)
	assert.EqualValues(t, 1, index.fetches.Load())

	// A file that was changed is put right from the download that is kept.
	require.NoError(t, os.WriteFile(header, []byte("changed"), 0o600))
	_, outcome = f.Fill(t.Context(), set)
	assert.Equal(t, Fetched, outcome.State)
	assert.EqualValues(t, 1, index.fetches.Load())
	text, err := os.ReadFile(header)
	require.NoError(t, err)
	assert.Equal(t, "A", string(text))

	// So is one whose rule has changed.
	f.rules = []Rule{{Packages: []string{"p"}, From: []string{"usr/include"}, To: "elsewhere",
		Files: []string{"a.h"}}}
	_, outcome = f.Fill(t.Context(), set)
	assert.Equal(t, Fetched, outcome.State)
	assert.FileExists(t, filepath.Join(f.dir, "cuda", "1", "elsewhere", "a.h"))
	assert.NoFileExists(t, header)

	// A damaged download is fetched again.
	require.NoError(t, os.WriteFile(filepath.Join(f.store.dir, sumOf(data)+"-p"), []byte("damaged"),
		0o600))
	require.NoError(t, os.RemoveAll(filepath.Join(f.dir, "cuda")))
	_, outcome = f.Fill(t.Context(), set)
	assert.Equal(t, Fetched, outcome.State)
	assert.EqualValues(t, 2, index.fetches.Load())
}

func TestFillMismatchIsAFailure(t *testing.T) {
	t.Parallel()
	data := makeZip(t, entry{name: "usr/include/a.h", text: "A"})
	f := newTestFiller(t, &fakeIndex{files: map[string][]byte{"p 1.0": data}})
	wrong := strings.Repeat("ab", 32)
	stamp, outcome := f.Fill(t.Context(),
		Set{API: "cuda", Version: "1",
			Pins: []Pin{{Version: "1", Pip: "p", Release: "1.0", SHA256: wrong}}})
	assert.Nil(t, stamp)
	assert.Equal(t, Failed, outcome.State)
	require.ErrorIs(t, outcome.Err, ErrMismatch)
	for _, says := range []string{"p 1.0", wrong, sumOf(data)} {
		assert.ErrorContains(t, outcome.Err, says)
	}
	assert.Empty(t, treeOf(t, f.dir), "nothing of it is unpacked")
	assert.Empty(t, treeOf(t, f.store.dir), "nothing of it is kept")
}

func TestFillUnreachableIsSkippedAndNamed(t *testing.T) {
	t.Parallel()
	data := makeZip(t, entry{name: "usr/include/a.h", text: "A"})
	f := newTestFiller(t, &fakeIndex{files: map[string][]byte{"p 1.0": data}})
	set := Set{API: "cuda", Version: "1",
		Pins: []Pin{{Version: "1", Pip: "p", Release: "1.0", SHA256: sumOf(data)},
			{Version: "1", Deb: "q", Release: "2.0", SHA256: sumOf(data)}}}
	_, outcome := f.Fill(t.Context(), set)
	assert.Equal(t, Skipped, outcome.State)
	require.ErrorIs(t, outcome.Err, ErrUnreachable)
	assert.NoDirExists(t, filepath.Join(f.dir, "cuda", "1"), "half a version is no version")

	var out strings.Builder
	summary := &Summary{Command: "headers", Dir: "here", Outcomes: []Outcome{outcome}}
	summary.Print(&out)
	assert.Contains(t, out.String(), "1 versions: 0 fetched, 0 reused, 1 skipped, 0 failed")
	assert.Contains(t, out.String(), "skipped cuda/1: q 2.0 is unreachable: the fake index has only "+
		"p 1.0")
}

func TestFillKeepsAnOldFolderWhenTheNewOneFails(t *testing.T) {
	t.Parallel()
	data := makeZip(t, entry{name: "usr/include/a.h", text: "A"})
	f := newTestFiller(t, &fakeIndex{files: map[string][]byte{"p 1.0": data}})
	set := Set{API: "cuda", Version: "1",
		Pins: []Pin{{Version: "1", Pip: "p", Release: "1.0", SHA256: sumOf(data)}}}
	_, outcome := f.Fill(t.Context(), set)
	require.Equal(t, Fetched, outcome.State, "%v", outcome.Err)
	set.Pins[0].Release, set.Pins[0].SHA256 = "1.1", strings.Repeat("00", 32)
	_, outcome = f.Fill(t.Context(), set)
	assert.Equal(t, Skipped, outcome.State)
	assert.FileExists(t, filepath.Join(f.dir, "cuda", "1", "include", "a.h"))
}

func TestFillTwoPackagesOneFile(t *testing.T) {
	t.Parallel()
	data := makeZip(t, entry{name: "usr/include/a.h", text: "A"})
	f := newTestFiller(t, &fakeIndex{files: map[string][]byte{"p 1.0": data, "q 1.0": data}})
	_, outcome := f.Fill(t.Context(),
		Set{API: "cuda", Version: "1",
			Pins: []Pin{{Pip: "p", Release: "1.0", SHA256: sumOf(data)},
				{Pip: "q", Release: "1.0", SHA256: sumOf(data)}}})
	assert.Equal(t, Failed, outcome.State)
	assert.ErrorContains(t, outcome.Err, "p and q both bring include/a.h")
}

func TestReadStampTrustsNothing(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"not json":     "{",
		"other recipe": `{"recipe":"y","files":[{"path":"a","sha256":""}]}`,
		"no files":     `{"recipe":"x","files":[]}`,
		"file is gone": `{"recipe":"x","files":[{"path":"a","sha256":""}]}`,
		"climbs":       `{"recipe":"x","files":[{"path":"../a","sha256":""}]}`,
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, stampName), []byte(text), 0o600))
		_, ok := readStamp(dir, "x")
		assert.False(t, ok, name)
	}
}

func TestStrangers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, sub := range []string{"cuda/1", "cuda/9", ".tmp-1/x"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o755))
	}
	notes := strangers(dir, []Outcome{{Set: "cuda/1"}})
	require.Len(t, notes, 1)
	assert.Contains(t, notes[0], filepath.Join("cuda", "9"))
}

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
			outcomes, notes := fetchHeaders(t.Context(), pins, f, c.small)
			assert.Len(t, outcomes, c.want)
			assert.Equal(t, c.notes, notes)
			for _, o := range outcomes {
				assert.NoError(t, o.Err)
			}
		})
	}
}
