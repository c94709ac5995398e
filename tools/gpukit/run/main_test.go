package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gpuevent/gpuevent/tools/gpukit/report"
)

func TestUsage(t *testing.T) {
	for _, x := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-h"}, 0, "Usage: ./gpu-kit"},
		{[]string{"-version"}, 0, version},
		{[]string{"-nonsense"}, statusUsage, "nonsense"},
		{[]string{"more"}, statusUsage, `"more" is no flag`},
		{[]string{"-limit", "0s"}, statusUsage, "-limit is 0s"},
		{[]string{"-limit", "1m", "-soak", "2m"}, statusUsage, "-soak is 2m0s"},
		{[]string{"-steps", "bench,dance"}, statusUsage, `no step "dance"`},
		{[]string{"-out", filepath.Join(t.TempDir(), "absent")}, statusUsage, "make "},
		{[]string{"-do", "dance", "-device", "host"}, statusFailed, `no part "dance"`},
		{[]string{"-do", "bench", "-device", "cuda:77"}, statusNotPossible, "cuda:77"},
		{[]string{"-do", "soak compute", "-device", "cuda:77"}, statusNotPossible, "cuda:77"},
		{[]string{"-do", "facts", "-device", "host"}, statusNotPossible, "the host has no driver"},
		{nil, statusUsage, "the kit is incomplete"}, // this program is not in an archive
	} {
		var out bytes.Buffer
		assert.Equal(t, x.code, command(t.Context(), x.args, &out, &out), "%q", x.args)
		assert.Contains(t, out.String(), x.want)
	}
}

func TestOneOfAKind(t *testing.T) {
	t.Parallel()
	all := []report.Device{{Name: "cuda:0", Backend: "cuda", Model: "A"},
		{Name: "cuda:1", Backend: "cuda", Model: "B"}, {Name: "cuda:2", Backend: "cuda", Model: "A"},
		{Name: "host", Backend: "host", Model: "2 CPUs"}}
	assert.Equal(t, []report.Device{all[0], all[1], all[3]}, firsts(all))
}

func TestMachine(t *testing.T) {
	t.Parallel()
	m := machine()
	assert.Positive(t, m.Cores)
	assert.NotEmpty(t, m.CPU)
	const text = "processor\t: 0\nmodel name\t: Sample CPU\nmodel name\t: Other\n"
	assert.Equal(t, "Sample CPU", entry(text, "model name", ":"))
	assert.Empty(t, entry(text, "model", ":"))
}
