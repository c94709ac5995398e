package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadSpecs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	_, err := readSpecs(dir)
	require.ErrorIs(t, err, ErrSpecs)
	write("mini.facts.toml", "[[")
	write("mini.toml", `
[package]
name = "mini"
[header]
files = ["mini/mini.h", "?mini/more.h", "?extra.h"]
typedefs = "mini*Types.h"
packages = ["libmini-dev", "mini-headers", "deb:mini-extra", "pip:libodd-dev", "pinned-dev"]
[header.version]
macros = ["A", "B", "C"]
[library.linux]
names = ["libmini.so.2", "libmini.so.1", "libold.so"]
`)
	specs, err := readSpecs(dir)
	require.NoError(t, err)
	require.Len(t, specs, 1)
	s := specs["mini"]
	assert.Equal(t, 3, s.parts())
	assert.Equal(t, 2, new(Spec).parts())
	assert.Equal(t, Rule{API: "mini", Packages: []string{"p"}, To: "include",
		Find:     []string{"mini/mini.h", "mini/more.h", "extra.h"},
		Optional: []string{"mini/**", "extra.h", "mini/mini*Types.h"}}, s.headerRule("mini", "p"))
	assert.Equal(t, []string{"libmini.so*", "libold.so*"}, s.libraryRule("mini", "p").Find)
	assert.Equal(t, []Pin{{Deb: "libmini-dev", Suite: "sid"}, {Deb: "libmini-dev", Suite: "trixie"},
		{Pip: "mini-headers"}, {Deb: "mini-extra", Suite: "sid"}, {Deb: "mini-extra", Suite: "trixie"},
		{Pip: "libodd-dev"}}, s.wanted([]Pin{{Deb: "pinned-dev"}}, []string{"sid", "trixie"}))

	write("broken.toml", "[[")
	_, err = readSpecs(dir)
	assert.ErrorContains(t, err, "broken.toml")
}

// A package of an API that no rule of the pin file is for.
func TestUnpackByTheSpec(t *testing.T) {
	t.Parallel()
	s := new(Spec)
	s.Header.Files = []string{"mini/mini.h", "?extra.h"}
	s.Library.Linux.Names = []string{"libmini.so.1"}
	soname := func(name string) string { return string(elfWithSoname(name)) }
	for name, tc := range map[string]struct {
		rule    Rule
		entries []entry
		want    []string
		says    string
	}{
		"headers, with what lies beside them": {s.headerRule("mini", "p"), []entry{
			{name: "some/where/include/mini/mini.h"}, {name: "some/where/include/mini/deep/part.h"},
			{name: "some/where/include/extra.h"}, {name: "some/where/include/other.h"},
			{name: "else/extra.h"}},
			[]string{"include/mini/mini.h", "include/mini/deep/part.h", "include/extra.h"}, ""},
		"a package with another of the headers": {s.headerRule("mini", "p"),
			[]entry{{name: "x/extra.h"}}, []string{"include/extra.h"}, ""},
		"the nearer of two folders": {s.headerRule("mini", "p"), []entry{
			{name: "a/copy/mini/mini.h"}, {name: "a/mini/mini.h", text: "x"}},
			[]string{"include/mini/mini.h"}, ""},
		"two folders alike": {s.headerRule("mini", "p"), []entry{
			{name: "b/mini/mini.h"}, {name: "a/mini/mini.h"}}, nil, "is in a and in b"},
		"no header": {s.headerRule("mini", "p"), []entry{{name: "mini/mini.h"}, {name: "a/mini.h"}}, nil,
			"it has no mini/mini.h, extra.h"},
		"a library": {s.libraryRule("mini", "p"), []entry{
			{name: "x/lib/libmini.so.1.2", text: soname("libmini.so.1")},
			{name: "x/lib/libbeside.so", text: soname("libbeside.so")},
			{name: "x/lib/plugins/libmini.so", text: soname("libmini.so.1")}},
			[]string{"lib/libmini.so.1", "lib/libbeside.so"}, ""},
	} {
		for kind, format := range bothFormats {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				tree, err := unpackInto(t, format.make(t, tc.entries...), format.pin, tc.rule)
				if tc.says != "" {
					require.ErrorIs(t, err, ErrWanted)
					assert.ErrorContains(t, err, tc.says)
					return
				}
				require.NoError(t, err)
				assert.Len(t, tree, len(tc.want))
				for _, file := range tc.want {
					assert.Contains(t, tree, "in/side/"+file)
				}
			})
		}
	}
}

// The pin file's own rules come first, and only those for the same kind of files.
func TestRules(t *testing.T) {
	t.Parallel()
	specs := twoSpecs()
	specs["hip"].Header.Files = []string{"hip.h"}
	specs["hip"].Library.Linux.Names = []string{"libhip.so"}
	own := []Rule{{Packages: []string{"lib*"}, To: "own", Shared: true},
		{Packages: []string{"libx-dev"}, To: "own"}}
	pins := &Pins{specs: specs, Unpack: own,
		Headers:  Lists{"hip": {{Deb: "libx-dev"}, {Deb: "liby-dev"}}},
		RealLibs: Lists{"hip": {{Deb: "liby"}, {Pip: "wheel"}}, base: {{Deb: "libc6"}}}}
	for _, tt := range []struct{ command, api, name, to string }{
		{"headers", "hip", "libx-dev", "own"}, {"headers", "hip", "liby-dev", "include"},
		{"headers", "cuda", "liby-dev", ""}, {"reallibs", "hip", "liby", "own"},
		{"reallibs", "hip", "wheel", "lib"}, {"reallibs", "base", "libc6", "own"},
	} {
		rule, ok := ruleFor(pins.rules(tt.command), tt.api, tt.name)
		assert.Equal(t, tt.to != "", ok, "%v", tt)
		assert.Equal(t, tt.to, rule.To, "%v", tt)
	}
}
