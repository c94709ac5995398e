package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gpuevent/gpuevent/internal/versions"
)

var goodSum = strings.Repeat("0f", 32)

// twoSpecs are APIs whose files the pin file's rules name.
func twoSpecs() Specs { return Specs{"cuda": {}, "hip": {}} }

const goodRules = `
[[unpack]]
packages = ["head*", "libx"]
from = ["usr/include"]
to = "include"
files = ["a.h"]
`

func TestParsePins(t *testing.T) {
	t.Parallel()
	pins, err := ParsePins(`
[headers]
cuda = [
  { version = "12.9", pip = "headers-cu12", release = "12.9.79", sha256 = "`+goodSum+`" },
]
hip = [
  { version = "7.2.4", deb = "headers-dev", release = "1:7.2.4-1~exp2+b1", suite = "experimental", area = "non-free", sha256 = "`+goodSum+`" },
]
`+goodRules, twoSpecs())
	require.NoError(t, err)
	assert.Equal(t, Pin{Version: "12.9", Pip: "headers-cu12", Release: "12.9.79", SHA256: goodSum},
		pins.Headers["cuda"][0])
	assert.Equal(t, "headers-dev 1:7.2.4-1~exp2+b1", pins.Headers["hip"][0].String())
}

func TestPinLineReadsBack(t *testing.T) {
	t.Parallel()
	pin := Pin{Version: "5.7.1", Deb: "libx", Release: "5.7.1-6", Suite: "trixie", Area: "non-free",
		Base: "trixie", Large: true, SHA256: goodSum}
	base := Pin{Version: "trixie", Deb: "libx", Release: "2.41-12", Suite: "trixie", SHA256: goodSum}
	pins, err := ParsePins("[reallibs]\nbase = [\n"+base.Line()+"\n]\nhip = [\n"+pin.Line()+
		"\n]\n"+goodRules+"shared = true\n", twoSpecs())
	require.NoError(t, err)
	assert.Equal(t, []Pin{pin}, pins.RealLibs["hip"])
	assert.Equal(t, "base", pins.groups("reallibs")[0].api, "what others run on comes first")
	assert.Equal(t, []string{"trixie"}, pins.suites())
}

func TestParsePinsRefuses(t *testing.T) {
	t.Parallel()
	good := Pin{Version: "7.2.4", Deb: "libx", Release: "7.2.4-1", Suite: "sid", SHA256: goodSum}
	with := func(change func(*Pin)) string {
		p := good
		change(&p)
		return "[headers]\nhip = [" + p.Line() + "]\n" + goodRules
	}
	for name, tc := range map[string]struct{ text, says string }{
		"not toml":     {"[headers", "pin file"},
		"unknown key":  {"[header]\nhip = []\n", `unknown key "header`},
		"unknown API":  {"[headers]\nhipp = []\n", "headers.hipp: the specs have no hipp.toml"},
		"base headers": {"[headers]\nbase = []\n", "headers.base: the specs have no base.toml"},
		"both indexes": {with(func(p *Pin) { p.Pip = "libx" }), "exactly one of pip and deb"},
		"no index":     {with(func(p *Pin) { p.Deb = "" }), "exactly one of pip and deb"},
		"an address": {with(func(p *Pin) {
			p.Deb = "https://example.org/libx"
		}), "is no package name"},
		"an option":           {with(func(p *Pin) { p.Deb = "--allow" }), "is no package name"},
		"release with option": {with(func(p *Pin) { p.Release = "-o=x" }), "must start with a digit"},
		"release with folder": {with(func(p *Pin) { p.Release = "1/../2" }), "must start with a digit"},
		"version that climbs": {with(func(p *Pin) { p.Version = "../x" }), "version"},
		"no suite":            {with(func(p *Pin) { p.Suite = "" }), "needs its suite"},
		"short sum":           {with(func(p *Pin) { p.SHA256 = "abc" }), "64 lower-case"},
		"upper-case sum": {with(func(p *Pin) {
			p.SHA256 = strings.ToUpper(goodSum)
		}), "64 lower-case"},
		"unknown base": {with(func(p *Pin) { p.Base = "potato" }), `base "potato"`},
		"no rule":      {with(func(p *Pin) { p.Deb = "other" }), "no unpack rule"},
		"twice": {"[headers]\nhip = [" + good.Line() + good.Line() + "]\n" + goodRules,
			"pinned twice"},
		"rule that climbs": {"[[unpack]]\npackages=['a']\nfrom=['b']\nto='../c'\nfiles=['d']\n",
			"would leave its folder"},
		"rule half given": {"[[unpack]]\npackages=['a']\nfrom=['b']\nto='c'\n", "must all be given"},
		"rule malformed": {"[[unpack]]\npackages=['[']\nfrom=['b']\nto='c'\nfiles=['d']\n",
			"syntax error in pattern"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := ParsePins(tc.text, twoSpecs())
			require.ErrorIs(t, err, ErrPins)
			assert.ErrorContains(t, err, tc.says)
		})
	}
}

// The committed pins are data that people edit: what the file promises at its head is checked here.
func TestCommittedPins(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "pins.toml"))
	require.NoError(t, err)
	specs, err := readSpecs(filepath.Join("..", "..", "specs"))
	require.NoError(t, err)
	pins, err := ParsePins(string(text), specs)
	require.NoError(t, err)
	assert.NotRegexp(t, regexp.MustCompile(`://|\b[a-z0-9-]+\.(org|com|net|io)\b`), string(text),
		"a pin names no host")

	for _, g := range pins.groups("headers") {
		parts, releases := specs[g.api].parts(), specs[g.api].Header.Version.Releases
		for _, p := range g.pins {
			switch {
			case p.Deb != "":
				upstream := upstreamOf(p.Release)
				assert.Equal(t, p.Version, cmp.Or(releases[upstream], upstream), "%s", p)
			case p.Pip == "nvidia-cuda-profiler-api-cu11": // 11.8's: older ones have none
			case p.Pip == "triton": // has a release of its own
			case counts(g.pins, p.Pip, parts):
				assert.Equal(t, p.Version, versions.First(p.Release, parts), "%s", p)
			}
		}
	}
	for _, set := range setsOf("cuda", pins.Headers["cuda"]) {
		assert.Len(t, set.Pins, 2, "%s: the runtime wheel brings cuda.h, the profiler wheel "+
			"cudaProfiler.h", set)
	}
	for _, set := range append(setsOf("cuda", pins.RealLibs["cuda"]),
		setsOf("hip", pins.RealLibs["hip"])...) {
		assert.Contains(t, []string{"libcuda1", "libamdhip64-5", "libamdhip64-6", "libamdhip64-7"},
			set.Pins[0].Deb, "the first line of %s is the vendor's library", set)
	}
	for _, line := range strings.Split(string(text), "\n") {
		assert.LessOrEqual(t, strings.Count(line, "sha256 ="), 1, "one pin a line")
	}
}

func TestSetsOf(t *testing.T) {
	t.Parallel()
	sets := setsOf("hip", []Pin{{Version: "2", Deb: "a", Base: "b"}, {Version: "1", Deb: "a"},
		{Version: "2", Deb: "c", Large: true}})
	require.Len(t, sets, 2)
	assert.Equal(t, "hip/2", sets[0].String())
	assert.Equal(t, "b", sets[0].Base())
	assert.Empty(t, sets[1].Base())
}
