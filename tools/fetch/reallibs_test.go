package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFetchRealLibs(t *testing.T) {
	t.Parallel()
	deb := func(sonameAndNeeds ...string) []byte {
		return makeTar(t, entry{name: "./usr/lib/" + sonameAndNeeds[0],
			text: string(elfWithSoname(sonameAndNeeds[0], sonameAndNeeds[1:]...))})
	}
	packages := map[string][]byte{
		"libc6 2.41": makeTar(t,
			entry{name: "usr/lib/libc.so.6",
				text: string(elfWithSoname("libc.so.6", "ld-linux-x86-64.so.2"))},
			entry{name: "usr/lib/ld-linux-x86-64.so.2",
				text: string(elfWithSoname("ld-linux-x86-64.so.2"))}),
		"libcuda1 555":     deb("libcuda.so.1", "libc.so.6"),
		"libamdhip64-6 6":  deb("libamdhip64.so.6", "libhsa.so.1", "libc.so.6"),
		"libhsa1 6":        deb("libhsa.so.1", "libc.so.6"),
		"libamdhip64-5 5":  deb("libamdhip64.so.5", "libcomgr.so.2", "libc.so.6"),
		"libcomgr2 5":      deb("libcomgr.so.2"),
		"libmisnamed1 555": deb("libother.so.1"),
	}
	pin := func(version, name, release, base string) Pin {
		sum := sumOf(packages[name+" "+release])
		return Pin{Version: version, Deb: name, Release: release, Suite: "sid", Base: base, SHA256: sum}
	}
	specs := twoSpecs()
	specs["cuda"].Library.Linux.Names = []string{"libcuda.so.1"}
	specs["hip"].Library.Linux.Names = []string{"libamdhip64.so.7", "libamdhip64.so.6"}
	pins := &Pins{RealLibs: Lists{}, specs: specs, Unpack: []Rule{
		{Packages: []string{"libc6"}, From: []string{"usr/lib"}, To: "libc", Files: []string{"l*"},
			Shared: true},
		{Packages: []string{"lib*"}, From: []string{"usr/lib"}, To: "lib", Files: []string{"lib*"},
			Shared: true},
	}}
	pins.RealLibs[base] = []Pin{pin("trixie", "libc6", "2.41", ""),
		pin("gone", "libc6", "9", "")}
	pins.RealLibs["cuda"] = []Pin{pin("555", "libcuda1", "555", ""),
		pin("556", "libmisnamed1", "555", "")}
	pins.RealLibs["hip"] = []Pin{pin("6", "libamdhip64-6", "6", "trixie"),
		pin("6", "libhsa1", "6", ""), pin("5", "libamdhip64-5", "5", "trixie"),
		pin("5", "libcomgr2", "5", ""), pin("7", "libamdhip64-6", "6", "gone"),
		pin("8", "libamdhip64-6", "6", "trixie"),
		pin("4", "libamdhip64-5", "5", "trixie")}

	f := newTestFiller(t, &fakeIndex{files: packages})
	f.rules = pins.Unpack
	outcomes, notes, err := fetchRealLibs(t.Context(), pins, f)
	require.NoError(t, err)
	assert.Len(t, outcomes, 9)
	text, err := os.ReadFile(filepath.Join(f.dir, "manifest.json"))
	require.NoError(t, err)
	assert.NotContains(t, string(text), f.dir, "paths are relative")
	var m Manifest
	require.NoError(t, json.Unmarshal(text, &m))

	libs := map[string]Library{}
	for _, l := range m.Libraries {
		libs[l.API+l.Version] = l
		assert.FileExists(t, filepath.Join(f.dir, l.Library))
	}
	require.Len(t, libs, 5)
	assert.Equal(t, map[string]string{"libc.so.6": "host"}, libs["cuda555"].Needs)
	assert.Empty(t, libs["cuda555"].Loader)
	hip := libs["hip6"]
	assert.True(t, hip.Loadable)
	assert.Equal(t, "base/trixie/libc/ld-linux-x86-64.so.2", hip.Loader)
	assert.Equal(t, []string{"hip/6/lib", "base/trixie/lib", "base/trixie/libc"}, hip.LoaderPath)
	assert.NotContains(t, hip.LibraryPath, "base/trixie/libc", "a C library must match its loader")
	assert.Equal(t, "hip/6/lib/libhsa.so.1", hip.Needs["libhsa.so.1"])
	assert.Equal(t, "base/trixie/libc/ld-linux-x86-64.so.2", hip.Needs["ld-linux-x86-64.so.2"])

	assert.True(t, libs["hip5"].Loadable)
	assert.False(t, libs["hip4"].Loadable)
	assert.Contains(t, libs["hip4"].Reason, "libcomgr.so.2")
	require.NotEmpty(t, notes)
	assert.Contains(t, notes[0], "can't be loaded")

	require.Len(t, m.Skipped, 2)
	assert.Equal(t, "556", m.Skipped[0].Version)
	assert.Contains(t, m.Skipped[0].Reason, ErrNoLibrary.Error())
	assert.Equal(t, "7", m.Skipped[1].Version)
	assert.Contains(t, m.Skipped[1].Reason, "libc6 9 is unreachable", "the reason is the base's")
}
