package compiler

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestChooseCUDA(t *testing.T) {
	t.Parallel()
	cuda11 := []int{35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87}
	cuda12 := []int{50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121}
	cuda13 := []int{75, 80, 86, 87, 88, 89, 90, 100, 103, 107, 110, 120, 121}
	for name, c := range map[string]struct {
		target  string
		archs   []int
		noCubin bool
		want    string // "" if it is refused
	}{
		"listed":                            {"sm_90", cuda12, false, "sm_90 cubin"},
		"PTX":                               {"compute_90", cuda12, false, "compute_90 PTX"},
		"same major":                        {"sm_89", []int{80, 86, 90}, false, "sm_86 cubin"},
		"not the embedded one below":        {"sm_89", cuda11, false, "sm_86 cubin"},
		"no embedded one for another":       {"sm_73", cuda11, false, "sm_70 cubin"},
		"embedded, listed":                  {"sm_87", cuda11, false, "sm_87 cubin"},
		"embedded, not listed":              {"sm_88", cuda12, false, "compute_87 PTX"},
		"embedded, major not listed":        {"sm_110", cuda12, false, "compute_103 PTX"},
		"embedded, old name":                {"sm_101", cuda13, false, "compute_100 PTX"},
		"newer major":                       {"sm_100", cuda11, false, "compute_87 PTX"},
		"newer than all":                    {"sm_199", cuda13, false, "compute_121 PTX"},
		"older than all":                    {"sm_70", cuda13, false, ""},
		"PTX of none":                       {"compute_101", cuda13, false, ""},
		"for one chip":                      {"sm_90a", cuda12, false, "sm_90a cubin"},
		"for one family":                    {"sm_103f", cuda13, false, "sm_103f cubin"},
		"for one chip, PTX":                 {"compute_90a", cuda12, false, "compute_90a PTX"},
		"for one chip, not listed":          {"sm_90a", cuda11, false, ""},
		"no cubins":                         {"sm_80", cuda11, true, "compute_80 PTX"},
		"no cubins, newer":                  {"sm_89", cuda11, true, "compute_87 PTX"},
		"nothing known":                     {"sm_42", nil, false, "sm_42 cubin"},
		"nothing known, no cubins":          {"sm_42", nil, true, "compute_42 PTX"},
		"empty":                             {"", cuda12, false, ""},
		"AMD's":                             {"gfx942", cuda12, false, ""},
		"native":                            {"native", cuda12, false, ""},
		"an option behind it":               {"sm_90 -G", cuda12, false, ""},
		"a number too long to be read back": {"sm_99999", cuda12, false, ""},
		"leading zero":                      {"sm_090", cuda12, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := chooseCUDA(c.target, c.archs, !c.noCubin)
			if c.want == "" {
				assert.ErrorIs(t, err, ErrTarget)
				assert.ErrorContains(t, err, c.target)
				return
			}
			assert.NoError(t, err)
			assert.Equal(t, c.want, got.arch+" "+got.kind)
		})
	}
}

func TestHIPTargets(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"gfx906", "gfx90a", "gfx90c", "gfx942", "gfx1100", "gfx1201",
		"gfx942:sramecc+:xnack-", "gfx90a:xnack+", "gfx9-generic", "gfx9-4-generic",
		"gfx10-3-generic", "gfx11-generic", "gfx12-generic"} {
		assert.NoError(t, checkHIPTarget(good), good)
	}
	for _, bad := range []string{"", "gfx", "gfx9", "sm_90", "native", "gfx942:", "gfx942:xnack",
		"gfx90A", "gfx90a,gfx942", "gfx90a -mllvm", "amdgcn-amd-amdhsa--gfx90a", "gfx90a\n", "gfx11000",
		"GFX942"} {
		assert.ErrorIs(t, checkHIPTarget(bad), ErrTarget, bad)
	}
}
