package header

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/gen/rules"
)

// TestVersions has a row for each way in which headers tell their version, and each mistake.
func TestVersions(t *testing.T) {
	t.Parallel()
	parts := rules.HeaderVersion{Macros: []string{"TOY_MAJOR", "TOY_MINOR"}, Exact: true}
	year := rules.HeaderVersion{Macros: []string{"?TOY_YEAR", "TOY_MAJOR", "TOY_MINOR"}, Exact: true}
	early := rules.HeaderVersion{Macros: []string{"?TOY_SIZE", "TOY_MAJOR", "TOY_MINOR"}, Exact: true}
	code := rules.HeaderVersion{Macro: "TOY_CODE", Format: []int{1000, 10}}
	release := rules.HeaderVersion{Release: true}
	major := rules.HeaderVersion{Release: true, Macro: "TOY_MAJOR"}
	apart := rules.HeaderVersion{Macro: "TOY_CODE", Format: []int{1000, 10},
		Releases: map[string]string{"30.0": "12.4"}}
	for name, c := range map[string]struct {
		version rules.HeaderVersion
		asked   string
		name    string
		number  int
		err     string
	}{
		"a number":                   {code, "", "12.4", 12040, ""},
		"a number, and more parts":   {code, "12.4.7", "12.4.7", 12040, ""},
		"another release":            {code, "13.0", "", 0, "is 12.4 (TOY_CODE 12040), not 13.0"},
		"another release, how":       {code, "13.0", "", 0, "specs/toy.toml must say so: releases in"},
		"macros":                     {parts, "", "12.4", 120400, ""},
		"a macro that is missing":    {year, "", "12.4", 120400, ""},
		"a macro that may be absent": {early, "", "7.12.4", 71204, ""},
		"macros, another release":    {parts, "12.5", "", 0, "is 12.4, not 12.5"},
		"macros, exact":              {parts, "12.4.1", "", 0, "is 12.4, not 12.4.1"},
		"release":                    {release, "7.1.3", "7.1.3", 70103, ""},
		"release without a name":     {release, "", "", 0, "name it with -version"},
		"release that is no version": {release, "new", "", 0, `"new" is not made of dotted numbers`},
		"release that agrees":        {major, "12.9", "12.9", 120900, ""},
		"release that does not":      {major, "13.0", "", 0, "is 12 (TOY_MAJOR 12), not 13.0"},
		"counted apart":              {apart, "30.0", "12.4", 12040, ""},
		"counted apart, more parts":  {apart, "30.0.0", "12.4", 12040, ""},
		"counted apart, own name":    {apart, "12.4", "12.4", 12040, ""},
		"counted apart, unknown": {apart, "31.0", "", 0,
			"is 12.4 (TOY_CODE 12040), not 31.0; it is of the release 30.0"},
		"no such macro": {rules.HeaderVersion{Macro: "TOY_VERSION"}, "", "", 0,
			"defines no number TOY_VERSION"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "toy.h"), []byte("#define TOY_MAJOR 12\n"+
				"#define TOY_MINOR 4\n#define TOY_CODE 12040\n#define TOY_SIZE 7\nint toyRun(void);\n"),
				0o600))
			r, err := Parse(Options{API: "toy", Dir: dir, Version: c.asked, Targets: Targets[:1],
				Header: rules.Header{Files: []string{"toy.h"}, Prefixes: []string{"TOY_"},
					Version: c.version}})
			if c.err != "" {
				require.ErrorIs(t, err, ErrVersion)
				assert.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.name, r.Name())
			assert.Equal(t, c.number, r.Versions[0].Number)
			for _, k := range r.Consts {
				assert.NotContains(t, c.version.Names(), k.Name, "the version is no constant")
			}
		})
	}
}
