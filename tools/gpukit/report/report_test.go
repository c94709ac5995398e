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
	for name, x := range map[string]struct {
		spoil func(*report.Report)
		kind  error
		words string
	}{
		"another kind":      {func(r *report.Report) { r.Kind = "junit" }, report.ErrNotReport, "junit"},
		"no schema":         {func(r *report.Report) { r.Schema = 0 }, report.ErrNotReport, "no schema"},
		"newer":             {func(r *report.Report) { r.Schema = 99 }, report.ErrNewerSchema, "99"},
		"no device":         {func(r *report.Report) { r.Devices = nil }, report.ErrNoDevice, ""},
		"no day":            {func(r *report.Report) { r.Began = time.Time{} }, report.ErrAbsurd, "began"},
		"tomorrow's next":   {func(r *report.Report) { r.Began = time.Now().Add(99 * time.Hour) }, report.ErrAbsurd, "began"},
		"no kit":            {func(r *report.Report) { r.Kit = "" }, report.ErrAbsurd, "version"},
		"a year":            {func(r *report.Report) { r.Seconds = 3e7 }, report.ErrAbsurd, "the run"},
		"before it began":   {func(r *report.Report) { r.Steps[0].Seconds = -1 }, report.ErrAbsurd, "gpuinfo"},
		"no cores":          {func(r *report.Report) { r.Machine.Cores = 0 }, report.ErrAbsurd, "cores"},
		"no system":         {func(r *report.Report) { r.Machine.OS = "" }, report.ErrAbsurd, "operating"},
		"odd device":        {func(r *report.Report) { r.Devices[0].Name = "gpu0" }, report.ErrAbsurd, "gpu0"},
		"other backend":     {func(r *report.Report) { r.Devices[0].Backend = "hip" }, report.ErrAbsurd, "backend"},
		"device twice":      {func(r *report.Report) { r.Devices[1].Name = "cuda:0" }, report.ErrAbsurd, "twice"},
		"no model":          {func(r *report.Report) { r.Devices[0].Model = "" }, report.ErrAbsurd, "model"},
		"odd outcome":       {func(r *report.Report) { r.Steps[0].Outcome = "fine" }, report.ErrAbsurd, "fine"},
		"no reason":         {func(r *report.Report) { r.Steps[1].Reason = "" }, report.ErrAbsurd, "reason"},
		"nameless step":     {func(r *report.Report) { r.Steps[0].Name = "" }, report.ErrAbsurd, "no name"},
		"step of a stray":   {func(r *report.Report) { r.Steps[2].Device = "hip:7" }, report.ErrAbsurd, "hip:7"},
		"passed and failed": {func(r *report.Report) { r.Steps[2].Tests.Failed = 1 }, report.ErrAbsurd, "passed with"},
		"odd fact":          {func(r *report.Report) { r.Facts[0].ID = "Fact 1" }, report.ErrAbsurd, "Fact 1"},
		"odd answer":        {func(r *report.Report) { r.Facts[0].Answer = "maybe" }, report.ErrAbsurd, "maybe"},
		"no time":           {func(r *report.Report) { r.Figures[0].Median = 0 }, report.ErrAbsurd, "takes 0 ns"},
		"an hour":           {func(r *report.Report) { r.Figures[0].Median = 3.6e12 }, report.ErrAbsurd, "takes 3.6e+12"},
		"best over median":  {func(r *report.Report) { r.Figures[0].Best = 1e6 }, report.ErrAbsurd, "at best"},
		"odd percentile":    {func(r *report.Report) { r.Figures[0].P99 = 1 }, report.ErrAbsurd, "percentile"},
		"no runs":           {func(r *report.Report) { r.Figures[0].Runs = 0 }, report.ErrAbsurd, "0 runs"},
		"negative CPU":      {func(r *report.Report) { r.Figures[0].CPU = -1 }, report.ErrAbsurd, "processor time"},
		"many allocations":  {func(r *report.Report) { r.Figures[0].Allocs = 1e9 }, report.ErrAbsurd, "allocates"},
		"figure twice":      {func(r *report.Report) { r.Figures[1] = r.Figures[0] }, report.ErrAbsurd, "twice"},
		"no way":            {func(r *report.Report) { r.Figures[0].Way = "" }, report.ErrAbsurd, "no operation or way"},
		"negative count":    {func(r *report.Report) { r.Tallies[0].Counts["waits"] = -1 }, report.ErrAbsurd, "-1 waits"},
		"very busy":         {func(r *report.Report) { r.Others[0].Busy = 900 }, report.ErrAbsurd, "900"},
		"a path":            {func(r *report.Report) { r.Steps[0].Text = "see /home/ada/x.log" }, report.ErrPrivate, "/home/ada/x.log"},
		"a path in a fact":  {func(r *report.Report) { r.Facts[0].Saw = "~/lib" }, report.ErrPrivate, "~/lib"},
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
