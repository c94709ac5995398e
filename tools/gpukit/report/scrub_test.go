package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

func TestScrub(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct{ text, want string }{
		"a file":          {"open /home/ada/run/x.json: no", "open …/x.json: no"},
		"a folder":        {"in /tmp, there", "in …/tmp, there"},
		"in quotes":       {`"/opt/rocm-6.2/lib/libamdhip64.so.6"`, `"…/libamdhip64.so.6"`},
		"two":             {"/a/b:/c/d", "…/b:…/d"},
		"of a home":       {"~/lib/x", "…/x"},
		"a home":          {"cd ~/lib", "cd …/lib"},
		"with a space":    {"/home/ada lovelace/x", "…/x"},
		"a file's URL":    {"at file:///srv/x/y", "at …/y"},
		"the host":        {"on builder7.example.org and BUILDER7!", "on … and …!"},
		"the user":        {"ada: ada ada", "…: … …"},
		"a process":       {"pid 1234, process 99, PID=7", "pid …, process …, PID=…"},
		"a GPU":           {"GPU-0a1b2c3d-0000-1111-2222-0123456789ab", "GPU-…"},
		"an address":      {"signal at 0x7f0012345678", "signal at 0x…"},
		"a network":       {"from 10.1.2.3.", "from …."},
		"a URL":           {"see https://docs.nvidia.com/cuda/x", "see https://docs.nvidia.com/cuda/x"},
		"a test":          {"TestDevice/stream/sync", "TestDevice/stream/sync"},
		"a source":        {"event/stream.go:12: linux/amd64", "event/stream.go:12: linux/amd64"},
		"a rate":          {"12 records/s, +/- 3 %", "12 records/s, +/- 3 %"},
		"part of a word":  {"adapter, Canada", "adapter, Canada"},
		"a version":       {"HIP 6.4.43484, 570.86.15", "HIP 6.4.43484, 570.86.15"},
		"a device":        {"cuda:0 and host", "cuda:0 and host"},
		"a handle's word": {"stream 0x2a", "stream 0x2a"},
		"nothing":         {"", ""},
	} {
		s := report.NewScrub("builder7.example.org", "builder7", "ada", "/home/ada lovelace", "host",
			"root", "x", "", "10.1.2.3")
		got := s.Text(x.text)
		assert.Equal(t, x.want, got, name)
		assert.Equal(t, got, s.Text(got), "%s: twice is like once", name)
	}
}

// TestScrubbedReport wants nothing private anywhere in a report, and the rest as it was.
func TestScrubbedReport(t *testing.T) {
	t.Parallel()
	r, want := sample(t), sample(t)
	r.Steps[0].Text = "see /home/ada/x.log"
	r.Steps[2].Tests.Failures[0].Text = "builder7 failed"
	r.Tallies[0].LeftOut[0] = "in /srv/data/y"
	report.NewScrub("builder7").Report(r)
	want.Steps[0].Text = "see …/x.log"
	want.Steps[2].Tests.Failures[0].Text = "… failed"
	want.Tallies[0].LeftOut[0] = "in …/y"
	assert.Equal(t, want, r)
}
