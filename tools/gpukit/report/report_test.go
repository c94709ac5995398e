package report_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

// sample is a report that says that it is one.
func sample(t testing.TB) *report.Report {
	r, err := report.ReadFile(filepath.Join("testdata", "sample.json"))
	require.NoError(t, err)
	require.NotEmpty(t, r.Sample)
	return r
}

func TestReportsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	r := sample(t)
	data, err := r.JSON()
	require.NoError(t, err)
	again, err := report.Read(bytes.NewReader(data))
	require.NoError(t, err)
	assert.Equal(t, r, again)
}

// TestBadReportsAreRefused plants what a file may have wrong.
func TestBadReportsAreRefused(t *testing.T) {
	t.Parallel()
	type rep = report.Report
	absurd, private := report.ErrAbsurd, report.ErrPrivate
	for name, x := range map[string]struct {
		spoil func(*rep)
		kind  error
		words string
	}{
		"another kind": {func(r *rep) {
			r.Kind = "junit"
		}, report.ErrNotReport, "junit"},
		"no schema": {func(r *rep) {
			r.Schema = 0
		}, report.ErrNotReport, "no schema"},
		"newer": {func(r *rep) {
			r.Schema = 99
		}, report.ErrNewerSchema, "99"},
		"no device": {func(r *rep) {
			r.Devices = nil
		}, report.ErrNoDevice, ""},
		"no day": {func(r *rep) {
			r.Began = time.Time{}
		}, absurd, "began"},
		"tomorrow's next": {func(r *rep) {
			r.Began = time.Now().Add(99 * time.Hour)
		}, absurd, "began"},
		"no kit": {func(r *rep) {
			r.Kit = ""
		}, absurd, "version"},
		"a year": {func(r *rep) {
			r.Seconds = 3e7
		}, absurd, "the run"},
		"before it began": {func(r *rep) {
			r.Steps[0].Seconds = -1
		}, absurd, "gpuinfo"},
		"no cores": {func(r *rep) {
			r.Machine.Cores = 0
		}, absurd, "cores"},
		"no system": {func(r *rep) {
			r.Machine.OS = ""
		}, absurd, "operating"},
		"odd device": {func(r *rep) {
			r.Devices[0].Name = "gpu0"
		}, absurd, "gpu0"},
		"other backend": {func(r *rep) {
			r.Devices[0].Backend = "hip"
		}, absurd, "backend"},
		"device twice": {func(r *rep) {
			r.Devices[1].Name = "cuda:0"
		}, absurd, "twice"},
		"no model": {func(r *rep) {
			r.Devices[0].Model = ""
		}, absurd, "model"},
		"odd outcome": {func(r *rep) {
			r.Steps[0].Outcome = "fine"
		}, absurd, "fine"},
		"no reason": {func(r *rep) {
			r.Steps[1].Reason = ""
		}, absurd, "reason"},
		"nameless step": {func(r *rep) {
			r.Steps[0].Name = ""
		}, absurd, "no name"},
		"step of a stray": {func(r *rep) {
			r.Steps[2].Device = "hip:7"
		}, absurd, "hip:7"},
		"passed and failed": {func(r *rep) {
			r.Steps[2].Tests.Failed = 1
		}, absurd, "passed with"},
		"odd fact": {func(r *rep) {
			r.Facts[0].ID = "Fact 1"
		}, absurd, "Fact 1"},
		"odd answer": {func(r *rep) {
			r.Facts[0].Answer = "maybe"
		}, absurd, "maybe"},
		"no time": {func(r *rep) {
			r.Figures[0].Median = 0
		}, absurd, "takes 0 ns"},
		"an hour": {func(r *rep) {
			r.Figures[0].Median = 3.6e12
		}, absurd, "takes 3.6e+12"},
		"best over median": {func(r *rep) {
			r.Figures[0].Best = 1e6
		}, absurd, "at best"},
		"odd percentile": {func(r *rep) {
			r.Figures[0].P99 = 1
		}, absurd, "percentile"},
		"no runs": {func(r *rep) {
			r.Figures[0].Runs = 0
		}, absurd, "0 runs"},
		"negative CPU": {func(r *rep) {
			r.Figures[0].CPU = -1
		}, absurd, "processor time"},
		"many allocations": {func(r *rep) {
			r.Figures[0].Allocs = 1e9
		}, absurd, "allocates"},
		"figure twice": {func(r *rep) {
			r.Figures[1] = r.Figures[0]
		}, absurd, "twice"},
		"no way": {func(r *rep) {
			r.Figures[0].Way = ""
		}, absurd, "no operation or way"},
		"negative count": {func(r *rep) {
			r.Tallies[0].Counts["waits"] = -1
		}, absurd, "-1 waits"},
		"very busy": {func(r *rep) {
			r.Others[0].Busy = 900
		}, absurd, "900"},
		"a path": {func(r *rep) {
			r.Steps[0].Text = "see /home/ada/x.log"
		}, private, "/home/ada/x.log"},
		"a path in a fact": {func(r *rep) {
			r.Facts[0].Saw = "~/lib"
		}, private, "~/lib"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := sample(t)
			x.spoil(r)
			data, err := json.Marshal(r)
			require.NoError(t, err)
			_, err = report.Read(bytes.NewReader(data))
			require.ErrorIs(t, err, x.kind)
			assert.ErrorContains(t, err, x.words)
		})
	}
}

func TestWhatIsNoReport(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "no JSON": "hello", "a list": "[]", "another object": "{}",
		"a text":         `"gpuevent gpu-kit"`,
		"unknown member": `{"kind": "gpuevent gpu-kit", "schema": 1, "colour": "red"}`,
	} {
		_, err := report.Read(strings.NewReader(text))
		assert.ErrorIs(t, err, report.ErrNotReport, name)
	}
	_, err := report.Read(strings.NewReader(strings.Repeat(" ", 33<<20)))
	assert.ErrorIs(t, err, report.ErrAbsurd, "too large")
	_, err = report.ReadFile(filepath.Join("testdata", "absent.json"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestFiguresAreChecked(t *testing.T) {
	t.Parallel()
	r := sample(t)
	require.NoError(t, report.CheckFigures(r.Devices, r.Figures))
	r.Figures[0].Median = math.NaN()
	assert.ErrorIs(t, report.CheckFigures(r.Devices, r.Figures), report.ErrAbsurd)
	assert.ErrorIs(t, report.CheckFigures(nil, r.Figures[1:]), report.ErrAbsurd)
}
